"""Breaks down the time of a solve on each rank, in the baseline and in the proposed 3D algorithm.

SC'23, section 4.1: Fig. 5 and 6 show floating-point, intra-grid and inter-grid time, averaged over the ranks;
Fig. 7 and 8 the mean, smallest and largest time of a rank in the L-solve and in the U-solve."""

from collections.abc import Callable

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, seconds
from trisweep.runs import Record
from trisweep.tables import Column, Table, spread

ALGORITHMS = {
    "level-sync": ("--schedule", "level-sync"),
    "single-sync": ("--schedule", "single-sync", "--inter-grid", "sparse"),
}

# Activities of a rank; they add up to its time in both sweeps and the exchange between layers. The idle time,
# in which it waits for a message within the layer, is part of the record's intra-grid time.
ACTIVITIES: dict[str, Callable[[dict], float]] = {
    "floating point": lambda rank: rank["floating_point_seconds"],
    "intra-grid": lambda rank: rank["intra_grid_seconds"] - rank["idle_seconds"],
    "idle": lambda rank: rank["idle_seconds"],
    "inter-grid": lambda rank: rank["inter_grid_seconds"],
}
PHASES: dict[str, Callable[[dict], float]] = {
    "L-solve": lambda rank: rank["l_seconds"],
    "U-solve": lambda rank: rank["u_seconds"],
}

COLUMNS = (
    *CASE_COLUMNS,
    Column("algorithm", "algorithm"),
    *(Column(name, f"{name}, %", ".0f") for name in (*ACTIVITIES, *PHASES)),
)


def _shares(record: Record) -> list[dict[str, float]]:
    """Returns the times of each rank as percentages of the slowest rank's solve."""
    total = max(sum(part(rank) for part in ACTIVITIES.values()) for rank in record["ranks"])
    parts = {**ACTIVITIES, **PHASES}
    return [{name: 100 * part(rank) / total for name, part in parts.items()} for rank in record["ranks"]]


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system in lab.settings.systems:
        cases = [
            Case(system, grid, options, {"algorithm": name})
            for grid in lab.settings.grids
            for name, options in ALGORITHMS.items()
        ]
        for case, rounds in zip(cases, lab.measure(cases), strict=True):
            # All parts of a bar are from one round, the median one, so that they belong together.
            shares = _shares(sorted(rounds, key=seconds)[len(rounds) // 2])
            over_ranks = {name: spread(rank[name] for rank in shares) for name in shares[0]}
            table.rows.append({**case.row, **over_ranks, "ranks": shares})
    table.notes.append(
        "Of the time of the slowest rank; median of the ranks, smallest and largest in parentheses, in the round of "
        "median time."
    )
    return table


def draw(table: Table) -> Figure:
    groups = table.groups("matrix", "nrhs", "grid")
    figure, axes = plots.new_figure(len(groups), len(ALGORITHMS), height=2.6)
    for line, (system, rows) in zip(axes, groups.items(), strict=True):
        for one, row in zip(line, rows, strict=True):
            names = [str(rank) for rank in range(len(row["ranks"]))]
            plots.stacked_bars(one, names, {part: [rank[part] for rank in row["ranks"]] for part in ACTIVITIES})
            one.set_ylim(0, 105)
            one.set_ylabel("% of the solve")
            one.set_title(f"{plots.system_title(*system[:2])}, {row['grid']}, {row['algorithm']}", fontsize=8)
    for one in axes[-1]:
        one.set_xlabel("rank")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="breakdown",
    title="where the time of each rank goes, baseline and proposed 3D algorithm",
    paper="SC'23, Fig. 5 to 8",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("s2d9:256",), grids=(Grid(2, 2, 1), Grid(2, 1, 2), Grid(1, 1, 4)), nrhs=(1, 50), rounds=5
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(2, 1, 2),), rounds=1, repeats=2),
)
