"""Analysis separate from factorization: one analysis serves solvers of any number of matrices."""

from __future__ import annotations  # SciPy before 1.11 has no sparray

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from trisweep import _core
from trisweep.batch import Batch, BatchAnswer, factorize_in_turn, solve_each
from trisweep.solver import Solver, Trans
from trisweep.system import System

if TYPE_CHECKING:
    from mpi4py import MPI


class Analysis:
    """Ordering, scaling, structure of the factors and plan of a matrix; made by `trisweep.analyze`.

    Solvers made from it are independent of each other. With `comm`, its ranks make them together. `shape`,
    `dtype` and `local_rows` are as in `Solver`.
    """

    def __init__(self, system: System, compiled: Any) -> None:  # noqa: ANN401
        self._system = system
        self._analysis = compiled
        self.shape = system.shape
        self.dtype: np.dtype = system.dtype
        self.local_rows = system.local_rows

    @cached_property
    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Row and column of each entry, in the order of values; on several ranks, local row numbers from 0.

        >>> rows, columns = trisweep.analyze(a).entries
        >>> rows[:4].tolist(), columns[:4].tolist()
        ([0, 0, 1, 1], [0, 1, 0, 1])
        """
        return self._system.entry_places()

    def factorize(self, values: ArrayLike | sparse.sparray | sparse.spmatrix) -> Solver:
        """Factors `values`: a matrix of the same pattern, or its entries as in `Solver.refactor`.

        If pivots require another structure, only that solver uses it. Raises as `splu` does.

        >>> trisweep.analyze(a).factorize(2 * a.data).solve(b).round(6)
        array([1.25, 2.  , 2.25, 2.  , 1.25])
        """
        entries = self._system.ranks.agree(lambda: self._system.entries(values))
        return self._solver(entries, self._system.settings)

    def factorize_batch(self, values: ArrayLike, threads: int | None = 0) -> Batch:
        """Factors each row of `values`, the entries of one matrix as in `factorize`; members run in parallel.

        `threads` (0: one per processor) share the members, also in `Batch.solve`. A singular member is
        flagged and does not fail the others. Raises ValueError with `comm`, and when a value is not finite.

        >>> batch = trisweep.analyze(a).factorize_batch([a.data, 2 * a.data])
        >>> x, solved = batch.solve([b, b])
        >>> x[1].round(6), solved.tolist()
        (array([1.25, 2.  , 2.25, 2.  , 1.25]), [True, True])
        """
        factorize, _, count = self._members(values)
        return Batch(factorize, count, self.dtype, threads)

    def solve_batch(self, values: ArrayLike, b: ArrayLike, trans: Trans = "N", threads: int | None = 0) -> BatchAnswer:
        """Solves A x = b for each row of `values`, like `factorize_batch(values, threads).solve(b, trans)`.

        Factors are not kept: each thread reuses the memory of one solver, which is faster if each matrix is
        used for one solve. Raises as these do.

        >>> x, solved = trisweep.analyze(a).solve_batch([a.data, 2 * a.data], [b, b])
        >>> x[1].round(6)
        array([1.25, 2.  , 2.25, 2.  , 1.25])
        """
        factorize, refactor, count = self._members(values)
        return solve_each(factorize_in_turn(factorize, refactor), count, self.dtype, b, trans, threads)

    def _members(self, values: ArrayLike) -> tuple[Callable[[int], Solver], Callable[[Solver, int], None], int]:
        """Functions that make a member's solver and refactor a solver for a member; number of members."""
        if self._system.ranks.comm is not None:
            raise ValueError("a batch works in one process, and this analysis is of a communicator's ranks")
        values = np.asarray(values)
        if values.ndim != 2:
            raise ValueError(f"values of the shape {values.shape}: a row for each matrix is needed")
        settings = {**self._system.settings, "threads": 1}
        entries = [self._system.entries(row) for row in values]
        return (
            lambda k: self._solver(entries[k], settings),
            lambda lu, k: lu._refactor_as(self._analysis, entries[k]),
            len(entries),
        )

    def _solver(self, entries: np.ndarray, settings: dict[str, Any]) -> Solver:
        make = _core.solvers[self.dtype.name]
        return Solver(self._system, make(self._analysis, entries, self._system.ranks.handle, settings))


def analyze(
    a: sparse.sparray | sparse.spmatrix,
    *,
    comm: MPI.Comm | None = None,
    rows: ArrayLike | None = None,
    **options: Any,  # noqa: ANN401
) -> Analysis:
    """Analyzes A without factoring it; `splu(a, block_triangular="off")` is `analyze(a).factorize(a)`.

    `a`, `comm`, `rows` and `options` are as in `splu`. Matching and scaling use the values of A, and suit
    best those matrices whose entries are similar in size. Raises as `splu` does.

    >>> plan = trisweep.analyze(a)
    >>> one, other = plan.factorize(a), plan.factorize(3 * a)
    >>> (one.solve(b) / other.solve(b)).round(6)
    array([3., 3., 3., 3., 3.])
    """
    system = System(a, comm, rows, options)
    make = _core.analyses[system.dtype.name]
    return Analysis(system, make(system.take_block(), system.ranks.handle, system.settings))
