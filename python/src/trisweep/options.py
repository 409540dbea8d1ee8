"""The options of solvers, which are the command's."""

from typing import Any, Literal

import numpy as np

from trisweep import _core

Device = Literal["native", "emulated", "cuda", "hip"]


def settings_of(
    dtype: np.dtype,
    *,
    threads: int = 0,
    device: Device = "native",
    precision: str = "double",
    compress: float | str = "off",
    ordering: str = "auto",
    kind: str = "auto",
    factorization: str = "own",
    refine: str = "auto",
    deterministic: bool = False,
) -> dict[str, Any]:
    """The options as the compiled part takes them."""
    if not 0 <= threads <= _core.most_threads:
        raise ValueError(f"{threads} threads: give a number from 1 to {_core.most_threads}, or 0")
    for name, value, choices in (
        ("precision", precision, ("double", "mixed")),
        ("refine", refine, ("auto", "best")),
        ("kind", kind, ("auto", "lu", "cholesky", "ldlt")),
        ("factorization", factorization, ("own", "superlu-dist")),
    ):
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
        "kind": kind,
        "factorization": factorization,
        "best": refine == "best",
        "deterministic": bool(deterministic),
    }
