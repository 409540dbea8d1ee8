"""Factors a sparse matrix once and solves with it any number of times, in this process."""

import sys
import warnings
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from trisweep import _core
from trisweep.errors import NumericalError, NumericalWarning

__all__ = ["NumericalError", "NumericalWarning", "Solver", "splu"]

_MOST_ROWS = 2**31 - 1
_HOST_MEMORY = 1  # as DLPack counts kinds
Device = Literal["native", "emulated", "cuda", "hip"]


class DlpackArray(Protocol):
    """An array in any memory, as libraries hand them to each other."""

    def __dlpack_device__(self) -> tuple[int, int]: ...


class Solver:
    """The factors of a square sparse matrix A, and what solves with them; `trisweep.splu` makes it.

    The dtype is A's: float32, float64, complex64 or complex128; integers become float64. A is copied. Calls
    from several threads take turns; different solvers work at the same time, and the interpreter goes on
    while they do.
    """

    def __init__(self, a: sparse.sparray | sparse.spmatrix, threads: int = 0, device: Device = "native") -> None:
        if not 0 <= threads <= _core.most_threads:
            raise ValueError(f"{threads} threads: give a number from 1 to {_core.most_threads}, or 0")
        rows = _canonical_rows(a)
        self.shape: tuple[int, int] = rows.shape
        self.dtype: np.dtype = rows.dtype
        make = _core.solvers[self.dtype.name]
        indptr, indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
        self.device = _core.device_name(device)
        self._solver = make(indptr, indices, rows.data, threads, device)

    def solve(
        self,
        b: ArrayLike | DlpackArray,
        trans: Literal["N", "T", "H"] = "N",
        on_doubt: Literal["raise", "warn", "ignore"] = "raise",
    ) -> NDArray | DlpackArray:
        """x of A x = b ("N"), A^T x = b ("T") or A^H x = b ("H"), refined; of b's shape and the solver's dtype.

        b is a vector of n entries or a matrix of n rows, each column a right-hand side; a matrix x is in
        Fortran order. b is copied unless it has the solver's dtype and the entries of a column follow each
        other, as in vectors, matrices in Fortran order, and slices of their rows and columns.

        b may be in the memory of the solver's device, an array with DLPack (CuPy's, PyTorch's, JAX's) of the
        solver's dtype whose columns are contiguous. It is read there, behind what is in the device's usual
        stream, and x is made there: an array of the library that b is of.

        Raises ValueError or TypeError when b does not fit, RuntimeError when memory or MPI is missing, and
        NumericalError when A is singular to rounding or a column of x does not satisfy its equations. That
        error has x as `.x`, and `.report`, which tells the good columns. `on_doubt` "warn" returns x with a
        NumericalWarning instead, "ignore" without.
        """
        if on_doubt not in ("raise", "warn", "ignore"):
            raise ValueError(f"on_doubt is {on_doubt!r}, not one of 'raise', 'warn' and 'ignore'")
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans is {trans!r}, not one of 'N', 'T' and 'H'")
        if self._is_there(b):
            x, complaint = self._solver.solve_there(b, trans)
            x = _of_the_library_of(b, x)
            self._doubt(x, complaint, on_doubt)
            return x
        columns = self._columns(b)
        x = np.empty(columns.shape, self.dtype, order="F")
        if x.size > 0:
            self._doubt(x, self._solver.solve(columns, x, trans), on_doubt)
        return x

    def _doubt(self, x: NDArray | DlpackArray, complaint: str, on_doubt: str) -> None:
        if complaint and on_doubt == "raise":
            raise NumericalError(complaint, x, self.report())
        if complaint and on_doubt == "warn":
            warnings.warn(complaint, NumericalWarning, stacklevel=3)

    @property
    def nnz(self) -> int:
        """Entries of the factors, L's and U's."""
        factor = self.report()["factor"]
        return factor["nonzeros_l"] + factor["nonzeros_u"]

    def report(self) -> dict[str, Any]:
        """What is known of the factors ("factor") and of the last answer ("solve", once there was one).

        The fields are those of the command's records (docs/run-record.md), and the verdict: "solved",
        "singular", and "ill_conditioned" where the condition number is beyond 1 / epsilon: no digit needs to be right.
        """
        return self._solver.report()

    def _is_there(self, b: ArrayLike | DlpackArray) -> bool:
        """Whether b is in a device's memory. Where that is the host's, all but NumPy's arrays are."""
        if isinstance(b, np.ndarray) or not hasattr(b, "__dlpack_device__"):
            return False
        if self.device == "emulated":
            return True
        is_there = b.__dlpack_device__()[0] != _HOST_MEMORY
        if is_there and self.device == "native":
            raise ValueError("b is in a device's memory, where this solver has none: name it in splu(a, device=...)")
        return is_there

    def _columns(self, b: ArrayLike) -> NDArray:
        """b in the solver's dtype, the entries of each column next to each other: b itself where it is so."""
        if sparse.issparse(b):
            raise TypeError("b is sparse: solve with b.toarray()")
        b = np.asarray(b)
        if b.ndim not in (1, 2) or len(b) != self.shape[0]:
            raise ValueError(f"b has the shape {b.shape}: {self.shape[0]} rows are needed, as a vector or a matrix")
        if b.dtype != self.dtype:
            if not np.can_cast(b.dtype, self.dtype, "same_kind"):
                raise TypeError(f"b is {b.dtype}, the matrix {self.dtype}: make the solver of a.astype({b.dtype})")
            return b.astype(self.dtype, order="F")
        size = b.itemsize
        follow = b.strides[0] == size and b.flags.aligned
        if follow and (b.ndim == 1 or b.shape[1] == 1 or (b.strides[1] >= len(b) * size and b.strides[1] % size == 0)):
            return b
        return b.copy(order="F")


def splu(a: sparse.sparray | sparse.spmatrix, threads: int = 0, device: Device = "native") -> Solver:
    """Factors A, in any of SciPy's sparse formats, as SciPy's function of this name does. A stays as it is.

    `threads` share the work; 0: one in solves, and all processors factor. `device` solves and refines: "native", the
    CPU kernels; "cuda" or "hip", the thread's current GPU, where the library was built for one; or "emulated", the GPU
    kernels' source on the CPU.

    Raises TypeError when `a` is not a sparse matrix of numbers, ValueError when it is not square, is empty or
    has entries that are not finite, NumericalError when it is structurally singular, and RuntimeError when
    memory, MPI or the device is missing. That it is singular otherwise the first solve finds out.
    """
    return Solver(a, threads, device)


def _of_the_library_of(b: DlpackArray, x: DlpackArray) -> DlpackArray:
    """x, which has DLPack, as an array of the library that made b; as it is, where that takes none."""
    library = sys.modules.get(type(b).__module__.partition(".")[0])
    return library.from_dlpack(x) if hasattr(library, "from_dlpack") else x


def _canonical_rows(a: sparse.sparray | sparse.spmatrix) -> sparse.csr_array:
    """A by rows: columns ascend, none twice, one of the four dtypes. What A has so is not copied."""
    if not sparse.issparse(a):
        raise TypeError(f"a is {type(a).__name__}, not a sparse matrix of SciPy's: give scipy.sparse.csr_array(a)")
    if a.ndim != 2 or a.shape[0] != a.shape[1] or a.shape[0] == 0:
        raise ValueError(f"the matrix has the shape {a.shape}: a square one is needed, with one row at least")
    if a.shape[0] > _MOST_ROWS:
        raise ValueError(f"the matrix has {a.shape[0]} rows, and {_MOST_ROWS} are the most")
    dtype = np.result_type(a.dtype, np.float32 if a.dtype.kind in "fc" else np.float64)
    if dtype.name not in _core.solvers:
        raise TypeError(f"a is {a.dtype}: solvers are of {', '.join(_core.solvers)}")
    rows = sparse.csr_array(a)
    rows.check_format(full_check=True)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows.astype(dtype, copy=False)
