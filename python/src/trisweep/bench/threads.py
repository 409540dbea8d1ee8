"""Speedup by threads within a rank.

CSC'18, section 4.2 (Fig. 5): on a fixed process grid, the speedup over one thread decreases as the number of
ranks grows, because each rank has less work that is ready."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, seconds, time_ratio
from trisweep.tables import Column, Table, counted, pivot, spread

COLUMNS = (
    *CASE_COLUMNS,
    Column("threads", "threads per rank", "d"),
    Column("speedup", "time of one thread / time", ".2f"),
)


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    counts = dict.fromkeys((1, *lab.settings.threads))
    for system, grid in lab.settings.points:
        cases = [Case(system, grid, ("--threads", str(count)), {"threads": count}) for count in counts]
        records = lab.measure(cases)
        table.rows += [
            {**case.row, "seconds": spread(map(seconds, rounds)), "speedup": time_ratio(records[0], rounds)}
            for case, rounds in zip(cases, records, strict=True)
        ]
    return table


def draw(table: Table) -> Figure:
    figure, facets = plots.facets(table, "matrix", "nrhs")
    for axes, rows in facets:
        grids, series = pivot(rows, "grid", "threads", "speedup")
        plots.bars(axes, grids, {counted(count, "thread"): values for count, values in series.items()})
        plots.reference(axes)
        axes.set_ylabel("time of one thread / time")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="threads",
    title="threads inside a rank, over numbers of ranks",
    paper="CSC'18, Fig. 5",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("convection3d:20",),
        grids=(Grid(1, 1, 1), Grid(2, 1, 1), Grid(2, 2, 1)),
        nrhs=(1, 50),
        threads=(1, 2, 4),
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(1, 1, 1),), threads=(1, 2), rounds=1, repeats=2),
    takes=("matrix", "grid", "ranks", "nrhs", "threads"),
)
