"""Conversion of the caller's matrices and right-hand sides to the form that the compiled part takes."""

from __future__ import annotations  # SciPy before 1.11 has no sparray

import sys
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from trisweep import _core

_MOST_ROWS = 2**31 - 1


class DlpackArray(Protocol):
    """An array in host or device memory, as libraries exchange them through DLPack."""

    def __dlpack_device__(self) -> tuple[int, int]: ...


def check_trans(trans: str) -> None:
    if trans not in ("N", "T", "H"):
        raise ValueError(f"trans is {trans!r}, not one of 'N', 'T' and 'H'")


def rows_of(v: ArrayLike, n: int, name: str) -> NDArray:
    v = np.asarray(v)
    if v.ndim not in (1, 2) or len(v) != n:
        raise ValueError(f"{name} has the shape {v.shape}: {n} rows are needed, as a vector or a matrix")
    return v


def sparse_columns(b: ArrayLike | sparse.sparray | sparse.spmatrix, n: int) -> sparse.csc_array:
    """Returns a vector or a matrix of n rows in sparse columns."""
    if not sparse.issparse(b):
        b = rows_of(b, n, "b")
        if b.dtype.kind not in "biufc":
            raise TypeError(f"b is {b.dtype}: give numbers")
        b = b.astype(np.result_type(b.dtype, np.float32), copy=False)  # SciPy has neither float16 nor other byte orders
    if b.ndim == 1:
        b = b.reshape((-1, 1))
    columns = sparse.csc_array(b)
    if columns.shape[0] != n:
        raise ValueError(f"b has the shape {columns.shape}: {n} rows are needed")
    return columns


def row_numbers(rows: ArrayLike, n: int) -> NDArray:
    """Returns the row numbers as an int32 array, in their order. Raises ValueError unless 0 <= number < n."""
    numbers = np.asarray(rows)
    if numbers.ndim != 1 or (numbers.size > 0 and numbers.dtype.kind not in "iu"):
        raise ValueError("rows is not a list of numbers")
    if not np.all((numbers >= 0) & (numbers < n)):
        raise ValueError(f"rows has a number that is none of {n} rows, counted from 0")
    return numbers.astype(np.int32)


def in_columns(v: NDArray, dtype: np.dtype) -> NDArray:
    """Returns v in that dtype with contiguous columns: v itself if it has both, else a copy."""
    if v.dtype != dtype:
        return v.astype(dtype, order="F")
    size = v.itemsize
    follow = v.strides[0] == size and v.flags.aligned
    if follow and (v.ndim == 1 or v.shape[1] == 1 or (v.strides[1] >= len(v) * size and v.strides[1] % size == 0)):
        return v
    return v.copy(order="F")


def of_the_library_of(b: DlpackArray, x: DlpackArray) -> DlpackArray:
    """Returns x as an array of the library that made b, or x itself if that library does not read DLPack."""
    library = sys.modules.get(type(b).__module__.partition(".")[0])
    return library.from_dlpack(x) if hasattr(library, "from_dlpack") else x


def canonical_rows(a: sparse.sparray | sparse.spmatrix, is_part: bool = False) -> sparse.csr_array:
    """A or some of its rows: ascending columns, no duplicates, one of four dtypes; copied if needed."""
    if not sparse.issparse(a):
        raise TypeError(f"a is {type(a).__name__}, not a sparse matrix of SciPy's: give scipy.sparse.csr_array(a)")
    if a.ndim != 2 or (not is_part and a.shape[0] != a.shape[1]) or a.shape[1] == 0:
        raise ValueError(f"the matrix has the shape {a.shape}: a square one is needed, with one row at least")
    if a.shape[1] > _MOST_ROWS:
        raise ValueError(f"the matrix has {a.shape[1]} rows, and {_MOST_ROWS} are the most")
    dtype = np.result_type(a.dtype, np.float32 if a.dtype.kind in "fc" else np.float64)
    if dtype.name not in _core.solvers:
        raise TypeError(f"a is {a.dtype}: solvers are of {', '.join(_core.solvers)}")
    rows = sparse.csr_array(a)
    rows.check_format(full_check=True)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows.astype(dtype, copy=False)


def consecutive_rows(rows: sparse.csr_array, values: NDArray | None = None) -> tuple:
    """Returns rows as the compiled part takes them: indptr, indices, values (those of `rows`, or others of
    the same pattern), the number of columns, and no row numbers, since the rows are consecutive."""
    indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    return (indptr, indices, rows.data if values is None else values, rows.shape[1], np.empty(0, np.int32))
