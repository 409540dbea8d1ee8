"""Threads inside a rank.

CSC'18, section 4.2 (Fig. 5): the speedup with threads over one thread, the process grid fixed, falls as the number of
ranks grows, because each rank then has less work that is ready."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import Case, Lab, Settings, seconds, time_ratio
from trisweep.tables import Column, Table, spread

COLUMNS = (
    Column("matrix", "matrix"),
    Column("nrhs", "right-hand sides", "d"),
    Column("grid", "grid"),
    Column("threads", "threads per rank", "d"),
    Column("speedup", "time of one thread / time", ".2f"),
)


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    counts = dict.fromkeys((1, *lab.settings.threads))
    for system in lab.settings.systems:
        for grid in lab.settings.grids:
            cases = [Case(system, grid, ("--threads", str(count)), {"threads": count}) for count in counts]
            records = lab.measure(cases)
            table.rows += [
                {**case.row, "seconds": spread(map(seconds, rounds)), "speedup": time_ratio(records[0], rounds)}
                for case, rounds in zip(cases, records, strict=True)
            ]
    return table


def draw(table: Table) -> Figure:
    systems = table.groups("matrix", "nrhs")
    figure, axes = plots.new_figure(1, len(systems))
    for one, (system, rows) in zip(axes.flat, systems.items(), strict=True):
        values = {(row["grid"], row["threads"]): row["speedup"] for row in rows}
        grids, counts = (list(dict.fromkeys(row[key] for row in rows)) for key in ("grid", "threads"))
        names = {count: f"{count} thread{'s' if count > 1 else ''}" for count in counts}
        plots.bars(one, grids, {names[count]: [values[grid, count] for grid in grids] for count in counts})
        plots.reference(one)
        one.set_ylabel("time of one thread / time")
        one.set_title(plots.system_title(*system), fontsize=9)
    plots.legend(figure, axes[0, 0])
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
