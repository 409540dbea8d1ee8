"""Shared by `trisweep.torch` and `trisweep.jax`: solves with NumPy arrays and cached factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trisweep.errors import NumericalError

if TYPE_CHECKING:
    from trisweep.analysis import Analysis
    from trisweep.batch import Batch
    from trisweep.solver import Solver, Trans


class Factors:
    """The factors of one matrix or of a batch, kept from the first solve that asks to keep them."""

    def __init__(self, plan: Analysis) -> None:
        self.plan = plan
        self._made: Solver | Batch | None = None

    def solve(self, values: NDArray, b: NDArray, trans: Trans, keep: bool = True) -> NDArray:
        """Solves op(A) x = b. All calls pass the same values.

        Shapes: values (entries,) and b (n,) or (n, k), or both with the same batch dimension in front. Raises
        ValueError when the shapes do not fit, and NumericalError when a matrix is singular.
        """
        require_shapes(self.plan, values.shape, b.shape)
        if values.ndim == 1:
            self._made = self._made or self.plan.factorize(values)
            return self._made.solve(b, trans)
        if self._made is None and keep:
            self._made = self.plan.factorize_batch(values)
        x, solved = self._made.solve(b, trans) if self._made else self.plan.solve_batch(values, b, trans)
        if not solved.all():
            raise NumericalError(f"members {np.flatnonzero(~solved).tolist()} of the batch are not solved", x)
        return x


def require_shapes(plan: Analysis, values: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Raises ValueError unless the shapes of values and right-hand sides suit `Factors.solve`."""
    entries, n = len(plan.entries[0]), plan.shape[0]
    batch = values[:-1]
    right = b[len(batch) :]
    fits = values[-1:] == (entries,) and len(batch) <= 1 and b[: len(batch)] == batch
    if not fits or len(right) not in (1, 2) or right[0] != n:
        raise ValueError(
            f"values of the shape {values} and b of {b}: ({entries},) and ({n},) or ({n}, k) are needed, or many"
        )
