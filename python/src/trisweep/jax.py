"""Solves that JAX differentiates with respect to the entries of the matrix and the right-hand sides.

    from trisweep.jax import solve

    plan = trisweep.analyze(a)                                      # the pattern, once
    x = solve(plan, values, b)                                      # values as those of a.tocsr()
    jax.grad(lambda v: solve(plan, v, b).sum())(values)             # one solve with A^T, by the same factors

Supports reverse-mode derivatives of any order, `jax.jit` and `jax.vmap`. JAX is not installed with trisweep.
Solves are callbacks on the host. Since functions of JAX keep no state, factors are cached here: for each plan
those of the last four sets of values.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from trisweep.differentiable import Factors, require_shapes

if TYPE_CHECKING:
    from trisweep.analysis import Analysis

__all__ = ["solve"]

_TRANSPOSED = {"N": "T", "T": "N"}
_KEPT = 4  # sets of values whose factors are kept for a plan
_factors: weakref.WeakKeyDictionary[Analysis, OrderedDict[bytes, Factors]] = weakref.WeakKeyDictionary()


def solve(plan: Analysis, values: jax.Array, b: jax.Array, trans: Literal["N", "T"] = "N") -> jax.Array:
    """Solves A x = b, or with `trans` "T" A^T x = b, where A has the pattern of `plan` and the entries
    `values`.

    `values` holds a matrix's entries, row by row with ascending columns, and b is a vector or a matrix of n
    rows. With a batch dimension in front of both, the systems of the batch are solved in parallel on threads.
    x has the common dtype of both; it is computed in the plan's dtype, which must be able to hold them.
    Integers are converted to the plan's precision.

    Raises ValueError when shapes or dtypes do not fit, and the errors of callbacks as JAX reports them.
    """
    if trans not in _TRANSPOSED:
        raise ValueError(f"trans is {trans!r}, not one of 'N' and 'T'")
    values, b = _held_by(plan, "values", values), _held_by(plan, "b", b)
    require_shapes(plan, values.shape, b.shape)
    return _solve(plan, trans, values, b)


def _held_by(plan: Analysis, name: str, given: jax.Array) -> jax.Array:
    """`given` as a floating-point array that the plan's dtype can hold; a real plan takes a complex b."""
    real = np.zeros(0, plan.dtype).real.dtype
    array = jnp.asarray(given)
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        array = array.astype(real)
    held = plan.dtype if name == "values" else np.result_type(real, np.complex64)
    if not np.can_cast(array.dtype, held):
        raise ValueError(f"{name} of {array.dtype}: the plan is of {plan.dtype}, which does not hold them")
    return array


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _solve(plan: Analysis, trans: str, values: jax.Array, b: jax.Array) -> jax.Array:
    shape = jax.ShapeDtypeStruct(b.shape, jnp.result_type(values, b))
    call = partial(_on_host, plan, trans, shape.dtype)
    return jax.pure_callback(call, shape, values, b, vmap_method="expand_dims")


def _forward(plan: Analysis, trans: str, values: jax.Array, b: jax.Array) -> tuple[jax.Array, tuple]:
    x = _solve(plan, trans, values, b)
    return x, (values, b, x)


def _backward(plan: Analysis, trans: str, kept: tuple, gradient: jax.Array) -> tuple[jax.Array, jax.Array]:
    """With op(A)^T w = gradient, the gradient is w for b, and -w x^T for op(A), on the pattern of A."""
    values, b, x = kept
    w = _solve(plan, _TRANSPOSED[trans], values, gradient)
    row, column = plan.entries
    left, right = (w, x) if trans == "N" else (x, w)
    of_values = -left[row] * right[column]
    if of_values.ndim > 1:
        of_values = of_values.sum(-1)
    return _of_dtype(of_values, values.dtype), _of_dtype(w, b.dtype)


_solve.defvjp(_forward, _backward)


def _of_dtype(array: jax.Array, dtype: np.dtype) -> jax.Array:
    real = jnp.iscomplexobj(array) and not jnp.issubdtype(dtype, jnp.complexfloating)
    return (array.real if real else array).astype(dtype)


def _on_host(plan: Analysis, trans: str, dtype: np.dtype, values: NDArray, b: NDArray) -> NDArray:
    """`jax.vmap` adds as many batch dimensions to both, of length 1 to an array that is not batched."""
    values, b = np.asarray(values, plan.dtype), np.asarray(b)
    batch = np.broadcast_shapes(values.shape[:-1], b.shape[: values.ndim - 1])
    if not batch:
        return _kept(plan, values).solve(values, b, trans).astype(dtype)
    right = b.shape[values.ndim - 1 :]
    if values.size == values.shape[-1]:  # one matrix, more right-hand sides
        columns = np.moveaxis(b.reshape(-1, *right), 0, -1)
        one = values.reshape(-1)
        x = _kept(plan, one).solve(one, columns.reshape(right[0], -1), trans)
        return np.moveaxis(x.reshape(columns.shape), -1, 0).reshape(*batch, *right).astype(dtype)
    many = np.ascontiguousarray(np.broadcast_to(values, (*batch, values.shape[-1]))).reshape(-1, values.shape[-1])
    x = _kept(plan, many).solve(many, np.broadcast_to(b, (*batch, *right)).reshape(-1, *right), trans)
    return x.reshape(*batch, *right).astype(dtype)


def _kept(plan: Analysis, values: NDArray) -> Factors:
    kept = _factors.setdefault(plan, OrderedDict())
    key = blake2b(np.ascontiguousarray(values)).digest() + bytes(str(values.shape), "ascii")
    factors = kept.pop(key, None) or Factors(plan)
    kept[key] = factors
    while len(kept) > _KEPT:
        kept.popitem(last=False)
    return factors
