"""Many matrices of one pattern, factored and solved side by side on threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trisweep.arrays import check_trans
from trisweep.errors import NumericalError
from trisweep.options import number_of_threads

if TYPE_CHECKING:
    from trisweep.solver import Solver, Trans

Result = TypeVar("Result")


class BatchAnswer(NamedTuple):
    """Of all members, by number."""

    x: NDArray
    """Of b's shape, in the dtype that solvers have it; not a number where a member has no factors."""
    solved: NDArray
    """One bool a member: whether its x is accepted in all its columns; a singular one's is not."""


class Batch:
    """Solvers of one analysis; `Analysis.factorize_batch` makes it.

    Each member is one thread's work, so that results depend neither on the number of threads nor on other members.
    `members` are the solvers, None where a matrix is structurally singular.
    """

    def __init__(self, factorize: Callable[[int], Solver], count: int, dtype: np.dtype, threads: int | None) -> None:
        self._dtype, self._threads = dtype, threads
        self.members = side_by_side(lambda k: _or_none(factorize, k), count, threads)

    def __len__(self) -> int:
        return len(self.members)

    def solve(self, b: ArrayLike, trans: Trans = "N") -> BatchAnswer:
        """x of A x = b for each member; `b` has its members in front, `trans` is that of `Solver.solve`.

        b[k] is a vector of n entries or a matrix of n rows, and x has the shape of b. Raises ValueError when b does not
        fit; a member whose matrix is singular, or whose x is not accepted, is flagged.

        >>> trisweep.analyze(a).factorize_batch([a.data, -a.data]).solve([b, b]).x[1].round(6)
        array([-2.5, -4. , -4.5, -4. , -2.5])
        """
        return solve_each(lambda k: self.members[k], len(self), self._dtype, b, trans, self._threads)


def factorize_in_turn(
    factorize: Callable[[int], Solver], refactor: Callable[[Solver, int], None]
) -> Callable[[int], Solver | None]:
    """The solver of a member until its thread asks for the next one: each thread has one solver and its memory."""
    own = threading.local()

    def member(k: int) -> Solver | None:
        lu, own.lu = getattr(own, "lu", None), None  # none after an error
        if lu is None:
            lu = _or_none(factorize, k)
        elif not _succeeds(refactor, lu, k):
            return None
        own.lu = lu
        return lu

    return member


def solve_each(
    member: Callable[[int], Solver | None],
    count: int,
    dtype: np.dtype,
    b: ArrayLike,
    trans: Trans,
    threads: int | None,
) -> BatchAnswer:
    """Answers of all members, of that dtype, which are asked for in the threads that solve with them."""
    check_trans(trans)
    b = np.asarray(b)
    if b.ndim not in (2, 3) or len(b) != count:
        raise ValueError(f"b has the shape {b.shape}: {count} right-hand sides are needed, vectors or matrices")

    x = np.full(b.shape, np.nan, np.result_type(dtype, np.complex64) if b.dtype.kind == "c" else dtype)

    def solve(k: int) -> bool:
        lu = member(k)
        if lu is None:
            return False
        x[k], doubt = lu._solve_here(b[k], trans, None)
        return doubt is None

    return BatchAnswer(x, np.array(side_by_side(solve, count, threads), bool))


def side_by_side(work: Callable[[int], Result], count: int, threads: int | None) -> list[Result]:
    """work(k) of each k, by k; 0 threads: all processors. Each thread takes the next k, without waking the caller.

    After an exception, also one of a signal in the caller, no thread takes another.
    """
    threads = number_of_threads(threads)
    results: list[Result | None] = [None] * count
    numbers = iter(range(count))

    def take() -> None:
        for k in numbers:
            results[k] = work(k)

    workers = min(threads or os.cpu_count() or 1, max(count, 1))
    with ThreadPoolExecutor(workers) as pool:
        try:
            for done in [pool.submit(take) for _ in range(workers)]:
                done.result()
        finally:
            deque(numbers, maxlen=0)
    return cast("list[Result]", results)


def _or_none(factorize: Callable[[int], Solver], k: int) -> Solver | None:
    """None where the member is singular; of values that no member may have the error says whose they are."""
    try:
        return factorize(k)
    except NumericalError:
        return None
    except ValueError as error:
        raise ValueError(f"member {k}: {error}") from error


def _succeeds(refactor: Callable[[Solver, int], None], lu: Solver, k: int) -> bool:
    def refactored(k: int) -> Solver:
        refactor(lu, k)
        return lu

    return _or_none(refactored, k) is not None
