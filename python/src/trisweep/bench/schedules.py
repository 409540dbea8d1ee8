"""Compares schedules and inter-grid exchanges over Pz, for a fixed number of ranks.

SC'23, section 4.1 (Fig. 4): `level-sync` has the levels of the baseline 3D algorithm, without its blocking
collectives; `single-sync` is the proposed algorithm, with its sparse allreduce or with one allreduce per node
of the separator tree. With one layer all of them are the 2D algorithm."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid, layered_grids, square_grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, System, exact_count, message_totals, seconds, time_ratio
from trisweep.runs import Record
from trisweep.tables import Column, Table, spread

VARIANTS = {
    "level-sync": ("--schedule", "level-sync"),
    "single-sync, per-node": ("--schedule", "single-sync", "--inter-grid", "per-node"),
    "single-sync, sparse": ("--schedule", "single-sync", "--inter-grid", "sparse"),
}
TWO_D = {"2D": VARIANTS["single-sync, sparse"]}

COLUMNS = (
    *CASE_COLUMNS,
    Column("variant", "algorithm"),
    Column("time_ratio", "time / 2D", ".2f"),
    Column("synchronizations", "exchanges between layers", "d"),
    Column("within", "messages within layers, all ranks", "d"),
    Column("between", "messages between layers, busiest rank", "d"),
    Column("between_bytes", "bytes between layers, all ranks", "d"),
)


def _cases(system: System, chosen: tuple[Grid, ...]) -> list[Case]:
    # The 2D algorithm, with which all are compared, is measured for each number of ranks.
    squares = dict.fromkeys(square_grid(grid.ranks) for grid in chosen if not _has_2d(chosen, grid.ranks))
    grids = [*squares, *chosen]
    return [
        Case(system, grid, options, {"variant": name, "ranks": grid.ranks, "pz": grid.pz})
        for grid in grids
        for name, options in (VARIANTS if grid.pz > 1 else TWO_D).items()
    ]


def _has_2d(grids: tuple[Grid, ...], ranks: int) -> bool:
    return any(grid.pz == 1 and grid.ranks == ranks for grid in grids)


def _within(record: Record) -> int:
    return sum(message_totals(record, kinds=("broadcast", "reduction")))


def _between(record: Record) -> int:
    return max(message_totals(record, kinds=("exchange",)))


def _between_bytes(record: Record) -> int:
    return sum(message_totals(record, ("bytes_sent",), ("exchange",)))


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system in lab.settings.systems:
        cases = _cases(system, lab.settings.grids)
        records = lab.measure(cases)
        two_d = {case.grid.ranks: rounds for case, rounds in zip(cases, records, strict=True) if case.grid.pz == 1}
        for case, rounds in zip(cases, records, strict=True):
            plan = lab.plan(case)
            table.rows.append(
                {
                    **case.row,
                    "seconds": spread(map(seconds, rounds)),
                    "time_ratio": time_ratio(rounds, two_d[case.grid.ranks]),
                    "synchronizations": plan["totals"]["synchronizations"],
                    "within": exact_count([plan, *rounds], _within),
                    "between": exact_count([plan, *rounds], _between),
                    "between_bytes": exact_count([plan, *rounds], _between_bytes),
                }
            )
    return table


def draw(table: Table) -> Figure:
    figure, facets = plots.facets(table, "matrix", "nrhs", "ranks")
    for axes, rows in facets:
        layers = sorted({row["pz"] for row in rows})
        values = {(row["pz"], row["variant"]): row["time_ratio"] for row in rows}
        series = {name: [1.0 if pz == 1 else values[pz, name] for pz in layers] for name in VARIANTS}
        plots.lines(axes, layers, series)
        plots.reference(axes)
        plots.log2_axis(axes, layers, "layers Pz")
        axes.set_ylim(bottom=0)
        axes.set_ylabel("time / time of the 2D algorithm")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="schedules",
    title="baseline and proposed 3D algorithms over Pz, the number of ranks fixed",
    paper="SC'23, Fig. 4",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("s2d9:256", "convection3d:16"), grids=layered_grids(8), rounds=7),
    quick=Settings(matrices=("s2d9:24",), grids=(Grid(2, 1, 1), Grid(1, 1, 2)), rounds=1, repeats=2),
    grids_of=layered_grids,
)
