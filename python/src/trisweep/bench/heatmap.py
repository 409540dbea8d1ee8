"""Who communicates how much, with flat and with binary trees.

CSC'18, section 4.1 (Fig. 3, 4): messages and bytes of every process at its place in the process grid; flat trees heat
the diagonal. For small grids also from whom to whom. Grids too large to run here are planned: no message differs."""

import numpy as np
from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid, parse_grid
from trisweep.lab import Case, Lab, Settings
from trisweep.runs import Traffic
from trisweep.tables import Column, Table

TREES = ("flat", "binary")
UNITS = ("messages", "bytes")
LARGEST_RUN = 64  # ranks
LARGEST_PAIRS = 64  # ranks up to which the map of pairs can be read

COLUMNS = (
    Column("matrix", "matrix"),
    Column("nrhs", "right-hand sides", "d"),
    Column("grid", "grid"),
    Column("command", "from"),
    Column("tree", "tree"),
    Column("messages", "messages, busiest rank", "d"),
    Column("imbalance", "busiest / mean", ".2f"),
    Column("bytes", "bytes, busiest rank", "d"),
    Column("fewer", "flat / messages", ".2f"),
)


def _row(case: Case, command: str, traffic: Traffic) -> dict:
    messages, volume = traffic.per_rank(traffic.messages), traffic.per_rank(traffic.bytes)
    row = {
        **case.row,
        "command": {"solve": "a run", "plan": "the plan"}[command],
        "messages": int(messages.max()),
        "imbalance": float(messages.max() / max(messages.mean(), 1)),
        "bytes": int(volume.max()),
        "messages_of_ranks": messages.astype(int).tolist(),
        "bytes_of_ranks": volume.astype(int).tolist(),
    }
    if traffic.ranks <= LARGEST_PAIRS:
        row["messages_of_pairs"] = traffic.matrix(traffic.messages).astype(int).tolist()
        row["bytes_of_pairs"] = traffic.matrix(traffic.bytes).astype(int).tolist()
    return row


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system in lab.settings.systems:
        for grid in lab.settings.grids:
            command = "solve" if grid.ranks <= LARGEST_RUN else "plan"
            cases = [Case(system, grid, ("--tree", tree), {"tree": tree}) for tree in TREES]
            rows = [_row(case, command, lab.traffic(command, case)) for case in cases]
            table.rows += [{**row, "fewer": rows[0]["messages"] / max(row["messages"], 1)} for row in rows]
    return table


def draw(table: Table) -> Figure:
    lines = []  # (title, unit, a map for each tree) twice for each line of the figure
    for (matrix, nrhs, grid), rows in table.groups("matrix", "nrhs", "grid").items():
        title = f"{plots.system_title(matrix, nrhs)}, {grid}"
        shape = parse_grid(grid)
        at_place = [[_at_place(row[f"{unit}_of_ranks"], shape) for row in rows] for unit in UNITS]
        lines.append((title, "process", rows, at_place))
        if "messages_of_pairs" in rows[0]:
            pairs = [[np.array(row[f"{unit}_of_pairs"]) for row in rows] for unit in UNITS]
            lines.append((title, "pair", rows, pairs))
    figure, axes = plots.new_figure(len(lines), 2 * len(TREES), width=2.6, height=2.6)
    for line, (title, of, rows, maps) in zip(axes, lines, strict=True):
        for half, (unit, pair) in enumerate(zip(UNITS, maps, strict=True)):
            panels = line[half * len(TREES) : (half + 1) * len(TREES)]
            plots.heat_maps(figure, panels, pair, f"{unit} of a {of}")
            for panel, row in zip(panels, rows, strict=True):
                panel.set_title(f"{row['tree']}: busiest {row[unit]:,}", fontsize=8)
        line[0].set_ylabel(title if of == "process" else "sender", fontsize=7)
    return figure


def _at_place(values: list[int], grid: Grid) -> np.ndarray:
    """Process rows down, process columns across, layers side by side."""
    layers = np.array(values).reshape(grid.pz, grid.py, grid.px)
    return np.concatenate([layer.T for layer in layers], axis=1)


EXPERIMENT = Experiment(
    name="heatmap",
    title="messages and bytes of every rank, flat beside binary trees",
    paper="CSC'18, Fig. 3 and 4",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("s2d9:512",), grids=(Grid(8, 8, 1), Grid(16, 16, 1), Grid(64, 64, 1))),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(3, 2, 1),)),
)
