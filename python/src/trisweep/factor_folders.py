"""Folders with a matrix and its factors, as `trisweep factor -o` writes and `solve --factors` reads them."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    """Collective; rank 0 reads. `rows`: numbers of this rank's rows; None on all ranks: even blocks."""
    numbers = ranks.gather(ranks.agree(lambda: None if rows is None else np.asarray(rows).astype(np.int32)))
    return Loaded(*ranks.deal(ranks.on_root(lambda: _read(path, numbers))))


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


def _read(path: str | os.PathLike[str], numbers: list[np.ndarray | None]) -> list[tuple[sparse.csr_array, str]]:
    """Returns for each rank its block of the matrix and the precision."""
    if not Path(os.fsdecode(path)).exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fsdecode(path))
    (indptr, indices, data), precision = _core.load_factored_matrix(os.fsdecode(path))
    n = len(indptr) - 1
    a = sparse.csr_array((data, indices, indptr), shape=(n, n))
    if all(number is None for number in numbers):
        numbers = np.array_split(np.arange(n), len(numbers))
    for number in numbers:
        if number is None or number.ndim != 1 or not np.all((number >= 0) & (number < n)):
            raise ValueError(f"rows are not a list of numbers among {n} rows, from 0, on each rank")
    precision = "mixed" if precision == "mixed" else "double"
    return [(a[number], precision) for number in numbers]
