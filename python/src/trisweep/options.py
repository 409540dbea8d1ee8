"""The options of solvers, which have the names and meanings of the command's."""

import operator
from typing import Any, Literal, SupportsFloat, SupportsIndex

import numpy as np

from trisweep import _core

Device = Literal["native", "emulated", "cuda", "hip"]


def whole_number(name: str, value: SupportsIndex) -> int:
    """An integer of Python or NumPy as int. Raises TypeError for others, floats too, as NumPy does."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: give a whole number") from None


def real_number(name: str, value: SupportsFloat) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: give a number") from None


def number_of_threads(threads: SupportsIndex | None, least: int = 0) -> int:
    """Returns the number of threads, checked. 0, also for None (if `least` is 0): the library chooses."""
    if threads is None and least == 0:
        return 0
    number = whole_number("threads", threads)
    if not least <= number <= _core.most_threads:
        automatic = ", or 0" if least == 0 else ""
        raise ValueError(f"{number} threads: give a number from 1 to {_core.most_threads}{automatic}")
    return number


def settings_of(
    dtype: np.dtype,
    *,
    threads: int | None = 0,
    device: Device = "native",
    precision: str = "double",
    compress: float | str = "off",
    ordering: str = "auto",
    kind: str = "auto",
    block_triangular: str = "auto",
    factorization: str = "own",
    refine: str = "auto",
    deterministic: bool = False,
) -> dict[str, Any]:
    """The options as the compiled part takes them."""
    for name, value, choices in (
        ("precision", precision, ("double", "mixed")),
        ("refine", refine, ("auto", "best")),
        ("kind", kind, ("auto", "lu", "cholesky", "ldlt")),
        ("block_triangular", block_triangular, ("auto", "on", "off")),
        ("factorization", factorization, ("own", "superlu-dist")),
    ):
        if value not in choices:
            raise ValueError(f"{name} is {value!r}, not one of {', '.join(map(repr, choices))}")
    if precision == "mixed" and np.finfo(dtype).eps > np.finfo(np.float64).eps:
        raise ValueError(f"precision is 'mixed', and the matrix {dtype}: its factors have the lowest precision already")
    for name, value in (("device", device), ("ordering", ordering)):  # the library checks their values
        if not isinstance(value, str):
            raise TypeError(f"{name} is {value!r}: give a string")
    if isinstance(compress, str):
        eps = 0.0 if compress in ("off", "auto") else np.nan
    else:
        eps = real_number("compress", compress)
    if not 0 <= eps < 1:
        raise ValueError(f"compress is {compress!r}: give a relative error from 0 to 1, 'auto' or 'off'")
    return {
        "threads": number_of_threads(threads),
        "device": _core.device_name(device),
        "mixed": precision == "mixed",
        "compress_eps": eps,
        "compress_automatic": isinstance(compress, str) and compress == "auto",
        "ordering": ordering,
        "kind": kind,
        "block_triangular": block_triangular,
        "factorization": factorization,
        "best": refine == "best",
        "deterministic": bool(deterministic),
    }
