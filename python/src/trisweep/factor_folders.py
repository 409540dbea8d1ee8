"""Folders with a matrix and its factors, as `trisweep factor -o` writes and `solve --factors` reads them."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from trisweep import _core
from trisweep.ranks import Ranks


class Loaded(NamedTuple):
    """This rank's part of the matrix in a folder."""

    block: sparse.csr_array
    """This rank's rows, with all columns."""
    precision: str
    """As the option of `splu`."""


def save(ranks: Ranks, compiled: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401
    """Saves the compiled solver's matrix and factors. Collective; each rank writes the panels it factors."""
    # The folder is opened first, so that a wrong path fails before the factorization.
    folder = ranks.on_root(lambda: _on_disk(lambda: _core.FactorFolder(os.fsdecode(path))))
    factored = compiled.factored()
    _on_disk(lambda: factored.save(ranks.handle, folder))


def load(ranks: Ranks, path: str | os.PathLike[str], rows: ArrayLike | None) -> Loaded:
    """Collective; each rank reads its rows. `rows`: their numbers; None on all ranks: even blocks."""
    if ranks.any(rows is None) and ranks.any(rows is not None):
        raise ValueError("rows are given on some ranks alone\n  remedy: give them on all ranks, or on none")
    return ranks.agree(lambda: _read(ranks, os.fsdecode(path), rows))


def packed(compiled: Any) -> dict[str, bytes]:  # noqa: ANN401
    """Returns the contents of the files that `save` writes, by name. For a solver of one process."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "factors"
        save(Ranks(None), compiled, folder)
        return {file.name: file.read_bytes() for file in folder.iterdir()}


@contextmanager
def unpacked(files: dict[str, bytes]) -> Iterator[Path]:
    """Writes these files into a temporary folder, which is removed at the end of the context."""
    with TemporaryDirectory() as place:
        for name, content in files.items():
            (Path(place) / name).write_bytes(content)
        yield Path(place)


def _on_disk(work: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Returns work(); turns its RuntimeError into an OSError, which Python raises where files fail."""
    try:
        return work()
    except RuntimeError as error:
        raise OSError(str(error)) from None


def _read(ranks: Ranks, path: str, rows: ArrayLike | None) -> Loaded:
    if not Path(path).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    n, precision = _core.saved_system(path)
    blocks = np.array_split(np.arange(n), ranks.size)
    number = blocks[ranks.rank] if rows is None else np.asarray(rows).astype(np.int32)
    if number.ndim != 1 or not np.all((number >= 0) & (number < n)):
        raise ValueError(f"rows are not a list of numbers among {n} rows, from 0, on each rank")
    block = _chosen_rows(path, number, [block[0] for block in blocks if block.size] + [n])
    return Loaded(block, "mixed" if precision == "mixed" else "double")


def _chosen_rows(path: str, number: np.ndarray, bounds: list[int]) -> sparse.csr_array:
    """Rows `number` of the matrix, of those between two bounds after the others: no rank reads much at once."""
    order = np.argsort(number, kind="stable")
    ascending = number[order]
    parts = [_consecutive_rows(path, 0, 0, bounds[-1])]
    for begin, end in pairwise(np.searchsorted(ascending, bounds)):
        if begin < end:
            first, last = int(ascending[begin]), int(ascending[end - 1]) + 1
            parts.append(_consecutive_rows(path, first, last, bounds[-1])[ascending[begin:end] - first])
    return sparse.vstack(parts, format="csr")[np.argsort(order)]


def _consecutive_rows(path: str, first: int, last: int, n: int) -> sparse.csr_array:
    indptr, indices, data = _core.load_rows(path, first, last)
    return sparse.csr_array((data, indices, indptr), shape=(last - first, n))
