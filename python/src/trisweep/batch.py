"""Many matrices of one pattern, factored and solved side by side on threads."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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
    """The solutions of all members of a batch, by member number."""

    x: NDArray
    """Of b's shape, in the dtype that a solver's x has; NaN for a member without factors."""
    solved: NDArray
    """One bool per member: True if all columns of its x are accepted; False for a singular member."""


class Batch:
    """Solvers made from one analysis; made by `Analysis.factorize_batch`.

    One thread works on a member, so that results depend neither on the number of threads nor on other
    members. `members` are the solvers, None where the matrix is structurally singular.
    """

    def __init__(self, factorize: Callable[[int], Solver], count: int, dtype: np.dtype, threads: int | None) -> None:
        self._dtype, self._threads = dtype, threads
        self.members = side_by_side(lambda k: _or_none(factorize, k), count, threads)

    def __len__(self) -> int:
        return len(self.members)

    def solve(self, b: ArrayLike, trans: Trans = "N") -> BatchAnswer:
        """Solves A x = b for each member; the first dimension of `b` counts members, `trans` is as in
        `Solver.solve`.

        b[k] is a vector of n entries or a matrix of n rows, and x has the shape of b. Raises ValueError when
        b does not fit; a member whose matrix is singular, or whose x is not accepted, is flagged.

        >>> trisweep.analyze(a).factorize_batch([a.data, -a.data]).solve([b, b]).x[1].round(6)
        array([-2.5, -4. , -4.5, -4. , -2.5])
        """
        return solve_each(lambda k: self.members[k], len(self), self._dtype, b, trans, self._threads)


def factorize_in_turn(
    factorize: Callable[[int], Solver], refactor: Callable[[Solver, int], None]
) -> Callable[[int], Solver | None]:
    """A function that returns a member's solver, valid until its thread asks for the next member."""
    own = threading.local()

    def member(k: int) -> Solver | None:
        lu, own.lu = getattr(own, "lu", None), None  # stays None after an error
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
    """Returns the answers of all members, in that dtype; the solving threads call `member`."""
    check_trans(trans)
    b = np.asarray(b)
    if b.ndim not in (2, 3) or len(b) != count:
        raise ValueError(f"b has the shape {b.shape}: {count} right-hand sides are needed, vectors or matrices")

    x = np.full(b.shape, np.nan, np.result_type(dtype, np.complex64) if b.dtype.kind == "c" else dtype)

    def solve(k: int) -> bool:
        lu = member(k)
        if lu is None:
            return False
        with _naming(k):
            x[k], doubt = lu._solve_here(b[k], trans, None)
        return doubt is None

    return BatchAnswer(x, np.array(side_by_side(solve, count, threads), bool))


def side_by_side(work: Callable[[int], Result], count: int, threads: int | None) -> list[Result]:
    """Returns [work(0), ..., work(count - 1)]; 0 threads: one per processor. Each free thread takes the next
    k.

    After an exception in a thread, or one caused by a signal in the caller, no thread takes another k.
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
    """Returns factorize(k), or None if the member is singular."""
    try:
        with _naming(k):
            return factorize(k)
    except NumericalError:
        return None


@contextmanager
def _naming(k: int) -> Iterator[None]:
    """Has a ValueError of invalid values name the member."""
    try:
        yield
    except NumericalError:  # a ValueError of NumPy's
        raise
    except ValueError as error:
        raise ValueError(f"member {k}: {error}") from error


def _succeeds(refactor: Callable[[Solver, int], None], lu: Solver, k: int) -> bool:
    def refactored(k: int) -> Solver:
        refactor(lu, k)
        return lu

    return _or_none(refactored, k) is not None
