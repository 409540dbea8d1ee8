"""The model beside real runs on this machine, from a description that `trisweep machines --measure` makes in the same
round: what the model and the description together are worth where both can be seen (docs/model.md).

No paper's. With more ranks than cores a rank that waits for a message also waits for its turn, which no description
says: the ratios then tell of the load."""

import json
import tempfile
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import Case, Lab, Settings, System
from trisweep.runs import Record
from trisweep.tables import Column, Table, spread

TRANSPORT = ("--transport", "two-sided")  # ranks of one node would share memory, which no description has
PLANS = {
    "2D": ("--tree", "binary", *TRANSPORT),
    "proportional, inverted separators": ("--mapping", "proportional", "--diagonal", "separators", *TRANSPORT),
}

COLUMNS = (
    Column("matrix", "matrix"),
    Column("nrhs", "right-hand sides", "d"),
    Column("grid", "grid"),
    Column("plan", "plan"),
    Column("predicted", "predicted, ms", ".3g"),
    Column("measured", "measured, ms", ".3g"),
    Column("ratio", "measured / predicted", ".2f"),
)


def _milliseconds(record: Record) -> float:
    """Of both sweeps and the exchange, which are what is modelled."""
    return 1e3 * sum(record["solve"][part] for part in ("l_seconds", "u_seconds", "inter_grid_seconds"))


def _cases(system: System, grid: Grid) -> list[Case]:
    plans = PLANS if grid.ranks > 1 else {"2D": PLANS["2D"]}
    return [Case(system, grid, options, {"plan": name}) for name, options in plans.items()]


def _round(lab: Lab, cases: list[Case], folder: Path) -> list[tuple[float, float]]:
    """Predicted and measured, of each case."""
    machines: dict[int, Path] = {}
    for ranks in sorted({max(case.grid.ranks, 2) for case in cases}):
        lab.show(f"machine, {ranks} ranks")
        machines[ranks] = folder / f"here-{ranks}.json"
        machines[ranks].write_text(json.dumps(lab.trisweep.document(["machines", "--measure"], ranks)))
    times = []
    for case in cases:
        lab.show(str(case))
        words = [str(lab.matrix(case.system.matrix)), "--grid", str(case.grid), *case.words, "--no-floors"]
        machine = machines[max(case.grid.ranks, 2)]
        predicted = lab.trisweep.document(["predict", *words, "--machine", str(machine)])
        times.append((_milliseconds(predicted), _milliseconds(lab.solve(case))))
    return times


def measure(lab: Lab) -> Table:
    cases = [case for system in lab.settings.systems for grid in lab.settings.grids for case in _cases(system, grid)]
    with tempfile.TemporaryDirectory(prefix="trisweep-bench-") as folder:
        rounds = [_round(lab, cases, Path(folder)) for _ in range(lab.settings.rounds)]
    table = Table(COLUMNS, [])
    for case, times in zip(cases, zip(*rounds, strict=True), strict=True):
        row: dict[str, Any] = {
            **case.row,
            "predicted": spread(predicted for predicted, _ in times),
            "measured": spread(measured for _, measured in times),
            "ratio": spread(measured / predicted for predicted, measured in times),
        }
        table.rows.append(row)
    table.notes.append("A description of the machine for each round; of the solves of a round the last.")
    return table


def draw(table: Table) -> Figure:
    systems = table.groups("matrix", "nrhs")
    figure, axes = plots.new_figure(1, len(systems))
    for one, (system, rows) in zip(axes.flat, systems.items(), strict=True):
        places = [f"{row['grid']}\n{row['plan'].partition(',')[0]}" for row in rows]
        plots.bars(one, places, {"measured / predicted": [row["ratio"] for row in rows]})
        plots.reference(one)
        one.set_ylabel("measured / predicted")
        one.set_title(plots.system_title(*system), fontsize=9)
    return figure


EXPERIMENT = Experiment(
    name="measured",
    title="the model beside real runs on this machine",
    paper="validation of the model",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("s2d9:512", "poisson3d:40", "convection3d:40"),  # whose factors are beyond a cache
        grids=(Grid(1, 1, 1), Grid(2, 1, 1), Grid(2, 2, 1)),
        rounds=3,
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(1, 1, 1), Grid(2, 1, 1)), rounds=1, repeats=2),
)
