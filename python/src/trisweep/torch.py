"""Solves that PyTorch differentiates with respect to the entries of the matrix and the right-hand sides.

    from trisweep.torch import solve

    plan = trisweep.analyze(a)            # the pattern, once
    x = solve(plan, values, b)            # tensors; values as those of a.tocsr()
    x.sum().backward()                    # one solve with A^H, by the same factors

Supports derivatives of any order, `torch.func.grad` and `vmap`. PyTorch is not installed with trisweep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from trisweep.differentiable import Factors

if TYPE_CHECKING:
    from trisweep.analysis import Analysis

__all__ = ["solve"]

_ADJOINT = {"N": "H", "H": "N"}


def solve(plan: Analysis, values: torch.Tensor, b: torch.Tensor, trans: Literal["N", "H"] = "N") -> torch.Tensor:
    """Solves A x = b, or with `trans` "H" A^H x = b, where A has the pattern of `plan` and the entries
    `values`.

    `values` holds a matrix's entries, row by row with ascending columns, and b is a vector or a matrix of n
    rows. With a batch dimension in front of both, the systems of the batch are solved in parallel on threads.
    Tensors are on the CPU and have the plan's dtype.

    Raises TypeError or ValueError when they do not fit, and NumericalError when a matrix is singular.
    """
    dtype = torch.from_numpy(np.empty(0, plan.dtype)).dtype
    for name, tensor in (("values", values), ("b", b)):
        if tensor.dtype != dtype or tensor.device.type != "cpu":
            raise TypeError(f"{name} is {tensor.dtype} on {tensor.device}: {dtype} of the CPU is needed")
    if trans not in _ADJOINT:
        raise ValueError(f"trans is {trans!r}, not one of 'N' and 'H'")
    return _Solve.apply(values, b, Factors(plan), trans)


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(values: torch.Tensor, b: torch.Tensor, factors: Factors, trans: str) -> torch.Tensor:
        entries, right = (tensor.detach().resolve_conj().resolve_neg().numpy() for tensor in (values, b))
        x = factors.solve(entries, right, trans, keep=values.requires_grad or b.requires_grad)
        return torch.from_numpy(np.ascontiguousarray(x))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:  # noqa: ANN401
        values, _, ctx.factors, ctx.trans = inputs
        ctx.save_for_backward(values, output)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple:  # noqa: ANN401
        """With op(A)^H w = gradient, the gradient is w for b, and -w x^H for op(A), on the pattern of A."""
        values, x = ctx.saved_tensors
        w = _Solve.apply(values, gradient, ctx.factors, _ADJOINT[ctx.trans])
        of_values = None
        if ctx.needs_input_grad[0]:
            row, column = (torch.from_numpy(index) for index in ctx.factors.plan.entries)
            left, right = (w, x) if ctx.trans == "N" else (x, w)
            axis = values.ndim - 1  # of the vectors' rows
            of_values = -left.index_select(axis, row) * right.index_select(axis, column).conj()
            if of_values.ndim > values.ndim:
                of_values = of_values.sum(-1)
        return of_values, w, None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple, values: torch.Tensor, b: torch.Tensor, factors: Factors, trans: str) -> tuple:  # noqa: ANN401
        of_values, of_b = in_dims[:2]
        if of_values is None:  # the same matrices, more right-hand sides
            columns = b.movedim(of_b, -1)
            x = _Solve.apply(values, columns.reshape(*columns.shape[: values.ndim], -1), factors, trans)
            return x.reshape(columns.shape), columns.ndim - 1
        values = values.movedim(of_values, 0)
        b = b.expand(info.batch_size, *b.shape) if of_b is None else b.movedim(of_b, 0)
        in_front = values.ndim - 1  # dimensions
        x = _Solve.apply(values.flatten(0, -2), b.flatten(0, in_front - 1), Factors(factors.plan), trans)
        return x.reshape(b.shape), 0
