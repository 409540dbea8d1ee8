"""Compares the model with SimGrid, whose MPI runs the library's executor and transports with the same plans.

Not from a paper: it shows how far a second simulator, with another network model, agrees with ours
(docs/model.md)."""

from itertools import combinations
from typing import Any

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.bench.predictions import Series
from trisweep.grids import Grid, square_grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, System, message_totals
from trisweep.tables import Column, Table

MACHINE = "cori-haswell"
PROPORTIONAL = ("--mapping", "proportional")
SEPARATORS = (*PROPORTIONAL, "--diagonal", "separators")
ONE_SIDED = ("--transport", "one-sided")
MOST_ONE_SIDED = 128  # ranks: with 256, SimGrid takes minutes to create the windows of one solve

# Each on the grid with its number of layers whose layers are the most square.
SERIES = (
    *(Series(f"2D, {tree} trees", ("--tree", tree), layers=1) for tree in ("flat", "binary", "auto")),
    *(
        Series(f"{schedule}, Pz = {layers}", ("--schedule", schedule), layers=layers)
        for schedule, layers in (("single-sync", 4), ("single-sync", 16), ("level-sync", 4))
    ),
    Series("proportional", PROPORTIONAL, layers=1),
    Series("proportional, inverted separators", SEPARATORS, layers=1),
    Series("the same, postal trees", (*SEPARATORS, "--tree", "postal"), layers=1),
    Series("2D, binary trees, one-sided", ("--tree", "binary", *ONE_SIDED), layers=1),
    Series("single-sync, Pz = 4, one-sided", ("--schedule", "single-sync", *ONE_SIDED), layers=4),
    Series("inverted separators, postal trees, one-sided", (*SEPARATORS, "--tree", "postal", *ONE_SIDED), layers=1),
)

COLUMNS = (
    *CASE_COLUMNS,
    Column("series", "plan"),
    Column("microseconds", "SimGrid, µs", ".0f"),
    Column("ratio", "model / SimGrid", ".2f"),
    Column("messages", "messages", "d"),
)


def _row(lab: Lab, system: System, series: Series, grid: Grid) -> dict[str, Any]:
    case = Case(system, grid, ("--machine", MACHINE, *series.options), {"series": series.name})
    model, simgrid = lab.predict(case), lab.simulate(case)
    messages = sum(message_totals(model))
    if simgrid["messages"] != messages:
        raise AssertionError(f"SimGrid has {simgrid['messages']:.0f} messages, the model {messages}: {case}")
    return {
        **case.row,
        "ranks": grid.ranks,
        "microseconds": 1e6 * simgrid["seconds"],
        "ratio": model["solve"]["seconds_min"] / simgrid["seconds"],
        "messages": messages,
    }


def _runs(series: Series, ranks: int) -> bool:
    return ranks % series.layers == 0 and ("one-sided" not in series.options or ranks <= MOST_ONE_SIDED)


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system, grid in lab.settings.points:
        table.rows += [
            _row(lab, system, series, square_grid(grid.ranks, series.layers))
            for series in SERIES
            if _runs(series, grid.ranks)
        ]
    for system, rows in table.groups("matrix", "nrhs").items():
        ratios = [row["ratio"] for row in rows]
        table.notes.append(f"{system[0]}: model over SimGrid between {min(ratios):.2f} and {max(ratios):.2f}.")
    table.notes.append(_order(table))
    return table


def _order(table: Table) -> str:
    """A sentence on the pairs of plans for which model and SimGrid disagree on the faster one."""
    pairs, nearness = 0, []
    for rows in table.groups("matrix", "nrhs", "ranks").values():
        for a, b in combinations(rows, 2):
            pairs += 1
            simulated = b["microseconds"] / a["microseconds"]
            predicted = simulated * b["ratio"] / a["ratio"]
            if (simulated < 1) != (predicted < 1):
                nearness.append(100 * (max(simulated, 1 / simulated) - 1))
    within = f", whose times in SimGrid are within {max(nearness):.1f} % of one another" if nearness else ""
    return f"Of {pairs} pairs of plans for as many ranks, both put the same one first but for {len(nearness)}{within}."


def draw(table: Table) -> Figure:
    figure, facets = plots.facets(table, "matrix", "nrhs")
    for axes, rows in facets:
        by_series: dict[str, dict[int, float]] = {}
        for row in rows:
            by_series.setdefault(row["series"], {})[row["ranks"]] = row["ratio"]
        for place, (name, ratios) in enumerate(by_series.items()):
            plots.curve(axes, list(ratios), list(ratios.values()), name, place, place // len(plots.COLOURS))
        axes.set_xscale("log", base=2)
        plots.reference(axes)
        axes.set(xlabel="ranks", ylabel="model / SimGrid")
    plots.legend(figure, columns=4)
    return figure


EXPERIMENT = Experiment(
    name="simgrid",
    title="the model beside SimGrid, all plans, both transports",
    paper="validation of the model",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("s2d9:256", "poisson3d:24"), grids=tuple(square_grid(ranks) for ranks in (32, 64, 128, 256))
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(2, 2, 1),)),
    takes=("matrix", "ranks", "nrhs", "cache"),
    predicts=True,
)
