"""Solves with sparse triangular matrices that are given as such."""

from __future__ import annotations  # SciPy before 1.11 has no sparray

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from trisweep import _core
from trisweep.arrays import canonical_rows, consecutive_rows, in_columns, rows_of
from trisweep.errors import NumericalError
from trisweep.options import number_of_threads


def spsolve_triangular(
    a: sparse.sparray | sparse.spmatrix,
    b: ArrayLike | sparse.sparray | sparse.spmatrix,
    lower: bool = True,
    overwrite_A: bool = False,  # noqa: ARG001 (SciPy's name; A is never written)
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
    *,
    threads: int = 1,
) -> NDArray:
    """Solves A x = b with a sparse triangular A, like SciPy's function of this name.

    `a` has n rows, b is a vector of n entries or a matrix of n rows. `lower`: True if A is lower triangular,
    False if upper. With `unit_diagonal` the diagonal counts as ones, stored or not. x has b's shape and the
    common dtype of A and b; with `overwrite_b` it is written into b if dtype and layout permit. `overwrite_A`
    has no effect, since A is never written. `threads` share the rows; x does not depend on their number.
    Raises LinAlgError when A is not triangular, its subclass NumericalError when a diagonal entry is zero,
    and otherwise as `splu` does.

    >>> trisweep.spsolve_triangular(sparse.tril(a), b).round(6)
    array([0.5    , 0.75   , 0.875  , 0.9375 , 0.96875])
    """
    rows = canonical_rows(a)
    right = rows_of(b.toarray() if sparse.issparse(b) else b, rows.shape[0], "b")
    dtype = np.result_type(rows.dtype, right.dtype)
    if dtype.name not in _core.triangles:
        raise TypeError(f"a is {rows.dtype} and b {right.dtype}: their common type is {dtype}, which no solver has")
    rows = _triangle_of(rows, lower, unit_diagonal)
    threads = number_of_threads(threads, least=1)
    right = in_columns(right, dtype)
    x = right if overwrite_b and right.flags.writeable else np.empty(right.shape, dtype, order="F")
    if right.ndim == 1 or right.shape[1] > 0:
        triangle(rows.astype(dtype, copy=False), not lower, bool(unit_diagonal), threads, 1).solve(right, x, "N")
    return x


def triangle(rows: sparse.csr_array, upper: bool, unit_diagonal: bool, threads: int, solves: int) -> Any:  # noqa: ANN401
    """Returns the compiled part's solver of a triangle, for about `solves` calls of its `solve(b, x, op)`."""
    return _core.triangles[rows.dtype.name](consecutive_rows(rows), upper, unit_diagonal, threads, solves)


def _triangle_of(rows: sparse.csr_array, lower: bool, unit_diagonal: bool) -> sparse.csr_array:
    """Returns the matrix without explicit zeros in its other triangle. Raises LinAlgError for nonzeros."""
    other = sparse.coo_array(sparse.triu(rows, 1) if lower else sparse.tril(rows, -1))
    if other.count_nonzero() > 0:
        first = np.flatnonzero(other.data)[0]
        name, where = ("lower", "above") if lower else ("upper", "below")
        raise LinAlgError(
            f"the matrix is not {name} triangular: its entry in row {other.row[first]}, column {other.col[first]} is"
            f" {where} the diagonal"
        )
    if not unit_diagonal and not (diagonal := rows.diagonal()).all():
        raise NumericalError(f"the matrix is singular: the diagonal of row {np.flatnonzero(diagonal == 0)[0]} is zero")
    if other.nnz == 0:
        return rows
    return sparse.csr_array(sparse.tril(rows) if lower else sparse.triu(rows))
