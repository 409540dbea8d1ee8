"""The definition of an experiment."""

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
    """A study of one of the papers: `measure` makes the table, `draw` the figure from the table alone."""

    name: str
    title: str
    paper: str  # the paper and figure that it repeats
    measure: Callable[[Lab], Table]
    draw: Callable[[Table], Figure]
    settings: Settings
    quick: Settings  # for a try that takes seconds
    takes: tuple[str, ...] = ("matrix", "grid", "ranks", "nrhs")  # options that it uses
    predicts: bool = False  # times are predicted by the model
    grids_of: Callable[[int], tuple[Grid, ...]] = _one_square_layer  # the grids for --ranks P
