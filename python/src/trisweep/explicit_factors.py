"""L and U as sparse matrices, solves with them, and determinants."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from trisweep.arrays import canonical_rows, in_columns
from trisweep.triangular import triangle

SystemName = Literal["A", "L", "U", "D"]


class Slogdet(NamedTuple):
    """The determinant is `sign * exp(logabsdet)`."""

    sign: np.number
    logabsdet: float


class Inertia(NamedTuple):
    """Numbers of eigenvalues by sign."""

    positive: int
    negative: int
    zero: int


class ExplicitFactors:
    """L, U, permutations and scalings; the compiled part gives L's columns and U's rows as CSR arrays."""

    def __init__(
        self,
        lower: tuple[NDArray, ...],
        upper: tuple[NDArray, ...],
        perm_r: NDArray,
        perm_c: NDArray,
        row_scale: NDArray,
        col_scale: NDArray,
        perturbed_pivots: int,
    ) -> None:
        shape = (len(perm_r), len(perm_r))
        self.lower = sparse.csc_array((lower[2], lower[1], lower[0]), shape=shape)
        self.upper = sparse.csr_array((upper[2], upper[1], upper[0]), shape=shape).tocsc()
        self.perm_r, self.perm_c = perm_r, perm_c
        self.row_scale, self.col_scale = row_scale, col_scale
        for of_matrix in (perm_r, perm_c, row_scale, col_scale):
            of_matrix.flags.writeable = False
        self.perturbed_pivots = perturbed_pivots
        self._triangles: dict[str, Any] = {}

    def solve(self, system: SystemName, b: NDArray, trans: str) -> NDArray:
        """Solves with one factor, as `Solver.solve` does with `system`; b has the factors' dtype."""
        if system == "D":
            pivots = self.upper.diagonal()
            return (b.T / (pivots.conj() if trans == "H" else pivots)).T
        if system not in self._triangles:
            upper = system == "U"
            rows = canonical_rows(self.upper if upper else self.lower)
            self._triangles[system] = triangle(rows, upper, not upper, threads=1, solves=1000)
        right = in_columns(b, b.dtype)
        x = np.empty(right.shape, right.dtype, order="F")
        if x.size > 0:
            self._triangles[system].solve(right, x, trans)
        return x


def slogdet(factors: ExplicitFactors) -> Slogdet:
    """det(A), from det(Pr) det(R) det(A) det(C) det(Pc) = det(U); zero if a pivot was perturbed."""
    pivots = factors.upper.diagonal()
    if factors.perturbed_pivots > 0:
        return Slogdet(pivots.dtype.type(0), -np.inf)
    sign = _sign(factors.perm_r) * _sign(factors.perm_c) * np.prod(pivots / np.abs(pivots))
    logarithms = (np.log(np.abs(v).astype(np.float64)).sum() for v in (pivots, factors.row_scale, factors.col_scale))
    of_pivots, of_rows, of_columns = logarithms
    return Slogdet(pivots.dtype.type(sign), float(of_pivots - of_rows - of_columns))


def _sign(permutation: NDArray) -> int:
    """Returns the sign of a permutation: a cycle of length k is a product of k - 1 transpositions."""
    n = len(permutation)
    graph = sparse.csr_array((np.ones(n), permutation, np.arange(n + 1)), shape=(n, n))
    cycles = csgraph.connected_components(graph, directed=False, return_labels=False)
    return -1 if (n - cycles) % 2 else 1
