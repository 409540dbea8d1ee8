"""Solvers whose factors were saved or pickled."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from trisweep import factor_folders
from trisweep.ranks import Ranks
from trisweep.solver import Solver, solver_of
from trisweep.system import System

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import ArrayLike

    from trisweep.options import Device


def load(
    path: str | os.PathLike[str],
    *,
    comm: MPI.Comm | None = None,
    rows: ArrayLike | None = None,
    threads: int | None = 0,
    device: Device = "native",
    compress: float | Literal["off", "auto"] = "off",
    refine: Literal["auto", "best"] = "auto",
    deterministic: bool = False,
) -> Solver:
    """The solver that `Solver.save`, or `trisweep factor -o`, has saved in the folder `path`; nothing is factored.

    With `comm`, a communicator of mpi4py, all its ranks call this together, as many as they are, with the same `path`:
    rank 0 reads the matrix, and each rank the panels that it applies. `rows` are then the numbers in A of this rank's
    rows, a list on every rank; None: the ranks have even blocks of them,
    `np.array_split(np.arange(n), comm.size)[comm.rank]`.

    dtype and precision are those of the folder; a matrix that the command has factored is of float64 or complex128, or
    with `--precision float` of float32 or complex64. `threads`, `device`, `refine` and `deterministic` have the
    meanings of `splu`, which also has the order: where other values need another order (`Solver.refactor`), it is
    "auto". `compress` works on the panels as they were ordered when they were factored, and does best where that was
    with `compress`, too.

    Raises FileNotFoundError where there is nothing of that name, ValueError when the folder is damaged or of another
    kind or version, or an option is out of range, and RuntimeError when memory, MPI or the device is missing.

    >>> trisweep.splu(a).save("a.factors")
    >>> trisweep.load("a.factors", threads=2).solve(b).round(6)
    array([2.5, 4. , 4.5, 4. , 2.5])
    """
    options = {
        "threads": threads,
        "device": device,
        "compress": compress,
        "refine": refine,
        "deterministic": deterministic,
    }
    return _loaded(path, comm, rows, options)


def unpickled(files: dict[str, bytes], options: dict[str, Any]) -> Solver:
    """Of the files of a folder, and the options of `splu`."""
    with factor_folders.unpacked(files) as folder:
        return _loaded(folder, None, None, options)


def _loaded(
    path: str | os.PathLike[str],
    comm: MPI.Comm | None,
    rows: ArrayLike | None,
    options: dict[str, Any],
) -> Solver:
    block, precision = factor_folders.load(Ranks(comm), path, rows)
    system = System(block, comm, rows, {**options, "precision": precision})
    return solver_of(system, os.fsdecode(path))
