"""Breaks down the speedup of SC'23, Fig. 4, into steps from the published baseline to the proposed 3D
algorithm, predicted on one grid, without and with noise (docs/model.md), which adds waiting."""

from statistics import geometric_mean
from typing import Any

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid, square_grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, System
from trisweep.tables import Column, Spread, Table, spread, spread_of_ratios

MACHINE = "cori-haswell"
SIGMA = 1

PLANS = {
    "published": ("published", "flat"),
    "packed": ("published-packed", "flat"),
    "level-sync flat": ("level-sync", "flat"),
    "level-sync": ("level-sync", "binary"),
    "single-sync flat": ("single-sync", "flat"),
    "single-sync": ("single-sync", "binary"),
}
# For each step its meaning and the plans whose ratio of times it is. The ratios of STEPS multiply to the
# whole.
STEPS = {
    "packing": ("one message between two ranks instead of one per supernode", "published", "packed"),
    "collectives": ("messages of those that need them instead of blocking collectives", "packed", "level-sync flat"),
    "trees": ("binary instead of flat trees", "level-sync flat", "level-sync"),
    "replication": ("one synchronization of layers, with replicated work", "level-sync", "single-sync"),
}
WHOLE = ("published", "single-sync")
OTHER_ORDER = {
    "replication_first": ("level-sync flat", "single-sync flat"),
    "trees_last": ("single-sync flat", "single-sync"),
}

COLUMNS = (
    *CASE_COLUMNS,
    Column("noise", "noise", "g"),
    Column("milliseconds", "published, ms", ".3g"),
    *(Column(step, step, ".2f") for step in STEPS),
    Column("whole", "all of it", ".2f"),
    Column("replication_first", "replication, with flat trees", ".2f"),
    Column("trees_last", "trees, after it", ".2f"),
)


def _noise(sigma: float, seed: int) -> tuple[str, ...]:
    return ("--noise", f"{sigma:g}", "--seed", str(seed)) if sigma else ()


def _row(lab: Lab, system: System, grid: Grid, sigma: float) -> dict[str, Any]:
    def seconds(plan: str, seed: int) -> float:
        schedule, tree = PLANS[plan]
        options = ("--machine", MACHINE, "--schedule", schedule, "--tree", tree, *_noise(sigma, seed))
        return lab.predict(Case(system, grid, options))["solve"]["seconds_min"]

    seeds = range(1, lab.settings.rounds + 1) if sigma else (0,)
    times = {plan: [seconds(plan, seed) for seed in seeds] for plan in PLANS}

    def ratio(slow: str, fast: str) -> Spread:
        return spread_of_ratios(times[slow], times[fast])

    return {
        **Case(system, grid).row,
        "ranks": grid.ranks,
        "pz": grid.pz,
        "noise": sigma,
        "milliseconds": spread(1e3 * seconds for seconds in times["published"]),
        **{step: ratio(slow, fast) for step, (_, slow, fast) in STEPS.items()},
        "whole": ratio(*WHOLE),
        **{step: ratio(slow, fast) for step, (slow, fast) in OTHER_ORDER.items()},
        # Only in the JSON: the times themselves, which show what noise costs each plan.
        "milliseconds_of_plans": {plan: 1e3 * geometric_mean(values) for plan, values in times.items()},
    }


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system, grid in lab.settings.points:
        table.rows += [_row(lab, system, grid, sigma) for sigma in (0, SIGMA)]
    table.notes.append(
        "Ratios of times of two plans on the same grid, those of the first four multiply to all of it. "
        + "; ".join(f"{step}: {what}" for step, (what, _, _) in STEPS.items())
        + f". With noise: median (smallest to largest) of {lab.settings.rounds} seeds. Predicted for {MACHINE}."
    )
    return table


def draw(table: Table) -> Figure:
    """The ratio of each step, and of the whole, over Pz."""
    quiet = Table(table.columns, [row for row in table.rows if row["noise"] == 0])
    figure, facets = plots.facets(quiet, "matrix", "ranks", columns=2, width=4.6, height=3.2)
    for axes, rows in facets:
        layers = [row["pz"] for row in rows]
        for place, key in enumerate((*STEPS, "whole")):
            label = "all of it" if key == "whole" else key
            plots.curve(axes, layers, [row[key].median for row in rows], label=label, colour=place, style=0)
        plots.log2_axis(axes, layers, "Pz")
        axes.set_ylabel("ratio of predicted times")
    plots.legend(figure, columns=3)
    return figure


def _grids(ranks: int) -> tuple[Grid, ...]:
    return tuple(square_grid(ranks, pz) for pz in (2, 4, 8, 16, 32) if ranks % pz == 0)


EXPERIMENT = Experiment(
    name="sc23-baseline",
    title="from the published baseline to the proposed 3D algorithm, step by step",
    paper="SC'23, Fig. 4",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("s2d9:1024", "kkt3d:25", "cage:10"), grids=_grids(512), rounds=3),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(2, 1, 2), Grid(1, 1, 4)), rounds=2),
    takes=("matrix", "grid", "ranks", "nrhs", "rounds", "cache"),
    grids_of=_grids,
    predicts=True,
)
