"""Convergence of each method for a boundary element problem, and the ranks of its low-rank blocks."""

from collections.abc import Callable

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.bench.hmatrix_precision import charged
from trisweep.lab import Lab, Settings
from trisweep.tables import Column, Table, distinct

WAYS = {
    "bicgstab": ("--method", "bicgstab"),
    "pipelined-bicgstab": ("--method", "pipelined-bicgstab"),
    "gmres": ("--method", "gmres"),
    "bicgstab, block-jacobi": ("--preconditioner", "block-jacobi"),
}
CURVES = (
    Column("object", "object"),
    Column("way", "method"),
    Column("step", "iteration", "d"),
    Column("residual", "residual", ".1e"),
)
HISTOGRAM = (
    Column("object", "object"),
    Column("eps", "eps"),
    Column("rank", "rank", "d"),
    Column("blocks", "low-rank blocks", "d"),
)


def measure_curves(lab: Lab) -> Table:
    table = Table(CURVES, [])
    for name in lab.settings.matrices:
        for way, words in WAYS.items():
            for step, residual in enumerate(charged(lab, name, words)["residuals"]):
                table.rows.append({"object": name, "way": way, "step": step, "residual": residual})
    table.notes.append("||b - A x|| / ||b|| by the recurrence; GMRES has one product an iteration, the others two.")
    return table


def draw_curves(table: Table) -> Figure:
    figure, facets = plots.facets(table, "object")
    for axes, rows in facets:
        for place, way in enumerate(WAYS):
            mine = [row for row in rows if row["way"] == way]
            steps, residuals = [row["step"] for row in mine], [row["residual"] for row in mine]
            plots.curve(axes, steps, residuals, label=way, colour=place, style=place)
        axes.set(yscale="log", xlabel="iteration", ylabel="relative residual")
    plots.legend(figure)
    return figure


def measure_ranks(lab: Lab) -> Table:
    table = Table(HISTOGRAM, [])
    for name in lab.settings.matrices:
        for eps in ("1e-3", "1e-6"):
            for rank, blocks in enumerate(charged(lab, name, ("--eps", eps))["blocks_of_rank"]):
                table.rows.append({"object": name, "eps": eps, "rank": rank, "blocks": blocks})
    return table


def draw_ranks(table: Table) -> Figure:
    figure, facets = plots.facets(table, "object")
    for axes, rows in facets:
        most = max(row["rank"] for row in rows)
        blocks = {(row["eps"], row["rank"]): row["blocks"] for row in rows}
        eps = distinct(rows, "eps")
        names = [str(rank) for rank in range(most + 1)]
        plots.bars(axes, names, {f"eps {e}": [blocks.get((e, rank), 0) for rank in range(most + 1)] for e in eps})
        apart = 1 + most // 12
        axes.set_xticks(range(0, most + 1, apart), names[::apart])
        axes.set(xlabel="rank", ylabel="low-rank blocks")
    plots.legend(figure)
    return figure


def experiment(name: str, title: str, measure: Callable[[Lab], Table], draw: Callable[[Table], Figure]) -> Experiment:
    return Experiment(
        name=name,
        title=title,
        paper="HACApK's electrostatics",
        measure=measure,
        draw=draw,
        settings=Settings(matrices=("spheres:9600", "human:10000"), rounds=1),
        quick=Settings(matrices=("spheres:600", "human:600"), rounds=1),
        takes=(),
    )


EXPERIMENTS = (
    experiment("hmatrix-convergence", "how the residuals of boundary elements fall", measure_curves, draw_curves),
    experiment("hmatrix-ranks", "the ranks of an H-matrix's blocks", measure_ranks, draw_ranks),
)
