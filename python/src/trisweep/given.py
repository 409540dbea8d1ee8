"""Solvers that use the factors of another library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from trisweep import _core
from trisweep.arrays import canonical_rows, consecutive_rows
from trisweep.solver import Solver, solver_of
from trisweep.system import System

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

    from trisweep.options import Device


class LuFactors(Protocol):
    """Factors with the attributes of SciPy's `SuperLU` and of `trisweep.Solver`: Pr R A C Pc = L U.

    `row_scale` and `col_scale`, the diagonals of R and C, may be missing, and are then ones.
    """

    L: sparse.csc_array  # with a diagonal of ones, or without
    U: sparse.csc_array
    perm_r: NDArray
    perm_c: NDArray


def from_factors(
    a: sparse.sparray | sparse.spmatrix,
    factors: LuFactors | None,
    *,
    comm: MPI.Comm | None = None,
    rows: ArrayLike | None = None,
    threads: int | None = 0,
    device: Device = "native",
    compress: float | Literal["off", "auto"] = "off",
    refine: Literal["auto", "best"] = "auto",
    deterministic: bool = False,
) -> Solver:
    """Returns a solver of A that uses the factors of another library, such as SciPy; nothing is factored.

    >>> from scipy.sparse import linalg
    >>> trisweep.from_factors(a, linalg.splu(a.tocsc())).solve(b).round(6)
    array([2.5, 4. , 4.5, 4. , 2.5])

    With `comm`, a communicator of mpi4py, all its ranks call this together: rank 0 passes the factors, others
    None. `a`, `rows`, `threads`, `device`, `compress`, `refine` and `deterministic` are as in `splu`.
    Solutions are refined and judged with A. Trisweep itself factors new values (`Solver.refactor`), and A if
    the given factors do not lead to an accepted solution.

    Raises TypeError and ValueError as `splu`, ValueError also when the factors are not triangular, not of A's
    size or have entries that are not finite, and NumericalError when U has a zero on its diagonal.
    """
    options = {
        "threads": threads,
        "device": device,
        "precision": "double",
        "compress": compress,
        "refine": refine,
        "deterministic": deterministic,
    }
    system = System(a, comm, rows, options)
    given = system.ranks.on_root(lambda: _taken(factors, system)) or _NONE[system.dtype.name]
    return solver_of(system, given)


def _taken(factors: LuFactors | None, system: System) -> tuple:
    if factors is None:
        raise ValueError("factors is None on the first rank: give them there")
    try:
        triangles = factors.L.T, factors.U  # L's columns as rows
        given = factors.perm_r, factors.perm_c
    except AttributeError as error:
        raise TypeError(f"factors is {type(factors).__name__}, which is not as SciPy's SuperLU: {error}") from None
    parts = [canonical_rows(part, is_part=True) for part in triangles]
    perms = [np.asarray(perm).astype(np.int32) for perm in given]
    ones = np.ones(len(perms[0]))
    scales = [np.asarray(getattr(factors, name, ones), np.float64) for name in ("row_scale", "col_scale")]
    rows = (consecutive_rows(part, system.in_dtype(part.data, "the factors")) for part in parts)
    return (*rows, *perms, *scales)


def _nothing(dtype: str) -> tuple:
    none = (np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, dtype), 0, np.empty(0, np.int32))
    return (none, none, *(np.empty(0, np.int32),) * 2, *(np.empty(0, np.float64),) * 2)


_NONE = {dtype: _nothing(dtype) for dtype in _core.solvers}  # on ranks but the first
