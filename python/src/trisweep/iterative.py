"""The library's Krylov methods, with SciPy's signatures."""

from __future__ import annotations  # SciPy before 1.11 has no sparray

from collections.abc import Callable
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from trisweep import _core
from trisweep.arrays import canonical_rows, consecutive_rows, rows_of
from trisweep.options import real_number, whole_number
from trisweep.solver import Solver

Operator = sparse.spmatrix | LinearOperator | Any  # or sparse.sparray
_MOST_ITERATIONS = 2**31 - 1
_BREAKDOWN = -10  # SciPy's


def bicgstab(
    A: Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Operator | Solver | None = None,
) -> tuple[NDArray, int]:
    """Solves A x = b by BiCGStab (van der Vorst 1992), until ||b - A x|| <= max(rtol ||b||, atol).

    Returns x and 0 if it converged, the number of iterations if not, or a negative number after a breakdown.
    A is a sparse matrix of n rows, multiplied by the library, or a LinearOperator; b and the initial guess
    x0, by default zero, are vectors of n entries. The preconditioner M approximates A^-1: a LinearOperator,
    or a `Solver` of a similar matrix. It is applied from the right, so that residuals are the true ones.
    `maxiter` is 10 n by default. There is no `callback`. Raises TypeError or ValueError when types or shapes
    do not fit or b or x0 is not finite, and RuntimeError when memory or MPI is missing.

    >>> x, info = trisweep.bicgstab(a, b, rtol=1e-10)
    >>> x.round(6), info
    (array([2.5, 4. , 4.5, 4. , 2.5]), 0)
    """
    return _solve("bicgstab", A, b, x0, rtol, atol, maxiter, 1, M)


def gmres(
    A: Operator,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Operator | Solver | None = None,
) -> tuple[NDArray, int]:
    """Solves A x = b by flexible GMRES (Saad 1993); M may differ from one application to the next.

    GMRES restarts after `restart` iterations, 20 by default; `maxiter` and the second value count these
    cycles. A, b, x0, `rtol`, `atol`, M and x are as in `bicgstab`. Raises as `bicgstab` does.

    >>> near = a + 0.01 * sparse.eye_array(5)
    >>> x, info = trisweep.gmres(near, near @ b, rtol=1e-10, M=trisweep.splu(a))
    >>> x.round(6), info
    (array([1., 1., 1., 1., 1.]), 0)
    """
    n = np.shape(b)[0] if np.ndim(b) else 0
    restart = 20 if restart is None else whole_number("restart", restart)
    if restart < 1:
        raise ValueError(f"restart is {restart}: give a positive number")
    return _solve("gmres", A, b, x0, rtol, atol, maxiter, min(restart, max(n, 1)), M)


def _solve(
    method: str,
    a: Operator,
    b: ArrayLike,
    x0: ArrayLike | None,
    rtol: float,
    atol: float,
    maxiter: int | None,
    restart: int,
    m: Operator | Solver | None,
) -> tuple[NDArray, int]:
    block, product, dtype, n = _matrix(a)
    right = rows_of(b, n, "b")
    if right.size != n:
        raise ValueError(f"b has the shape {right.shape}: one right-hand side is needed")
    start = np.zeros(n) if x0 is None else rows_of(x0, n, "x0").reshape(n)
    for name, values in (("b", right.reshape(n)), ("x0", start)):
        if values.dtype.kind not in "biufc":
            raise TypeError(f"{name} is {values.dtype}: give numbers")
        if not np.isfinite(values).all():
            row = np.flatnonzero(~np.isfinite(values))[0]
            raise ValueError(f"{name} is not finite in row {row} (counting from 0): look for a division by zero")
    dtype = np.result_type(dtype, right.dtype, *([] if x0 is None else [start.dtype]), np.float32)
    if dtype.name not in _core.krylov:
        raise TypeError(f"a, b and x0 have the common type {dtype}, which no method has")
    if block is not None:
        indptr, indices, values, *others = block
        block = (indptr, indices, values.astype(dtype, copy=False), *others)
    x = start.astype(dtype)
    right = np.ascontiguousarray(right.reshape(n).astype(dtype, copy=False))
    cycles = 10 * n if maxiter is None else whole_number("maxiter", maxiter)
    if cycles < 0:
        raise ValueError(f"maxiter is {cycles}: give a number that is not negative")
    rtol, atol = (_tolerance(name, value) for name, value in (("rtol", rtol), ("atol", atol)))
    settings = {
        "tolerance": max(rtol, _relative(atol, right)),
        "max_iterations": min(cycles * restart, _MOST_ITERATIONS),
        "restart": restart,
    }
    precondition = None if m is None else _into(_apply(m))
    outcome, iterations = _core.krylov[dtype.name](method, block, product, precondition, right, x, settings)
    return x, {"converged": 0, "breakdown": _BREAKDOWN}.get(outcome, max(-(-iterations // restart), 1))


def _tolerance(name: str, value: SupportsFloat) -> float:
    number = real_number(name, value)
    if not number >= 0:
        raise ValueError(f"{name} is {value!r}: give a number that is not negative")
    return number


def _relative(atol: float, b: NDArray) -> float:
    """Returns atol / ||b||, scaled so that squares of entries of b do not overflow or underflow."""
    parts = np.abs(b.view(b.real.dtype))
    largest = float(parts.max(initial=0))
    if not 0 < largest < np.inf:
        return 0.0
    return atol / largest / float(np.linalg.norm(parts / largest))


def _matrix(a: Operator) -> tuple[tuple | None, Callable | None, np.dtype, int]:
    """Rows as the compiled part takes them and None, or None and a function x -> A x; dtype and size."""
    if not sparse.issparse(a):
        operator = aslinearoperator(a)
        if operator.shape[0] != operator.shape[1]:
            raise ValueError(f"the operator has the shape {operator.shape}: a square one is needed")
        return None, _into(operator.matvec), operator.dtype, operator.shape[0]
    rows = canonical_rows(a)
    return consecutive_rows(rows), None, rows.dtype, rows.shape[0]


def _apply(m: Operator | Solver) -> Callable[[NDArray], NDArray]:
    if isinstance(m, Solver):
        return lambda v: m.solve(v, on_doubt="ignore")
    return aslinearoperator(m).matvec


def _into(apply: Callable[[NDArray], NDArray]) -> Callable[[NDArray, NDArray], None]:
    """Returns the function that writes `apply(v)` to w."""

    def write(v: NDArray, w: NDArray) -> None:
        try:
            values = np.asarray(apply(v.copy()))  # `apply` may keep the copy
            if values.dtype.kind == "c" and w.dtype.kind != "c":
                raise TypeError(f"A or M makes complex vectors of those of {w.dtype}: give b a complex dtype")
            w[:] = values
        finally:
            del v, w  # the method's memory, which a traceback would outlive

    return write
