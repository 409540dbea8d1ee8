"""Compares the model with real runs on this machine, which `trisweep machines --measure` describes in the
same round: this shows the error of model and description together (docs/model.md).

Not from a paper. On a cluster, or a stand-in for one, TRISWEEP_MPIRUN names the launcher. With more ranks
than cores a rank that waits for a message also waits for a core, which no description contains."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, System, message_totals
from trisweep.runs import Record, scratch_folder
from trisweep.tables import Column, Table, spread

PLANS = {
    "block-cyclic": ("--tree", "binary"),
    "block-cyclic, level-sync": ("--tree", "binary", "--schedule", "level-sync"),
    "proportional": ("--mapping", "proportional"),
    "proportional, inverted separators": ("--mapping", "proportional", "--diagonal", "separators"),
}
TRANSPORTS = ("two-sided", "shared")  # left out if the machine lacks them

COLUMNS = (
    *CASE_COLUMNS,
    Column("plan", "plan"),
    Column("transport", "transport"),
    Column("messages", "messages", "d"),
    Column("predicted", "predicted, ms", ".3g"),
    Column("measured", "measured, ms", ".3g"),
    Column("ratio", "measured / predicted", ".2f"),
)


def _milliseconds(record: Record) -> float:
    """Returns the time of both sweeps and the inter-grid exchange, the parts that are compared."""
    return 1e3 * sum(record["solve"][part] for part in ("l_seconds", "u_seconds", "inter_grid_seconds"))


def _plans(grid: Grid) -> list[str]:
    """The plans that differ on this grid: on one rank all are the same; only block-cyclic ones use layers."""
    if grid.ranks == 1:
        return ["block-cyclic"]
    if grid.pz > 1:
        return ["block-cyclic", "block-cyclic, level-sync"]
    return ["block-cyclic", "proportional", "proportional, inverted separators"]


def _cases(system: System, grid: Grid) -> list[Case]:
    transports = TRANSPORTS if grid.ranks > 1 else TRANSPORTS[:1]
    return [
        Case(system, grid, (*PLANS[plan], "--transport", transport), {"plan": plan, "transport": transport})
        for plan in _plans(grid)
        for transport in transports
    ]


@dataclass(frozen=True)
class Times:
    """Times in milliseconds; messages of all ranks."""

    predicted: float
    measured: float
    messages: int


def _round(lab: Lab, cases: list[Case], folder: Path) -> list[Times | None]:
    """Returns the times of each case; None if the machine lacks its transport."""
    machines: dict[int, Record] = {}
    for ranks in sorted({max(case.grid.ranks, 2) for case in cases}):
        lab.show(f"machine, {ranks} ranks")
        machines[ranks] = lab.trisweep.document(["machines", "--measure"], ranks)
        (folder / f"here-{ranks}.json").write_text(json.dumps(machines[ranks]))
    times: list[Times | None] = []
    for case in cases:
        lab.show(str(case))
        ranks = max(case.grid.ranks, 2)
        if case.labels["transport"].replace("-", "_") not in machines[ranks]:
            times.append(None)
            continue
        words = [str(lab.matrix(case.system.matrix)), "--grid", str(case.grid), *case.words, "--no-floors"]
        predicted = lab.trisweep.document(["predict", *words, "--machine", str(folder / f"here-{ranks}.json")])
        measured = lab.solve(case)
        times.append(Times(_milliseconds(predicted), _milliseconds(measured), sum(message_totals(measured))))
    return times


def measure(lab: Lab) -> Table:
    cases = [case for system, grid in lab.settings.points for case in _cases(system, grid)]
    with scratch_folder() as folder:
        rounds = [_round(lab, cases, Path(folder)) for _ in range(lab.settings.rounds)]
    table = Table(COLUMNS, [])
    for case, all_times in zip(cases, zip(*rounds, strict=True), strict=True):
        times = [one for one in all_times if one is not None]
        if not times:
            continue
        row: dict[str, Any] = {
            **case.row,
            "messages": times[0].messages,
            "predicted": spread(one.predicted for one in times),
            "measured": spread(one.measured for one in times),
            "ratio": spread(one.measured / one.predicted for one in times),
        }
        table.rows.append(row)
    table.notes.append("A description of the machine for each round; of each part of a solve the median of a round.")
    return table


def draw(table: Table) -> Figure:
    figure, facets = plots.facets(table, "matrix", "nrhs")
    for axes, rows in facets:
        places = [f"{row['grid']}\n{row['plan']}\n{row['transport']}" for row in rows]
        plots.bars(axes, places, {"measured / predicted": [row["ratio"] for row in rows]})
        plots.reference(axes)
        axes.set_ylabel("measured / predicted")
    return figure


EXPERIMENT = Experiment(
    name="measured",
    title="the model beside real runs on this machine",
    paper="validation of the model",
    measure=measure,
    draw=draw,
    settings=Settings(
        # Their factors are larger than the caches.
        matrices=("s2d9:512", "poisson3d:40", "convection3d:40", "maxwell3d:20", "elasticity3d:16", "fusion:8"),
        grids=(Grid(1, 1, 1), Grid(2, 1, 1), Grid(2, 2, 1)),
        rounds=3,
        repeats=100,  # a solve takes about a millisecond, and the machine may be shared
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(1, 1, 1), Grid(2, 1, 1)), rounds=1, repeats=2),
)
