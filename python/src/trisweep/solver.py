"""Factors a sparse matrix once and solves with it any number of times, in this process or on several."""

from __future__ import annotations  # SciPy before 1.11 has no sparray

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from trisweep import _core, factor_folders
from trisweep.arrays import (
    DlpackArray,
    canonical_rows,
    check_trans,
    in_columns,
    of_the_library_of,
    row_numbers,
    rows_of,
    sparse_columns,
)
from trisweep.errors import NumericalError, NumericalWarning
from trisweep.explicit_factors import ExplicitFactors, Inertia, Slogdet, SystemName, slogdet
from trisweep.options import Device
from trisweep.system import System

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["ForwardError", "NumericalError", "NumericalWarning", "Solver", "factorized", "splu", "spsolve"]

_HOST_MEMORY = 1  # as DLPack counts kinds
Trans = Literal["N", "T", "H"]
OnDoubt = Literal["raise", "warn", "ignore"]
# What is to be said against a solution, the report of it, and whether it is accepted all the same.
Doubt = tuple[str, dict[str, Any], bool] | None


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

    `shape` is A's, (n, n); `local_rows` is how many rows of A, b and x this rank has: n in one process. `device` is the
    one of `splu`. The `dtype` is A's: float32, float64, complex64 or complex128; integers become float64. A is copied.
    Calls from several threads take turns; different solvers work at the same time, and the interpreter goes on while
    they do.

    With `comm` it is one solver of all its ranks. They make it, call its methods and close it together, in the same
    order with the same arguments but for the rows of A, b and x, of which each rank has its own. An error of any rank
    is raised on all of them. A solver that is not closed is freed without communication whenever the garbage
    collector comes: memory and communicators return, but MPI keeps its windows, if it has any.
    """

    def __init__(self, system: System, compiled: Any) -> None:  # noqa: ANN401
        self._system = system
        self._solver = compiled
        self._explicit: list[ExplicitFactors] = []  # of the current values, once asked for; see _explicit_factors
        self.shape = system.shape
        self.dtype = system.dtype
        self.local_rows = system.local_rows
        self.device: str = system.settings["device"]

    def close(self) -> None:
        """Frees the factors; collective. Other methods raise ValueError from then on."""
        self._solver.close()
        self._explicit = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Other ranks need not have the error: then the collector does what it can.
        if kind is None or self._system.ranks.size == 1:
            self.close()

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        if not self._solver.is_closed() and self._system.ranks.size > 1 and not sys.is_finalizing():
            warn(f"unclosed {self!r}: MPI keeps its windows, if it has any", ResourceWarning, stacklevel=2, source=self)

    def solve(
        self,
        b: ArrayLike | DlpackArray | sparse.sparray | sparse.spmatrix,
        trans: Trans = "N",
        on_doubt: OnDoubt = "raise",
        out: NDArray | None = None,
        rows: ArrayLike | None = None,
        system: SystemName = "A",
    ) -> NDArray | DlpackArray:
        """x of A x = b, refined; of b's shape and the solver's dtype. `trans` "T" solves A^T x = b, "H" A^H x = b.

        b is a vector of n entries or a matrix of n rows, each column a right-hand side; on several ranks, this rank's
        rows of it in the order of its rows of A. So is x; a matrix x is in Fortran order. b is copied unless it has
        the solver's dtype and the entries of a column follow each other, as in vectors, matrices in Fortran order, and
        slices of their rows and columns. A complex b of a real matrix has a complex x, of two real right-hand sides
        for each of its columns; a sparse b has a dense x.

        Of a sparse b the forward sweep reads only the part of L that its nonzero rows reach, and with `rows`, numbers
        of rows, the backward sweep only the part of U that these depend on: x then has a row for each of them (on
        several ranks, each asks for some of its own). Without the others it has no residual, and is neither refined nor
        judged: the verdict and the errors in `report()` are those of a sample, a dense right-hand side that is solved
        by sweeps alone once for each factorization. Where the sample would have to be refined, all of x is solved for,
        refined and judged. `report()["solve"]["of_sample"]` tells which, and "panel_share" what part of the factors was
        read.

        `system` "L", "U" or "D" solves with that factor alone, or its transpose: the `L` and `U` of this solver, and
        the pivots, which are U's diagonal. As CHOLMOD's systems and SciPy's factors these are of the permuted and
        scaled matrix: b and x are in the order of elimination, and nothing is refined or judged. Of one process.

        `out`, of x's shape and dtype, is where x is written, and returned; it may be b.

        b may be in the memory of the solver's device, an array with DLPack (CuPy's, PyTorch's, JAX's) of the
        solver's dtype whose columns are contiguous. It is read there, behind what is in the device's usual
        stream, and x is made there: an array of the library that b is of.

        Raises ValueError or TypeError when b or out does not fit, RuntimeError when memory or MPI is missing, and
        NumericalError when A is singular to rounding or a column of x does not satisfy its equations. That
        error has x as `.x`, and `.report`, which tells the good columns. `on_doubt` "warn" returns x with a
        NumericalWarning instead, "ignore" without. An accepted x of which no digit needs to be right, since A is that
        ill-conditioned, comes with a NumericalWarning, too.

        >>> lu = trisweep.splu(a)
        >>> lu.solve(b, trans="T").round(6)
        array([2.5, 4. , 4.5, 4. , 2.5])
        >>> y = lu.solve((lu.row_scale * b)[np.argsort(lu.perm_r)], system="L")
        >>> z = lu.solve(y, system="U")
        >>> bool(np.allclose(a @ (lu.col_scale * z[lu.perm_c]), b))
        True
        """
        if not self._system.ranks.same((rows is not None) + 2 * (system != "A")):
            raise ValueError("some ranks give rows, or a system, and others none: all do (rows=[] is none), or no rank")
        if system != "A":
            _check_words(trans, on_doubt)
            return self._solve_factor(b, system, trans, out, rows)
        if rows is not None:
            x, doubt = self._solve_rows(b, rows, trans, on_doubt, out)
            self._doubt(x, doubt, on_doubt)
            return x
        there = self._system.ranks.agree(lambda: self._checked_place(b, trans, on_doubt, out))
        if self._system.ranks.any(there) if self.device != "native" else there:
            self._system.ranks.agree(lambda: _require_there(there))
            x, doubt = self._solver.solve_there(b, trans)
            x = of_the_library_of(b, x)
        else:
            x, doubt = self._solve_here(b, trans, out)
        self._doubt(x, doubt, on_doubt)
        return x

    def _solve_factor(
        self,
        b: ArrayLike | sparse.sparray | sparse.spmatrix,
        system: SystemName,
        trans: Trans,
        out: NDArray | None,
        rows: ArrayLike | None,
    ) -> NDArray:
        if system not in ("L", "U", "D"):
            raise ValueError(f"system is {system!r}, not one of 'A', 'L', 'U' and 'D'")
        if rows is not None:
            raise ValueError("rows are given: these are for system 'A' alone")
        b = self._right_hand_sides(b)
        factors = self._explicit_factors()
        if b.dtype.kind == "c" and self.dtype.kind != "c":
            x = factors.solve(system, b.real.astype(self.dtype), trans) + 1j * factors.solve(
                system, b.imag.astype(self.dtype), trans
            )
        else:
            x = factors.solve(system, b, trans)
        if out is None:
            return x
        _require_out(out, b, x.dtype)
        out[...] = x
        return out

    def _checked_place(
        self, b: ArrayLike | DlpackArray | sparse.sparray | sparse.spmatrix, trans: str, on_doubt: str, out: object
    ) -> bool:
        """Whether b is in a device's memory."""
        _check_words(trans, on_doubt)
        there = self._is_there(b)
        if there and out is not None:
            raise ValueError("out is given, and b in a device's memory: x is made there")
        return there

    def _solve_here(
        self, b: ArrayLike | sparse.sparray | sparse.spmatrix, trans: Trans, out: NDArray | None
    ) -> tuple[NDArray, Doubt]:
        """x, or out with x, and what is to be said against it."""
        is_sparse = self._system.ranks.any(sparse.issparse(b))
        b = self._system.ranks.agree(lambda: self._right_hand_sides(b))
        in_parts = self.dtype.kind != "c" and self._system.ranks.any(b.dtype.kind == "c")
        dtype = np.result_type(self.dtype, np.complex64) if in_parts else self.dtype
        self._system.ranks.agree(lambda: _require_out(out, b, dtype))
        self._system.ranks.require_same(_columns(b.shape), "nrhs")
        right = in_columns(_in_parts(b) if in_parts else b, self.dtype)
        # Solutions go straight to out where the library can write there.
        direct = out is not None and not in_parts and in_columns(out, self.dtype) is out
        x = out if direct else np.empty(right.shape, self.dtype, order="F")
        if direct and np.may_share_memory(right, out):
            right = right.copy(order="F")
        solve = self._solver.solve_sparse if is_sparse else self._solver.solve
        doubt = solve(right, x, trans) if _columns(right.shape) > 0 else None
        if in_parts:
            x = _of_parts(x).reshape(b.shape)
        if out is not None and not direct:
            out[...] = x
        return x if out is None else out, doubt

    def _solve_rows(
        self,
        b: ArrayLike | sparse.sparray | sparse.spmatrix,
        rows: ArrayLike,
        trans: Trans,
        on_doubt: str,
        out: NDArray | None,
    ) -> tuple[NDArray, Doubt]:
        columns, wanted = self._system.ranks.agree(lambda: self._checked_rows(b, rows, trans, on_doubt, out))
        in_parts = self.dtype.kind != "c" and self._system.ranks.any(columns.dtype.kind == "c")
        if in_parts:
            columns = sparse.csc_array(sparse.hstack([columns.real, columns.imag], format="csc"))
        values = self._system.ranks.agree(lambda: self._system.in_dtype(columns.data, "b"))
        x = np.empty((len(wanted), columns.shape[1]), self.dtype, order="F")
        entries = (columns.indptr.astype(np.int64), columns.indices.astype(np.int32), np.ascontiguousarray(values))
        doubt = self._solver.solve_rows(entries, wanted, x, trans) if x.shape[1] > 0 else None
        if in_parts:
            x = _of_parts(x)
        return (x[:, 0] if np.ndim(b) == 1 else x), doubt

    def _checked_rows(
        self,
        b: ArrayLike | sparse.sparray | sparse.spmatrix,
        rows: ArrayLike,
        trans: str,
        on_doubt: str,
        out: NDArray | None,
    ) -> tuple[sparse.csc_array, NDArray]:
        _check_words(trans, on_doubt)
        if out is not None:
            raise ValueError("out is given, and rows: x is made of these alone")
        return sparse_columns(b, self.local_rows), row_numbers(rows, self.local_rows)

    def refactor(self, values: ArrayLike | sparse.sparray | sparse.spmatrix) -> None:
        """Factors new values of the same pattern; order, structure and plan are used again.

        `values` is a matrix with A's pattern, or its entries row by row with ascending columns, as `A.tocsr()` has
        them once its indices are sorted and repeated entries added; of this rank's rows. Raises ValueError when the
        pattern is another or a value is not finite; the solver is then as before. Else it raises as `splu` does, and
        leaves no factors: all that asks for them raises NumericalError until a `refactor` succeeds.

        >>> lu = trisweep.splu(a)
        >>> lu.refactor(2 * a)
        >>> lu.solve(b).round(6)
        array([1.25, 2.  , 2.25, 2.  , 1.25])
        """
        entries = self._system.ranks.agree(lambda: self._system.entries(values))
        try:
            self._solver.refactor(entries)
        finally:
            self._explicit = []

    def _refactor_as(self, analysis: Any, values: NDArray) -> None:  # noqa: ANN401
        """As a new solver of the compiled analysis that has made this one, whatever values it had before."""
        try:
            self._solver.refactor_as(analysis, values)
        finally:
            self._explicit = []

    def has_pattern_of(self, a: sparse.sparray | sparse.spmatrix) -> bool:
        """Whether `refactor(a)` can take the values of a; of several ranks, whether it can on all of them.

        Raises TypeError when a is no sparse matrix of numbers.

        >>> trisweep.splu(a).has_pattern_of(a + 5 * a), trisweep.splu(a).has_pattern_of(a @ a)
        (True, False)
        """
        rows = self._system.ranks.agree(lambda: canonical_rows(a, is_part=True))
        return not self._solver.is_closed() and not self._system.ranks.any(not self._system.has_pattern_of(rows))

    def forward_error(
        self, b: ArrayLike | sparse.sparray | sparse.spmatrix, x: ArrayLike, trans: Trans = "N"
    ) -> list[ForwardError]:
        """Estimates of the errors of solutions x of right-hand sides b, one for each column.

        b, x and `trans` are as `solve` takes and returns them, in this process's memory. Each costs about thirty
        sweeps; one of a complex solution of a real matrix twice as many, for its two parts. Raises ValueError before
        there was a solve, which tells whether the matrix is singular, and as `solve` does.

        >>> lu = trisweep.splu(a)
        >>> [error.bound < 1e-13 for error in lu.forward_error(b, lu.solve(b))]
        [True]
        """
        right, solution = self._system.ranks.agree(lambda: self._systems(b, x, trans))
        count = _columns(right.shape)
        self._system.ranks.require_same(count, "nrhs")
        is_complex = right.dtype.kind == "c" or solution.dtype.kind == "c"
        in_parts = self.dtype.kind != "c" and self._system.ranks.any(is_complex)
        if in_parts:
            sizes = self._sizes(solution, count)
            # An error of a part that is zero cannot be told beside that part: turned by 45 degrees, none is.
            turns = np.where((sizes[1:].min(axis=0) == 0) & (sizes[0] > 0), 1 + 1j, 1)
            right, solution = (v * (turns if v.ndim > 1 else turns[0]) for v in (right, solution))
        vectors = [in_columns(_in_parts(v) if in_parts else v, self.dtype) for v in (right, solution)]
        columns = range(2 * count if in_parts else count)
        errors = [ForwardError(*self._solver.forward_error(*vectors, trans, c)) for c in columns]
        if not in_parts:
            return errors
        return list(map(_of_complex, errors[:count], errors[count:], self._sizes(solution, count).T))

    def _sizes(self, x: NDArray, count: int) -> NDArray:
        """The largest modulus in each column of x, of its real part and of its imaginary part."""
        local = [np.abs(v).max(axis=0, initial=0) for v in (x, x.real, x.imag)]
        return np.max(self._system.ranks.gather(np.reshape(local, (3, count))), axis=0)

    def condition_estimate(self) -> float:
        """An estimate of the condition number of A in the 1-norm, in the scaling that the factors have.

        A lower bound, rarely off by more than a factor of three; infinite where solves overflow. It costs about ten
        sweeps, once for each factorization. With `comm`, all ranks call it together.

        >>> trisweep.splu(a).condition_estimate() < 20
        True
        """
        return self._solver.condition_estimate()

    def _systems(
        self, b: ArrayLike | sparse.sparray | sparse.spmatrix, x: ArrayLike, trans: str
    ) -> tuple[NDArray, NDArray]:
        check_trans(trans)
        right, solution = self._right_hand_sides(b), self._right_hand_sides(x, "x")
        if right.shape != solution.shape:
            raise ValueError(f"b has the shape {right.shape} and x {solution.shape}")
        return right, solution

    @property
    def L(self) -> sparse.csc_array:
        """Unit lower triangular, of `Pr @ R @ A @ C @ Pc == L @ U`; see `perm_r`, `row_scale` and SciPy's `SuperLU`.

        >>> lu = trisweep.splu(a)
        >>> lu.L.shape, bool((lu.L.diagonal() == 1).all())
        ((5, 5), True)
        """
        return self._explicit_factors().lower.copy()

    @property
    def U(self) -> sparse.csc_array:
        """Upper triangular; see `L`."""
        return self._explicit_factors().upper.copy()

    @property
    def perm_r(self) -> NDArray:
        """Row i of A is row `perm_r[i]` of L U, for n rows: `Pr = csc_array((ones(n), (perm_r, arange(n))))`."""
        return self._explicit_factors().perm_r

    @property
    def perm_c(self) -> NDArray:
        """Column j of A is column `perm_c[j]` of L U: `Pc = csc_array((ones(n), (arange(n), perm_c)))`."""
        return self._explicit_factors().perm_c

    @property
    def row_scale(self) -> NDArray:
        """The diagonal of R: row i of A is multiplied by `row_scale[i]`, a power of two, before it is factored."""
        return self._explicit_factors().row_scale

    @property
    def col_scale(self) -> NDArray:
        """The diagonal of C, as `row_scale`."""
        return self._explicit_factors().col_scale

    def slogdet(self) -> Slogdet:
        """Sign and logarithm of the absolute value of A's determinant, as `numpy.linalg.slogdet` has them.

        Zero, of sign 0, where A is singular to working precision and a pivot was too small to be kept
        (`report()["factor"]["perturbed_pivots"]`); a singular A whose pivots rounding leaves large enough has a small
        one, as it has in NumPy. Of a symmetric or Hermitian matrix on several ranks zero wherever a pivot was not kept,
        and the digits are those of the factors: single precision's where these are `precision="mixed"`. Raises
        ValueError for other matrices there.

        >>> sign, logarithm = trisweep.splu(a).slogdet()
        >>> round(float(sign * np.exp(logarithm)), 6)
        6.0
        """
        factor, alone = self.report()["factor"], self._system.ranks.size == 1
        determinant, perturbed = factor["determinant"], factor["perturbed_pivots"] > 0
        if perturbed and self.condition_estimate() * np.finfo(self.dtype).eps >= 1:
            return Slogdet(self.dtype.type(0), -np.inf)
        if determinant is None or (alone and (perturbed or self._system.settings["mixed"])):
            return slogdet(self._explicit_factors())
        real, imaginary, logarithm = determinant
        return Slogdet(self.dtype.type(complex(real, imaginary) if self.dtype.kind == "c" else real), logarithm)

    def inertia(self) -> Inertia:
        """The numbers of positive, negative and zero eigenvalues of a symmetric or Hermitian A, from the pivots.

        Pivots count as zero where they were too small to be kept in the precision of the factors.

        Raises ValueError where A has no such factors: it is not symmetric, or complex symmetric, or was factored as LU.

        >>> trisweep.splu(a - sparse.eye_array(5), kind="ldlt").inertia()
        Inertia(positive=3, negative=1, zero=1)
        """
        inertia = self.report()["factor"]["inertia"]
        if inertia is None:
            raise ValueError("the factors tell no inertia: they are not those of a real symmetric or Hermitian matrix")
        return Inertia(*inertia)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves matrix and factors in a folder of that name, for `trisweep.load` and `trisweep solve --factors`.

            lu.save("a.factors")
            x = trisweep.load("a.factors").solve(b)

        Collective, `path` being the same on all ranks, which all see it: each writes what it factors. Any number of
        ranks loads it, whatever rows they have. The factors are those that the solver has: of its dtype, or where it is
        of precision "mixed" and found them good enough, in single precision; of all of A, where the solver has factored
        the diagonal blocks of its block triangular form. They are made once more, which takes the
        time of `refactor` and the memory of the panels, for sweeps need another form; with `compress` they are saved
        uncompressed. A folder of factors that is there is replaced.

        Raises OSError when the folder cannot be written, or something else has that name, and RuntimeError when memory
        or MPI is missing; nothing is there then, and what was there before is as it was.

        >>> trisweep.splu(a).save("a.factors")
        >>> trisweep.load("a.factors").solve(b).round(6)
        array([2.5, 4. , 4.5, 4. , 2.5])
        """
        factor_folders.save(self._system.ranks, self._solver, path)

    def __reduce__(self) -> tuple[Callable[..., Solver], tuple[Any, ...]]:
        """With its factors, as `save` has them: for pickle, `copy.deepcopy` and other processes."""
        if self._system.ranks.comm is not None:
            raise TypeError("a solver of a communicator's ranks is not pickled: save() it, and load it with comm=")
        from trisweep.saved import unpickled  # which makes solvers

        return unpickled, (factor_folders.packed(self._solver), self._system.options)

    def _explicit_factors(self) -> ExplicitFactors:
        """Made when first asked for, by a second factorization: sweeps need panels with inverted diagonal blocks.

        Other values have a list of their own, so that factors of those before, which a thread makes meanwhile, do not
        come to be theirs.
        """
        if self._system.ranks.size > 1:
            raise ValueError("the factors of a solver of several ranks are distributed: make one in one process")
        made = self._explicit
        if not made:
            made.append(ExplicitFactors(*self._solver.explicit_factors()))
        return made[0]

    def aslinearoperator(self) -> LinearOperator:
        """A^-1 as SciPy's iterative and eigenvalue solvers take it: a preconditioner, or `OPinv` of `eigsh`.

        Raises ValueError for a solver of several ranks: SciPy's vectors are whole.

        >>> from scipy.sparse.linalg import eigsh
        >>> eigsh(a, 1, sigma=0, OPinv=trisweep.splu(a).aslinearoperator(), return_eigenvectors=False).round(6)
        array([0.267949])
        """
        if self.local_rows < self.shape[0]:
            raise ValueError("SciPy's solvers have whole vectors, and this solver's are distributed")
        return LinearOperator(
            self.shape,
            matvec=self.solve,
            rmatvec=lambda b: self.solve(b, "H"),
            matmat=self.solve,
            rmatmat=lambda b: self.solve(b, "H"),
            dtype=self.dtype,
        )

    def _doubt(self, x: NDArray | DlpackArray, doubt: Doubt, on_doubt: str) -> None:
        if doubt is None:
            return
        complaint, report, is_accepted = doubt
        if on_doubt == "raise" and not is_accepted:
            raise NumericalError(complaint, x, report)
        if on_doubt != "ignore":
            warnings.warn(complaint, NumericalWarning, stacklevel=3)

    @property
    def nnz(self) -> int:
        """Entries of the factors, L's and U's."""
        factor = self.report()["factor"]
        return factor["nonzeros_l"] + factor["nonzeros_u"]

    def report(self) -> dict[str, Any]:
        """What is known of the factors ("factor"), the last answer ("solve", once there was one); "threads" of a rank.

        The fields are those of the command's records (docs/run-record.md), and the verdict: "solved",
        "singular", and "ill_conditioned" where the condition estimate is beyond 1 / epsilon: no digit needs to be
        right. It is made where a known solution lost half of its digits, pivots were perturbed or factors are
        compressed; elsewhere "condition_estimate" is None, and `condition_estimate` makes it.

        >>> lu = trisweep.splu(a)
        >>> x = lu.solve(b)
        >>> lu.report()["factor"]["kind"], lu.report()["solve"]["solved"]
        ('cholesky', True)
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

    def _right_hand_sides(self, b: ArrayLike | sparse.sparray | sparse.spmatrix, name: str = "b") -> NDArray:
        """b as an array of the right shape, in a dtype that x can have."""
        b = rows_of(b.toarray() if sparse.issparse(b) else b, self.local_rows, name)
        if b.dtype.kind == "c" and self.dtype.kind != "c":
            return b
        return self._system.in_dtype(b, name)


def splu(
    a: sparse.sparray | sparse.spmatrix,
    *,
    comm: MPI.Comm | None = None,
    rows: ArrayLike | None = None,
    threads: int | None = 0,
    device: Device = "native",
    precision: Literal["double", "mixed"] = "double",
    compress: float | Literal["off", "auto"] = "off",
    ordering: str = "auto",
    kind: Literal["auto", "lu", "cholesky", "ldlt"] = "auto",
    block_triangular: Literal["auto", "on", "off"] = "auto",
    factorization: Literal["own", "superlu-dist"] = "own",
    refine: Literal["auto", "best"] = "auto",
    deterministic: bool = False,
) -> Solver:
    """Factors A, in any of SciPy's sparse formats, as SciPy's function of this name does. A stays as it is.

    With `comm`, a communicator of mpi4py, all its ranks call this together. `a` is then this rank's rows of A, all
    columns wide, any number of them or none. They follow those of the rank before, unless `rows` has their numbers in A
    on every rank; the number of the first, where they are consecutive.

    The options have the names and meanings of the command's. `threads` share the work; 0 or None: as many processors
    (OMP_NUM_THREADS at most, shared by a node's ranks) as gain time. `device` solves and refines: "native", the CPU
    kernels; "cuda" or "hip", the thread's current GPU, where the library was built for one; or "emulated", the GPU
    kernels' source on the CPU. `precision` "mixed" keeps factors of a matrix in double precision in single precision;
    `compress` keeps their panels with that relative error, between 0 and 1 ("auto": what solves fastest); solutions are
    refined to the same accuracy. `ordering`: "auto", "metis", "amd", "natural", or "scotch" where the library has it.
    `kind` of factorization: "lu", "cholesky", or "ldlt", which is L D L^T of a symmetric and L D L^H of a Hermitian
    matrix; "auto" takes the symmetric kinds where the matrix is so. `block_triangular` "auto" factors only the diagonal
    blocks of A's block triangular form where that saves much, as with rows that give an unknown (Dirichlet conditions),
    "on" wherever A has one, and "off" all of A. All ranks factor; `factorization` "superlu-dist":
    by SuperLU_DIST, where the library was built with it, so that no rank has the whole matrix. `refine` "best" corrects
    solutions as long as that lowers their error, "auto" until it is below ten epsilon. `deterministic` adds in a fixed
    order, with any number of threads.

    Raises TypeError when `a` is not a sparse matrix of numbers, ValueError when it is not square, is empty or
    has entries that are not finite, or an option is out of range, NumericalError when it is structurally singular, and
    RuntimeError when memory, MPI or the device is missing. That it is singular otherwise the first solve finds out.

    >>> lu = trisweep.splu(a, precision="mixed")
    >>> lu.solve(b).round(6)
    array([2.5, 4. , 4.5, 4. , 2.5])
    """
    options = {
        "threads": threads,
        "device": device,
        "precision": precision,
        "compress": compress,
        "ordering": ordering,
        "kind": kind,
        "block_triangular": block_triangular,
        "factorization": factorization,
        "refine": refine,
        "deterministic": deterministic,
    }
    return solver_of(System(a, comm, rows, options))


def solver_of(system: System, *given: Any) -> Solver:  # noqa: ANN401
    """The solver of a system, which is factored unless its factors are given: in the compiled part's form, or the path
    of their folder. Collective."""
    make = _core.solvers[system.dtype.name]
    return Solver(system, make(system.take_block(), system.ranks.handle, system.settings, *given))


def spsolve(a: sparse.sparray | sparse.spmatrix, b: ArrayLike, **options: Any) -> NDArray:  # noqa: ANN401
    """x of A x = b, for one use of the factors; `a` and `options` are those of `splu`, b is as in `Solver.solve`.

    Raises as both do.

    >>> trisweep.spsolve(a, b).round(6)
    array([2.5, 4. , 4.5, 4. , 2.5])
    """
    with splu(a, **options) as lu:
        return lu.solve(b)


def factorized(a: sparse.sparray | sparse.spmatrix, **options: Any) -> Any:  # noqa: ANN401
    """The function that solves A x = b for any b, as SciPy's function of this name returns it: `Solver.solve`.

    `a` and `options` are those of `splu`. Raises as it does.

    >>> solve = trisweep.factorized(a)
    >>> solve(2 * b).round(6)
    array([5., 8., 9., 8., 5.])
    """
    return splu(a, **options).solve


def _columns(shape: tuple[int, ...]) -> int:
    return shape[1] if len(shape) > 1 else 1


def _in_parts(v: NDArray) -> NDArray:
    """The real parts of all columns, then the imaginary ones."""
    return np.column_stack([v.real, v.imag])


def _of_parts(x: NDArray) -> NDArray:
    """The reverse."""
    count = x.shape[1] // 2
    return x[:, :count] + 1j * x[:, count:]


def _of_complex(real: ForwardError, imaginary: ForwardError, sizes: NDArray) -> ForwardError:
    """Of a complex solution by those of its parts; the largest entries of it and of these."""
    of_whole = sizes[0]
    shares = sizes[1:] / of_whole if of_whole > 0 else np.ones(2)
    return ForwardError(
        float(np.dot(shares, [real.solution_condition, imaginary.solution_condition])),
        float(np.hypot(*(shares * [real.bound, imaginary.bound]))),
        float(np.maximum(real.componentwise_bound, imaginary.componentwise_bound)),
    )


def _check_words(trans: str, on_doubt: str) -> None:
    check_trans(trans)
    if on_doubt not in ("raise", "warn", "ignore"):
        raise ValueError(f"on_doubt is {on_doubt!r}, not one of 'raise', 'warn' and 'ignore'")


def _require_there(there: bool) -> None:
    if not there:
        raise ValueError("b is in this process's memory here, and in a device's on another rank")


def _require_out(out: NDArray | None, b: NDArray, dtype: np.dtype) -> None:
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError(f"out is {type(out).__name__}, not an array of NumPy's")
    if out is not None and (out.shape != b.shape or out.dtype != dtype or not out.flags.writeable):
        raise ValueError(f"out is {out.dtype} of the shape {out.shape}: a writeable {dtype} of {b.shape} is needed")
