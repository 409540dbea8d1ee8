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
# The complaint about a solution, the report on it, and whether it is accepted nevertheless.
Doubt = tuple[str, dict[str, Any], bool] | None


@dataclass(frozen=True)
class ForwardError:
    """Estimates of the error of one x (Skeel 1979; LAPACK's xGERFS); NaN if the matrix is singular."""

    solution_condition: float
    """cond(A, x) in the maximum norm; times the componentwise backward error it bounds the error of x."""
    bound: float
    """Bound on the largest error of an entry of x, relative to the largest entry of x."""
    componentwise_bound: float
    """Bound on the largest error of an entry of x relative to that entry; zero entries are left out."""


class Solver:
    """The factors of a square sparse matrix A, and solves with them; made by `trisweep.splu`.

    `shape` is A's shape, (n, n); `local_rows` is the number of rows of A, b and x on this rank: n in one
    process. `device` is that given to `splu`. `dtype` is A's: float32, float64, complex64 or complex128;
    integers become float64. A is copied. Calls of one solver from several threads take turns; different
    solvers work at the same time. The interpreter lock is released meanwhile.

    With `comm`, all its ranks share one solver. They create it, call its methods and close it together, in
    the same order and with the same arguments, except that each rank passes its own rows of A, b and x. An
    error on any rank is raised on all of them. The garbage collector frees an unclosed solver without
    communication: memory and communicators are released, but MPI keeps its one-sided windows, if any.
    """

    def __init__(self, system: System, compiled: Any) -> None:  # noqa: ANN401
        self._system = system
        self._solver = compiled
        self._explicit: list[ExplicitFactors] = []  # of the current values; see _explicit_factors
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
        # Closing is collective, and other ranks may not have this error: it is left to the collector.
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
        """Solves A x = b and refines x, which has b's shape. `trans` "T" solves A^T x = b, "H" A^H x = b.

        b is a vector of n entries or a matrix of n rows whose columns are right-hand sides; on several ranks,
        this rank's rows of b, in the order of its rows of A. x is distributed likewise; a matrix x is in
        Fortran order. b is copied unless it has the solver's dtype and each column is contiguous, as in
        vectors, matrices in Fortran order, and their slices. x has the solver's dtype. For a real A and a
        complex b, x is complex, each column counting as two real ones. For a sparse b, x is dense.

        For a sparse b the forward sweep reads only the part of L that the nonzero rows of b reach. With
        `rows`, a list of row numbers, only these rows of x are returned, and the backward sweep reads only
        the part of U that they depend on; on several ranks, each asks for some of its own rows. Without the
        other rows x has no residual, so it is neither refined nor judged: the verdict and the errors in
        `report()` are those of a sample, a dense right-hand side that is solved without refinement once per
        factorization. If the sample would need refinement, all of x is computed, refined and judged instead.
        `report()["solve"]["of_sample"]` tells which was done, and "panel_share" the fraction of the factors'
        entries that was read.

        `system` "L", "U" or "D" solves with that factor alone, or with its transpose: `L` and `U` of this
        solver, or the pivots, which are U's diagonal. Like CHOLMOD's systems and SciPy's factors, they belong
        to the permuted and scaled matrix: b and x are in elimination order, and nothing is refined or judged.
        Only in one process.

        `out`, an array of x's shape and dtype, receives x and is returned; it may be b.

        b may be in the memory of the solver's device: an array that supports DLPack (CuPy, PyTorch, JAX), of
        the solver's dtype and with contiguous columns. It is read there after the work queued in the device's
        default stream, and x is created there, as an array of the library that made b.

        Raises ValueError or TypeError when b or out does not fit, RuntimeError when memory or MPI is missing,
        and NumericalError when A is singular to working precision or a column of x does not satisfy its
        equations. The error holds x as `.x` and the report as `.report`, which tells which columns are
        accepted. With `on_doubt` "warn", x is returned with a NumericalWarning instead, with "ignore" without
        one. An accepted x also comes with a NumericalWarning (except with "ignore") if A is so
        ill-conditioned that no digit of x need be correct.

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
        """Returns whether b is in a device's memory."""
        _check_words(trans, on_doubt)
        there = self._is_there(b)
        if there and out is not None:
            raise ValueError("out is given, and b in a device's memory: x is made there")
        return there

    def _solve_here(
        self, b: ArrayLike | sparse.sparray | sparse.spmatrix, trans: Trans, out: NDArray | None
    ) -> tuple[NDArray, Doubt]:
        """Returns x (`out`, if given) and the complaint about it."""
        is_sparse = self._system.ranks.any(sparse.issparse(b))
        b = self._system.ranks.agree(lambda: self._right_hand_sides(b))
        in_parts = self.dtype.kind != "c" and self._system.ranks.any(b.dtype.kind == "c")
        dtype = np.result_type(self.dtype, np.complex64) if in_parts else self.dtype
        self._system.ranks.agree(lambda: _require_out(out, b, dtype))
        self._system.ranks.require_same(_columns(b.shape), "nrhs")
        right = in_columns(_in_parts(b) if in_parts else b, self.dtype)
        # Solutions are written to `out` directly if its layout permits.
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
        self._system.ranks.require_same(columns.shape[1], "nrhs")
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
        """Factors new values of the same pattern; reuses ordering, structure and plan.

        `values` is a matrix with A's pattern, or its entries row by row with ascending columns, as in
        `A.tocsr()` with sorted indices and duplicates summed; on several ranks, those of this rank's rows.
        Raises ValueError when the pattern differs or a value is not finite; the solver is then unchanged.
        Otherwise raises as `splu` does and leaves no factors: methods that need factors raise NumericalError
        until a `refactor` succeeds.

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
        """Factors `values` like a new solver from `analysis`, from which this solver was made."""
        try:
            self._solver.refactor_as(analysis, values)
        finally:
            self._explicit = []

    def has_pattern_of(self, a: sparse.sparray | sparse.spmatrix) -> bool:
        """Returns whether `a` has the pattern that `refactor(a)` requires, on all ranks.

        Raises TypeError when `a` is not a sparse matrix of numbers.

        >>> trisweep.splu(a).has_pattern_of(a + 5 * a), trisweep.splu(a).has_pattern_of(a @ a)
        (True, False)
        """
        rows = self._system.ranks.agree(lambda: canonical_rows(a, is_part=True))
        return not self._solver.is_closed() and not self._system.ranks.any(not self._system.has_pattern_of(rows))

    def forward_error(
        self, b: ArrayLike | sparse.sparray | sparse.spmatrix, x: ArrayLike, trans: Trans = "N"
    ) -> list[ForwardError]:
        """Returns estimates of the errors of solutions x of right-hand sides b, one for each column.

        b, x and `trans` are as `solve` takes and returns them, in host memory. Each estimate costs about
        thirty sweeps; twice as many for a complex solution with a real matrix, for its real and imaginary
        parts. Raises ValueError before the first solve, which finds out whether the matrix is singular, and
        otherwise as `solve`.

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
            # The relative error of a zero part is undefined: after a turn by some angle no part is zero.
            turns = np.where(self._has_zero_parts(solution, count), 1 + 0.618j, 1)
            right, solution = (v * (turns if v.ndim > 1 else turns[0]) for v in (right, solution))
        vectors = [in_columns(_in_parts(v) if in_parts else v, self.dtype) for v in (right, solution)]
        columns = range(2 * count if in_parts else count)
        errors = [ForwardError(*self._solver.forward_error(*vectors, trans, c)) for c in columns]
        if not in_parts:
            return errors
        return list(map(_of_complex, errors[:count], errors[count:], self._sizes(solution, count).T))

    def _has_zero_parts(self, x: NDArray, count: int) -> NDArray:
        """Returns for each column of x whether it has an entry with exactly one zero part."""
        local = ((x.real == 0) != (x.imag == 0)).any(axis=0)
        return np.any(self._system.ranks.gather(np.reshape(local, count)), axis=0)

    def _sizes(self, x: NDArray, count: int) -> NDArray:
        """Returns the largest modulus in each column of x, of its real part and of its imaginary part."""
        local = [np.abs(v).max(axis=0, initial=0) for v in (x, x.real, x.imag)]
        return np.max(self._system.ranks.gather(np.reshape(local, (3, count))), axis=0)

    def condition_estimate(self) -> float:
        """Returns an estimate of the 1-norm condition number of A as scaled for the factorization.

        It is a lower bound unless entries grow much in the factorization, rarely off by more than a factor of
        three; infinite where solves overflow. It costs about ten sweeps, once per factorization. Collective
        with `comm`.

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
        """Unit lower triangular, with `Pr @ R @ A @ C @ Pc == L @ U`; see `perm_r`, `row_scale`, SciPy's
        SuperLU.

        >>> lu = trisweep.splu(a)
        >>> lu.L.shape, bool((lu.L.diagonal() == 1).all())
        ((5, 5), True)
        """
        return self._explicit_factors().lower.copy()

    @property
    def U(self) -> sparse.csc_array:
        """Upper triangular factor; see `L`."""
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
        """The diagonal of C: column j of A is multiplied by `col_scale[j]`, a power of two."""
        return self._explicit_factors().col_scale

    def slogdet(self) -> Slogdet:
        """Returns sign and log of the absolute value of A's determinant, as `numpy.linalg.slogdet` does.

        The determinant is zero, with sign 0, if A is singular to working precision and a pivot was perturbed
        (`report()["factor"]["perturbed_pivots"]`), or a solve has found A singular. Before a solve, for a
        singular A whose pivots are large enough after rounding, it is small but not zero, as in NumPy. On
        several ranks only symmetric and Hermitian matrices have a determinant, others raise ValueError; there
        it is zero whenever a pivot was perturbed, and has the accuracy of the factors: single precision with
        `precision="mixed"`.

        >>> sign, logarithm = trisweep.splu(a).slogdet()
        >>> round(float(sign * np.exp(logarithm)), 6)
        6.0
        """
        factor, alone = self.report()["factor"], self._system.ranks.size == 1
        determinant, perturbed = factor["determinant"], factor["perturbed_pivots"] > 0
        is_singular = self.report().get("solve", {}).get("singular", False)
        if is_singular or (perturbed and self.condition_estimate() * np.finfo(self.dtype).eps >= 1):
            return Slogdet(self.dtype.type(0), -np.inf)
        if determinant is None or (alone and (perturbed or self._system.settings["mixed"])):
            return slogdet(self._explicit_factors())
        real, imaginary, logarithm = determinant
        return Slogdet(self.dtype.type(complex(real, imaginary) if self.dtype.kind == "c" else real), logarithm)

    def inertia(self) -> Inertia:
        """Numbers of positive, negative and zero eigenvalues of a symmetric or Hermitian A, from the pivots.

        Pivots that were perturbed, being too small in the precision of the factors, count as zero. Raises
        ValueError when A is neither real symmetric nor Hermitian, or was factored as LU, and with
        `precision="mixed"` when A is too ill-conditioned for signs in single precision. Collective with `comm`.

        >>> trisweep.splu(a - sparse.eye_array(5), kind="ldlt").inertia()
        Inertia(positive=3, negative=1, zero=1)
        """
        factor = self.report()["factor"]
        if factor["inertia"] is None:
            raise ValueError(
                f"factors of kind {factor['kind']!r} tell no inertia: make a solver of a real symmetric or Hermitian"
                " matrix, with kind='auto', 'ldlt' or 'cholesky'"
            )
        zeros = factor["inertia"][2]
        condition = self.condition_estimate() if factor["low_precision"] and zeros == 0 else 0.0
        if condition * np.finfo(np.float32).eps > 0.1:
            raise ValueError(
                f"A has a condition number of about {condition:.1e}, with which the signs of pivots in single precision"
                " may not be those of its eigenvalues: use precision='double'"
            )
        return Inertia(*factor["inertia"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Saves matrix and factors in the folder `path`, for `trisweep.load` and `trisweep solve --factors`.

            lu.save("a.factors")
            x = trisweep.load("a.factors").solve(b)

        Collective; `path` is the same on all ranks and must be in a file system that all of them see: each
        writes what it factors. Any number of ranks, with any distribution of the rows, can load the folder.
        The saved factors have the solver's dtype, or single precision if the solver has precision "mixed" and
        found these good enough. They are factors of all of A, even if the solver has factored only the
        diagonal blocks of its block triangular form, and are not compressed, even with `compress`. Since
        sweeps use another form of the factors, they are computed once more, which takes the time of
        `refactor` and the memory of the panels. An existing folder of factors is replaced.

        Raises OSError when the folder cannot be written, or something else has that name, and RuntimeError
        when memory or MPI is missing; what was there before is then unchanged.

        >>> trisweep.splu(a).save("a.factors")
        >>> trisweep.load("a.factors").solve(b).round(6)
        array([2.5, 4. , 4.5, 4. , 2.5])
        """
        factor_folders.save(self._system.ranks, self._solver, path)

    def __reduce__(self) -> tuple[Callable[..., Solver], tuple[Any, ...]]:
        """Pickles the solver with its factors, as `save` stores them; also for `copy.deepcopy`."""
        if self._system.ranks.comm is not None:
            raise TypeError("a solver of a communicator's ranks is not pickled: save() it, and load it with comm=")
        from trisweep.saved import unpickled  # here: that module imports this one

        return unpickled, (factor_folders.packed(self._solver), self._system.options)

    def _explicit_factors(self) -> ExplicitFactors:
        """L and U, by a second factorization on first use: sweeps use panels with inverted diagonal blocks.

        New values get a new list, so that factors of the old values that another thread is still making are
        not taken for those of the new ones.
        """
        if self._system.ranks.size > 1:
            raise ValueError("the factors of a solver of several ranks are distributed: make one in one process")
        made = self._explicit
        if not made:
            made.append(ExplicitFactors(*self._solver.explicit_factors()))
        return made[0]

    def aslinearoperator(self) -> LinearOperator:
        """A^-1 as a LinearOperator of SciPy: a preconditioner for iterative solvers, or `OPinv` of `eigsh`.

        Raises ValueError if the rows are distributed over ranks: SciPy's vectors are not distributed.

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
        """Number of entries of L and U together."""
        factor = self.report()["factor"]
        return factor["nonzeros_l"] + factor["nonzeros_u"]

    def report(self) -> dict[str, Any]:
        """Data on the factors ("factor"), the last answer ("solve", if any), and the "threads" of a rank.

        The fields are those of the command's records (docs/run-record.md). Those of the verdict are "solved",
        "singular", and "ill_conditioned": the condition estimate exceeds 1 / epsilon, so that no digit of x
        need be correct. The condition is estimated when a known solution lost half of its digits, pivots were
        perturbed or the factors are compressed; otherwise "condition_estimate" is None until
        `condition_estimate()` is called.

        >>> lu = trisweep.splu(a)
        >>> x = lu.solve(b)
        >>> lu.report()["factor"]["kind"], lu.report()["solve"]["solved"]
        ('cholesky', True)
        """
        return self._solver.report()

    def _is_there(self, b: ArrayLike | DlpackArray) -> bool:
        """Returns whether b is in a device's memory; an emulated device has all DLPack arrays but NumPy's."""
        if isinstance(b, np.ndarray) or not hasattr(b, "__dlpack_device__"):
            return False
        if self.device == "emulated":
            return True
        is_there = b.__dlpack_device__()[0] != _HOST_MEMORY
        if is_there and self.device == "native":
            raise ValueError("b is in a device's memory, where this solver has none: name it in splu(a, device=...)")
        return is_there

    def _right_hand_sides(self, b: ArrayLike | sparse.sparray | sparse.spmatrix, name: str = "b") -> NDArray:
        """Returns b as an array, with its shape checked, in a dtype that x can have."""
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
    """Factors A, in any of SciPy's sparse formats, like SciPy's function of this name. A is not changed.

    With `comm`, a communicator of mpi4py, all its ranks call this together. `a` then holds this rank's rows
    of A, with all columns; a rank may have no rows. They follow those of the previous rank, unless every rank
    gives the row numbers in A as `rows`, or only the number of its first row if its rows are consecutive.

    The options have the names and meanings of the command's. `threads` is the number of threads of this
    process; 0 or None: as many of its processors (shared by a node's ranks, at most OMP_NUM_THREADS) as
    gain time. `device` is where solutions are computed and refined: "native", the CPU kernels; "cuda" or
    "hip", the thread's current GPU, if the library was built for one; or "emulated", the GPU kernels'
    source on the CPU. `precision` "mixed" keeps the factors of a double-precision matrix in single
    precision. `compress` stores their panels with that relative error, between 0 and 1 ("auto": what
    solves fastest). Either way solutions are refined to the same accuracy. `ordering` is "auto", "metis",
    "amd", "natural", or "scotch" and "ptscotch" (by all ranks, of which none gathers the matrix) if the
    library has them. `kind` of factorization: "lu", "cholesky", or "ldlt", which is L D L^T of a
    symmetric and L D L^H of a Hermitian matrix; "auto" uses symmetry where there is any.
    `block_triangular` "auto" factors only the diagonal blocks of A's block triangular form if that saves
    much, as with rows that prescribe an unknown (Dirichlet conditions), "on" whenever A has such a form,
    and "off" factors all of A. All ranks factor; with `factorization` "superlu-dist", SuperLU_DIST
    factors, if the library was built with it, and no rank holds the whole matrix. `refine` "best" refines
    solutions as long as that lowers their error, "auto" until the error is below ten epsilon.
    `deterministic` adds in a fixed order, whatever the number of threads.

    Raises TypeError when `a` is not a sparse matrix of numbers, ValueError when it is not square, is empty or
    has entries that are not finite, or an option is out of range, NumericalError when it is structurally
    singular, and RuntimeError when memory, MPI or the device is missing. Numerical singularity is found by
    the first solve.

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
    """Returns the solver of a system. The system is factored unless its factors are given, in the compiled
    part's form or as the path of their folder. Collective."""
    make = _core.solvers[system.dtype.name]
    return Solver(system, make(system.take_block(), system.ranks.handle, system.settings, *given))


def spsolve(a: sparse.sparray | sparse.spmatrix, b: ArrayLike, **options: Any) -> NDArray:  # noqa: ANN401
    """Solves A x = b once and drops the factors; `a` and `options` are as in `splu`, b as in `Solver.solve`.

    In one process, an A in single precision is solved in double if b is in that, as SciPy does. Raises as both do.

    >>> trisweep.spsolve(a, b).round(6)
    array([2.5, 4. , 4.5, 4. , 2.5])
    """
    if options.get("comm") is None and sparse.issparse(a) and a.dtype in (np.float32, np.complex64):
        dtype = np.asarray(b).dtype if isinstance(b, list | tuple) else getattr(b, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "fciu":
            a = a.astype(np.promote_types(a.dtype, np.zeros(0, dtype).real.dtype), copy=False)
    with splu(a, **options) as lu:
        return lu.solve(b)


def factorized(a: sparse.sparray | sparse.spmatrix, **options: Any) -> Any:  # noqa: ANN401
    """Returns the function that solves A x = b for any b, like SciPy's function of this name: `Solver.solve`.

    `a` and `options` are as in `splu`. Raises as `splu` does.

    >>> solve = trisweep.factorized(a)
    >>> solve(2 * b).round(6)
    array([5., 8., 9., 8., 5.])
    """
    return splu(a, **options).solve


def _columns(shape: tuple[int, ...]) -> int:
    return shape[1] if len(shape) > 1 else 1


def _in_parts(v: NDArray) -> NDArray:
    """Returns the real parts of all columns, followed by the imaginary parts."""
    return np.column_stack([v.real, v.imag])


def _of_parts(x: NDArray) -> NDArray:
    """Returns the complex columns of `_in_parts`' result."""
    count = x.shape[1] // 2
    return x[:, :count] + 1j * x[:, count:]


def _of_complex(real: ForwardError, imaginary: ForwardError, sizes: NDArray) -> ForwardError:
    """The error of a complex solution from its parts'; `sizes`: the largest moduli of it and of the parts."""
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
