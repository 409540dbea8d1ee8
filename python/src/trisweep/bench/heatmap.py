"""Maps of each rank's communication with flat and with binary trees.

CSC'18, section 4.1 (Fig. 3, 4): messages and bytes of each process at its place in the process grid; flat
trees load the diagonal. For grids too large to run here the plan is used: it has the same messages."""

import numpy as np
from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid, parse_grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings
from trisweep.runs import Traffic
from trisweep.tables import Column, Table

TREES = ("flat", "binary")
UNITS = ("messages", "bytes")
LARGEST_RUN = 64  # ranks

COLUMNS = (
    *CASE_COLUMNS,
    Column("source", "from"),
    Column("tree", "tree"),
    Column("messages", "messages, busiest rank", "d"),
    Column("imbalance", "busiest / mean", ".2f"),
    Column("bytes", "bytes, busiest rank", "d"),
    Column("fewer", "flat / messages", ".2f"),
)


def _traffic(lab: Lab, case: Case) -> tuple[str, Traffic]:
    """Returns the source, a run or the plan, and the traffic; that of a run must equal that of its plan."""
    plan = lab.traffic("plan", case)
    if case.grid.ranks > LARGEST_RUN:
        return "the plan", plan
    run = lab.traffic("solve", case)
    for unit in UNITS:
        if not np.array_equal(run.matrix(getattr(run, unit)), plan.matrix(getattr(plan, unit))):
            raise AssertionError(f"{case}: {unit} of the run are not those of the plan")
    return "a run", run


def _row(case: Case, source: str, traffic: Traffic) -> dict:
    messages, volume = traffic.per_rank(traffic.messages), traffic.per_rank(traffic.bytes)
    return {
        **case.row,
        "source": source,
        "messages": int(messages.max()),
        "imbalance": float(messages.max() / max(messages.mean(), 1)),
        "bytes": int(volume.max()),
        "messages_of_ranks": messages.astype(int).tolist(),
        "bytes_of_ranks": volume.astype(int).tolist(),
    }


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system, grid in lab.settings.points:
        cases = [Case(system, grid, ("--tree", tree), {"tree": tree}) for tree in TREES]
        rows = [_row(case, *_traffic(lab, case)) for case in cases]
        table.rows += [{**row, "fewer": rows[0]["messages"] / max(row["messages"], 1)} for row in rows]
    return table


def draw(table: Table) -> Figure:
    """Messages of each rank at its place in the grid; each grid has its own line, to fit narrow pages."""
    groups = table.groups("matrix", "nrhs", "grid")
    figure, axes = plots.new_figure(len(groups), len(TREES), width=2.6, height=2.3)
    for line, ((matrix, nrhs, grid), rows) in zip(axes, groups.items(), strict=True):
        maps = [at_place(row["messages_of_ranks"], parse_grid(grid)) for row in rows]
        plots.heat_maps(figure, line, maps, "messages")
        for panel, row in zip(line, rows, strict=True):
            panel.set_title(f"{row['tree']}, {grid}: busiest {row['messages']:,}", fontsize=8)
            panel.set_xlabel("process column", fontsize=8)
        line[0].set_ylabel(f"{plots.system_title(matrix, nrhs)}\nprocess row", fontsize=8)
    return figure


def at_place(values: list[int], grid: Grid) -> np.ndarray:
    """Arranges values by rank: process rows downwards, process columns to the right, layers side by side."""
    layers = np.array(values).reshape(grid.pz, grid.px, grid.py)
    return np.concatenate(list(layers), axis=1)


EXPERIMENT = Experiment(
    name="heatmap",
    title="messages and bytes of every rank, flat beside binary trees",
    paper="CSC'18, Fig. 3 and 4",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("s2d9:512",), grids=(Grid(8, 8, 1), Grid(16, 16, 1), Grid(64, 64, 1))),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(3, 2, 1),)),
)
