"""Factors a sparse matrix once and solves with it any number of times, in this process."""

import sys
import warnings
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from trisweep import _core
from trisweep.errors import NumericalError, NumericalWarning

__all__ = ["ForwardError", "NumericalError", "NumericalWarning", "Solver", "factorized", "splu", "spsolve"]

_MOST_ROWS = 2**31 - 1
_HOST_MEMORY = 1  # as DLPack counts kinds
Device = Literal["native", "emulated", "cuda", "hip"]
Trans = Literal["N", "T", "H"]
OnDoubt = Literal["raise", "warn", "ignore"]


class DlpackArray(Protocol):
    """An array in any memory, as libraries hand them to each other."""

    def __dlpack_device__(self) -> tuple[int, int]: ...


@dataclass(frozen=True)
class ForwardError:
    """Estimates of the error of one solution x (Skeel 1979; LAPACK's xGERFS); NaN where the matrix is singular."""

    solution_condition: float
    """cond(A, x) in the maximum norm: a componentwise backward error times this bounds the error of x."""
    bound: float
    """Of the error's largest entry, relative to the largest entry of x."""
    componentwise_bound: float
    """Of the largest error of an entry of x relative to that entry; entries that are zero are left out."""


class Solver:
    """The factors of a square sparse matrix A, and solves with them; `trisweep.splu` makes it.

    The dtype is A's: float32, float64, complex64 or complex128; integers become float64. A is copied. Calls
    from several threads take turns; different solvers work at the same time, and the interpreter goes on
    while they do.
    """

    def __init__(self, a: sparse.sparray | sparse.spmatrix, **options: Any) -> None:  # noqa: ANN401
        rows = _canonical_rows(a)
        self.shape: tuple[int, int] = rows.shape
        self.dtype: np.dtype = rows.dtype
        settings = _settings(self.dtype, **options)
        self.device: str = settings["device"]
        self._indptr, self._indices = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
        self._solver = _core.solvers[self.dtype.name](self._indptr, self._indices, rows.data, settings)

    def solve(
        self,
        b: ArrayLike | DlpackArray | sparse.sparray | sparse.spmatrix,
        trans: Trans = "N",
        on_doubt: OnDoubt = "raise",
        out: NDArray | None = None,
    ) -> NDArray | DlpackArray:
        """x of A x = b ("N"), A^T x = b ("T") or A^H x = b ("H"), refined; of b's shape and the solver's dtype.

        b is a vector of n entries or a matrix of n rows, each column a right-hand side; a matrix x is in
        Fortran order. b is copied unless it has the solver's dtype and the entries of a column follow each
        other, as in vectors, matrices in Fortran order, and slices of their rows and columns. A complex b of a
        real matrix has a complex x, of two real right-hand sides for each of its columns; a sparse b has a
        dense x. `out`, of x's shape and dtype, is where x is written, and returned; it may be b.

        b may be in the memory of the solver's device, an array with DLPack (CuPy's, PyTorch's, JAX's) of the
        solver's dtype whose columns are contiguous. It is read there, behind what is in the device's usual
        stream, and x is made there: an array of the library that b is of.

        Raises ValueError or TypeError when b or out does not fit, RuntimeError when memory or MPI is missing, and
        NumericalError when A is singular to rounding or a column of x does not satisfy its equations. That
        error has x as `.x`, and `.report`, which tells the good columns. `on_doubt` "warn" returns x with a
        NumericalWarning instead, "ignore" without.
        """
        if on_doubt not in ("raise", "warn", "ignore"):
            raise ValueError(f"on_doubt is {on_doubt!r}, not one of 'raise', 'warn' and 'ignore'")
        _check_trans(trans)
        if self._is_there(b):
            if out is not None:
                raise ValueError("out is given, and b in a device's memory: x is made there")
            x, complaint = self._solver.solve_there(b, trans)
            x = _of_the_library_of(b, x)
        else:
            x, complaint = self._solve_here(self._right_hand_sides(b), trans, out)
        self._doubt(x, complaint, on_doubt)
        return x

    def _solve_here(self, b: NDArray, trans: Trans, out: NDArray | None) -> tuple[NDArray, str]:
        """x, or out with x, and what is to be said against it."""
        in_parts = b.dtype.kind == "c" and self.dtype.kind != "c"
        dtype = np.result_type(self.dtype, np.complex64) if in_parts else self.dtype
        if out is not None and (out.shape != b.shape or out.dtype != dtype or not out.flags.writeable):
            raise ValueError(f"out is {out.dtype} of the shape {out.shape}: a writeable {dtype} of {b.shape} is needed")
        wanted = np.column_stack([b.real, b.imag]) if in_parts else b
        right = _in_columns(wanted, self.dtype)
        # Solutions go straight to out where the library can write there.
        direct = out is not None and not in_parts and _in_columns(out, self.dtype) is out
        x = out if direct else np.empty(right.shape, self.dtype, order="F")
        if direct and np.may_share_memory(right, out):
            right = right.copy(order="F")
        complaint = self._solver.solve(right, x, trans) if x.size > 0 else ""
        if in_parts:
            count = x.shape[1] // 2
            x = (x[:, :count] + 1j * x[:, count:]).reshape(b.shape)
        if out is not None and not direct:
            out[...] = x
        return x if out is None else out, complaint

    def refactor(self, values: ArrayLike | sparse.sparray | sparse.spmatrix) -> None:
        """Factors new values of the same pattern; order, structure and plan are used again.

        `values` is a matrix with A's pattern, or its entries row by row with ascending columns, as `A.tocsr()` has
        them once its indices are sorted and repeated entries added. Raises as `splu` does, and ValueError when the
        pattern is another or a value is not finite; the solver is then as before.
        """
        if sparse.issparse(values):
            rows = _canonical_rows(values)
            if not (np.array_equal(rows.indptr, self._indptr) and np.array_equal(rows.indices, self._indices)):
                raise ValueError("the matrix has another pattern than the one that was factored: make a solver of it")
            values = rows.data
        values = np.asarray(values)
        if values.shape != self._indices.shape:
            raise ValueError(f"values of the shape {values.shape}: the matrix has {len(self._indices)} entries")
        self._solver.refactor(np.ascontiguousarray(self._in_dtype(values, "values")))

    def forward_error(self, b: ArrayLike, x: ArrayLike, trans: Trans = "N") -> list[ForwardError]:
        """Estimates of the errors of solutions x of right-hand sides b, one for each column.

        b and x are as `solve` takes and returns them. Each costs about thirty sweeps. Raises ValueError before there
        was a solve, which tells whether the matrix is singular, and as `solve` does.
        """
        _check_trans(trans)
        right, solution = (
            _in_columns(self._in_dtype(_rows_of(v, self.shape[0], name), name), self.dtype)
            for v, name in ((b, "b"), (x, "x"))
        )
        if right.shape != solution.shape:
            raise ValueError(f"b has the shape {right.shape} and x {solution.shape}")
        count = 1 if right.ndim == 1 else right.shape[1]
        return [ForwardError(*self._solver.forward_error(right, solution, trans, c)) for c in range(count)]

    def aslinearoperator(self) -> LinearOperator:
        """A^-1 as SciPy's iterative and eigenvalue solvers take it: a preconditioner, or `OPinv` of `eigsh`."""
        return LinearOperator(
            self.shape,
            matvec=self.solve,
            rmatvec=lambda b: self.solve(b, "H"),
            matmat=self.solve,
            rmatmat=lambda b: self.solve(b, "H"),
            dtype=self.dtype,
        )

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

    def _right_hand_sides(self, b: ArrayLike | sparse.sparray | sparse.spmatrix) -> NDArray:
        """b as an array of the right shape, in a dtype that x can have."""
        b = _rows_of(b.toarray() if sparse.issparse(b) else b, self.shape[0], "b")
        if b.dtype.kind == "c" and self.dtype.kind != "c":
            return b
        return self._in_dtype(b, "b")

    def _in_dtype(self, values: NDArray, name: str) -> NDArray:
        """The same array where it has the solver's dtype."""
        if values.dtype != self.dtype and not np.can_cast(values.dtype, self.dtype, "same_kind"):
            remedy = f"make the solver of a.astype({values.dtype})" if values.dtype.kind == "c" else "give numbers"
            raise TypeError(f"{name} is {values.dtype}, the matrix {self.dtype}: {remedy}")
        return values.astype(self.dtype, order="F", copy=False)


def splu(
    a: sparse.sparray | sparse.spmatrix,
    *,
    threads: int = 0,
    device: Device = "native",
    precision: Literal["double", "mixed"] = "double",
    compress: float | Literal["off", "auto"] = "off",
    ordering: str = "auto",
    refine: Literal["auto", "best"] = "auto",
    deterministic: bool = False,
) -> Solver:
    """Factors A, in any of SciPy's sparse formats, as SciPy's function of this name does. A stays as it is.

    The options have the names and meanings of the command's. `threads` share the work; 0: one in solves, and all
    processors factor. `device` solves and refines: "native", the CPU kernels; "cuda" or "hip", the thread's current
    GPU, where the library was built for one; or "emulated", the GPU kernels' source on the CPU. `precision` "mixed"
    keeps factors of a matrix in double precision in single precision; `compress` keeps their panels with that relative
    error, between 0 and 1 ("auto": what solves fastest); solutions are refined to the same accuracy. `ordering`:
    "auto", "metis", "amd", "natural", or "scotch" where the library has it. `refine` "best" corrects solutions as long
    as that lowers their error, "auto" until it is below ten epsilon. `deterministic` adds in a fixed order, with any
    number of threads.

    Raises TypeError when `a` is not a sparse matrix of numbers, ValueError when it is not square, is empty or
    has entries that are not finite, or an option is out of range, NumericalError when it is structurally singular, and
    RuntimeError when memory, MPI or the device is missing. That it is singular otherwise the first solve finds out.
    """
    return Solver(
        a,
        threads=threads,
        device=device,
        precision=precision,
        compress=compress,
        ordering=ordering,
        refine=refine,
        deterministic=deterministic,
    )


def spsolve(a: sparse.sparray | sparse.spmatrix, b: ArrayLike, **options: Any) -> NDArray:  # noqa: ANN401
    """x of A x = b, for one use of the factors; `options` are those of `splu`, b is as in `Solver.solve`."""
    return splu(a, **options).solve(b)


def factorized(a: sparse.sparray | sparse.spmatrix, **options: Any) -> Any:  # noqa: ANN401
    """The function that solves A x = b for any b, as SciPy's function of this name returns it."""
    return splu(a, **options).solve


def _settings(
    dtype: np.dtype,
    *,
    threads: int = 0,
    device: Device = "native",
    precision: str = "double",
    compress: float | str = "off",
    ordering: str = "auto",
    refine: str = "auto",
    deterministic: bool = False,
) -> dict[str, Any]:
    """The options as the compiled part takes them."""
    if not 0 <= threads <= _core.most_threads:
        raise ValueError(f"{threads} threads: give a number from 1 to {_core.most_threads}, or 0")
    for name, value, choices in (("precision", precision, ("double", "mixed")), ("refine", refine, ("auto", "best"))):
        if value not in choices:
            raise ValueError(f"{name} is {value!r}, not one of {' and '.join(map(repr, choices))}")
    if precision == "mixed" and np.finfo(dtype).eps > np.finfo(np.float64).eps:
        raise ValueError(f"precision is 'mixed', and the matrix {dtype}: its factors have the lowest precision already")
    eps = {"off": 0.0, "auto": 0.0}.get(compress, compress) if isinstance(compress, str) else compress
    if isinstance(eps, str) or not 0 <= eps < 1:
        raise ValueError(f"compress is {compress!r}: give a relative error from 0 to 1, 'auto' or 'off'")
    return {
        "threads": threads,
        "device": _core.device_name(device),
        "mixed": precision == "mixed",
        "compress_eps": float(eps),
        "compress_automatic": compress == "auto",
        "ordering": ordering,
        "best": refine == "best",
        "deterministic": bool(deterministic),
    }


def _check_trans(trans: str) -> None:
    if trans not in ("N", "T", "H"):
        raise ValueError(f"trans is {trans!r}, not one of 'N', 'T' and 'H'")


def _rows_of(v: ArrayLike, n: int, name: str) -> NDArray:
    v = np.asarray(v)
    if v.ndim not in (1, 2) or len(v) != n:
        raise ValueError(f"{name} has the shape {v.shape}: {n} rows are needed, as a vector or a matrix")
    return v


def _in_columns(v: NDArray, dtype: np.dtype) -> NDArray:
    """v in that dtype, the entries of each column next to each other: v itself where it is so."""
    if v.dtype != dtype:
        return v.astype(dtype, order="F")
    size = v.itemsize
    follow = v.strides[0] == size and v.flags.aligned
    if follow and (v.ndim == 1 or v.shape[1] == 1 or (v.strides[1] >= len(v) * size and v.strides[1] % size == 0)):
        return v
    return v.copy(order="F")


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
