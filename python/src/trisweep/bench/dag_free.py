"""Measures the cost of dependencies: compares a solve with the same messages and products without
dependencies.

CSC'18, section 2 (Table 1): with all counters of `fmod` at zero, communication and work are unchanged, but
nothing waits for its inputs; the answer is wrong and not used. Only computation and communication remain."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, exact_count, message_totals, seconds, time_ratio
from trisweep.runs import Record
from trisweep.tables import Column, Spread, Table, spread, spread_of_ratios

COLUMNS = (
    *CASE_COLUMNS,
    Column("floating_point", "floating point, slowest rank / time", ".2f"),
    Column("free_ratio", "time without dependencies / time", ".2f"),
    Column("messages", "messages, all ranks", "d"),
)


def _messages(record: Record) -> int:
    return sum(message_totals(record))


def _floating_point(rounds: list[Record]) -> Spread:
    slowest = (max(rank["floating_point_seconds"] for rank in record["ranks"]) for record in rounds)
    return spread_of_ratios(slowest, map(seconds, rounds))


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system, grid in lab.settings.points:
        cases = [Case(system, grid), Case(system, grid, ("--no-dependencies",))]
        bound, free = lab.measure(cases)
        table.rows.append(
            {
                **cases[0].row,
                "seconds": spread(map(seconds, bound)),
                "floating_point": _floating_point(bound),
                "free_ratio": time_ratio(free, bound),
                # Counted in both; raises if they differ.
                "messages": exact_count([*bound, *free], _messages),
            }
        )
    return table


def draw(table: Table) -> Figure:
    figure, facets = plots.facets(table, "matrix", "nrhs")
    for axes, rows in facets:
        series = {
            "without dependencies": [row["free_ratio"] for row in rows],
            "floating point, slowest rank": [row["floating_point"] for row in rows],
        }
        plots.bars(axes, [row["grid"] for row in rows], series)
        plots.reference(axes)
        axes.set_ylabel("share of the time of a solve")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="dag-free",
    title="a solve beside the same messages and work without dependencies",
    paper="CSC'18, Table 1",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("s2d9:256",), grids=(Grid(2, 1, 1), Grid(2, 2, 1), Grid(4, 4, 1)), nrhs=(1, 50)),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(2, 1, 1),), rounds=1, repeats=2),
)
