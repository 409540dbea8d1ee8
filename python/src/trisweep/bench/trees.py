"""Compares flat and binary communication trees: time of a solve, and messages of the busiest rank.

CSC'18, sections 4.1 and 4.3 (Fig. 6, 7): with flat trees the diagonal ranks send and receive everything;
binary trees distribute these messages. Grids that are too large to run here are only planned: messages
without times."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, busiest_rank, exact_count, seconds, time_ratio
from trisweep.tables import Column, Table, pivot, spread

TREES = ("flat", "binary", "auto")
LARGEST_RUN = 64  # ranks: beyond that, a machine with two cores takes seconds for one solve

COLUMNS = (
    *CASE_COLUMNS,
    Column("tree", "tree"),
    Column("time_ratio", "time / flat", ".2f"),
    Column("messages", "messages, busiest rank", "d"),
    Column("fewer", "flat / messages", ".2f"),
)


def _rows(lab: Lab, cases: list[Case]) -> list[dict]:
    plans = [lab.plan(case) for case in cases]
    is_run = cases[0].grid.ranks <= LARGEST_RUN
    records = lab.measure(cases) if is_run else [[] for _ in cases]
    flat = records[TREES.index("flat")]
    return [
        {
            **case.row,
            "seconds": spread(map(seconds, rounds)) if is_run else None,
            "time_ratio": time_ratio(rounds, flat) if is_run else None,
            "messages": exact_count([plan, *rounds], busiest_rank),
        }
        for case, plan, rounds in zip(cases, plans, records, strict=True)
    ]


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system, grid in lab.settings.points:
        rows = _rows(lab, [Case(system, grid, ("--tree", tree), {"tree": tree}) for tree in TREES])
        flat = rows[TREES.index("flat")]["messages"]
        table.rows += [{**row, "fewer": flat / row["messages"] if row["messages"] else None} for row in rows]
    if any(row["time_ratio"] is None for row in table.rows):
        table.notes.append("Rows without a time are of the plan: those grids were not run.")
    return table


def draw(table: Table) -> Figure:
    systems = table.groups("matrix", "nrhs")
    figure, axes = plots.new_figure(len(systems), 2)
    for (times, messages), (system, rows) in zip(axes, systems.items(), strict=True):
        timed = [row for row in rows if row["time_ratio"]]
        plots.bars(times, *pivot(timed, "grid", "tree", "time_ratio", TREES))
        plots.reference(times)
        times.set_title(plots.system_title(*system), fontsize=9)
        times.set_ylabel("time / time with flat trees")
        plots.bars(messages, *pivot(rows, "grid", "tree", "messages", TREES))
        messages.set_title("sent and received in one solve", fontsize=9)
        messages.set_ylabel("messages of the busiest rank")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="trees",
    title="flat and binary communication trees: solve time, messages of the busiest rank",
    paper="CSC'18, Fig. 6 and 7",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("s2d9:256",),
        grids=(Grid(2, 2, 1), Grid(4, 4, 1), Grid(8, 8, 1), Grid(16, 16, 1), Grid(64, 64, 1)),
        nrhs=(1, 50),
        rounds=3,
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(3, 2, 1),), rounds=1, repeats=2),
)
