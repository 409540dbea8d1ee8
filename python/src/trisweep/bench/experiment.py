"""What an experiment is."""

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

from trisweep.grids import Grid, square_grid
from trisweep.lab import Lab, Settings
from trisweep.tables import Table


def _one_square_layer(ranks: int) -> tuple[Grid, ...]:
    return (square_grid(ranks),)


@dataclass(frozen=True)
class Experiment:
    """A study of one of the papers: `measure` makes the table, and `draw` the figure from nothing but the table."""

    name: str
    title: str
    paper: str  # what it re-runs
    measure: Callable[[Lab], Table]
    draw: Callable[[Table], Figure]
    settings: Settings
    quick: Settings  # a try in seconds
    takes: tuple[str, ...] = ("matrix", "grid", "ranks", "nrhs")  # which options of the command mean something here
    predicts: bool = False  # its times are the model's
    grids_of: Callable[[int], tuple[Grid, ...]] = _one_square_layer  # the grids for --ranks P
