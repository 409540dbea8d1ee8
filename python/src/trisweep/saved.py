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
    """Loads the solver that `Solver.save` or `trisweep factor -o` has saved in the folder `path`; nothing is
    factored.

    With `comm`, a communicator of mpi4py, all its ranks, any number, call this together with the same `path`:
    each rank reads its rows of the matrix, and the panels that it applies. `rows` then lists on every rank the
    numbers in A of that rank's rows; None: the ranks have even blocks of rows, `np.array_split(np.arange(n),
    comm.size)[comm.rank]`.

    dtype and precision are those saved; a matrix factored by the command is float64 or complex128, or
    with `--precision float` float32 or complex64. `threads`, `device`, `refine` and `deterministic` are as in
    `splu`. The ordering is the saved one; if new values (`Solver.refactor`) need another, it is chosen as by
    "auto". `compress` keeps the order of the rows within panels, which suits it best if the factors were made
    with `compress`, too.

    Raises FileNotFoundError when `path` does not exist, ValueError when the folder is damaged or of another
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
    """Returns the solver from the files of a folder, by name, and the options of `splu`."""
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
