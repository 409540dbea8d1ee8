"""A matrix as the compiled part takes it, checked on all its ranks."""

from __future__ import annotations  # SciPy before 1.11 has no sparray

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from trisweep.arrays import canonical_rows
from trisweep.options import settings_of
from trisweep.ranks import Ranks

if TYPE_CHECKING:
    from mpi4py import MPI


class System:
    """This rank's rows of a square matrix; their values only until `take_block`. Made collectively."""

    def __init__(
        self,
        a: sparse.sparray | sparse.spmatrix,
        comm: MPI.Comm | None,
        rows: ArrayLike | None,
        options: dict[str, Any],
    ) -> None:
        self.ranks = Ranks(comm)
        self.options = options
        local, self._number, self.settings = self.ranks.agree(lambda: _taken(a, comm is not None, rows, options))
        given = self.ranks.gather((local.dtype, self.settings))
        if any(settings != self.settings for _, settings in given):
            raise ValueError("the options differ between the ranks: give the same on all of them")
        self.dtype: np.dtype = np.result_type(*(dtype for dtype, _ in given))
        self.shape: tuple[int, int] = (local.shape[1], local.shape[1])
        self.local_rows: int = local.shape[0]
        self._indptr, self._indices = local.indptr.astype(np.int64), local.indices.astype(np.int32)
        self.values: NDArray = local.data.astype(self.dtype, copy=False)

    def take_block(self) -> tuple:
        """Returns the rows as the compiled part takes them, and drops the values (the caller's array)."""
        values, self.values = self.values, None
        return (self._indptr, self._indices, values, self.shape[1], self._number)

    def has_pattern_of(self, rows: sparse.csr_array) -> bool:
        """Returns whether `rows` have this rank's pattern. Local."""
        same_shape = rows.shape == (self.local_rows, self.shape[1])
        return same_shape and all(map(np.array_equal, (rows.indptr, rows.indices), (self._indptr, self._indices)))

    def entries(self, values: ArrayLike | sparse.sparray | sparse.spmatrix) -> NDArray:
        """Returns the values of this rank's entries, given as a matrix of the same pattern or as an array."""
        if sparse.issparse(values):
            rows = canonical_rows(values, is_part=True)
            if not self.has_pattern_of(rows):
                raise ValueError("the matrix has another pattern than the one that was factored: make a solver of it")
            values = rows.data
        values = np.asarray(values)
        if values.shape != self._indices.shape:
            raise ValueError(f"values of the shape {values.shape}: the matrix has {len(self._indices)} entries")
        return np.ascontiguousarray(self.in_dtype(values, "values"))

    def entry_places(self) -> tuple[NDArray, NDArray]:
        """Returns the local row and the column of each entry."""
        row = np.repeat(np.arange(self.local_rows), np.diff(self._indptr))
        return row, self._indices.astype(np.int64)

    def in_dtype(self, values: NDArray, name: str) -> NDArray:
        """The values in the matrix's dtype, uncopied if they have it. Raises TypeError if they do not fit."""
        if values.dtype != self.dtype and not np.can_cast(values.dtype, self.dtype, "same_kind"):
            remedy = f"make the solver of a.astype({values.dtype})" if values.dtype.kind == "c" else "give numbers"
            raise TypeError(f"{name} is {values.dtype}, the matrix {self.dtype}: {remedy}")
        return values.astype(self.dtype, order="F", copy=False)


def _taken(
    a: sparse.sparray | sparse.spmatrix, is_part: bool, rows: ArrayLike | None, options: dict[str, Any]
) -> tuple[sparse.csr_array, NDArray, dict[str, Any]]:
    """Returns the rows of A, their numbers (empty: they follow the previous rank's) and settings, checked."""
    local = canonical_rows(a, is_part)
    if rows is None:
        number = np.empty(0, np.int32)
    elif not is_part:
        raise ValueError("rows are given without comm: the matrix has all of them")
    else:
        number = np.asarray(rows)
        if number.ndim == 0:
            number = number + np.arange(local.shape[0])
        if number.size > 0 and number.dtype.kind not in "iu":
            raise ValueError(f"rows are of {number.dtype}: give whole numbers")
        if number.shape != (local.shape[0],) or not np.all((number >= 0) & (number < local.shape[1])):
            raise ValueError(f"rows are not the numbers of {local.shape[0]} among {local.shape[1]} rows, from 0")
    return local, number.astype(np.int32), settings_of(local.dtype, **options)
