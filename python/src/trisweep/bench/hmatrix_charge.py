"""The charge computed by boundary elements, compared with the exact one: its error decreases as 1 / n, and
the charges of two opposite spheres cancel."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.bench.hmatrix_precision import charged
from trisweep.lab import Lab, Settings
from trisweep.tables import Column, Table

COLUMNS = (
    Column("object", "object"),
    Column("triangles", "triangles", "d"),
    Column("error", "error of the charge, %", ".4f"),
    Column("constant", "error x triangles", ".2f"),
    Column("total", "|Q+ + Q-| / Q+", ".1e"),
    Column("sampled_error", "sampled error", ".1e"),
    Column("iterations", "iterations", "d"),
)
WORDS = ("--eps", "1e-6", "--tol", "1e-9")


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for name in lab.settings.matrices:
        record = charged(lab, name, WORDS)
        error = abs(record["charge_relative_error"])
        table.rows.append(
            {
                "object": record["object"],
                "triangles": record["elements"],
                "error": 100 * error,
                "constant": error * record["elements"],
                "total": abs(record["total_charge"] / record["charge"]) if record["object"] == "spheres" else None,
                "sampled_error": record["sampled_error"],
                "iterations": record["iterations"],
            }
        )
    table.notes.append(f"trisweep bem {' '.join(WORDS)}.")
    return table


def draw(table: Table) -> Figure:
    figure, [[axes]] = plots.new_figure()
    for place, ((name,), rows) in enumerate(table.groups("object").items()):
        triangles, errors = [row["triangles"] for row in rows], [row["error"] for row in rows]
        plots.curve(axes, triangles, errors, label=name, colour=place, style=place)
    axes.set(xscale="log", yscale="log", xlabel="triangles", ylabel="error of the charge, %")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="hmatrix-charge",
    title="the charge of boundary elements, beside the exact one",
    paper="HACApK's electrostatics",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=(
            *("sphere:2400", "sphere:9600", "sphere:38400"),
            *("spheres:4800", "spheres:19200", "spheres:43200"),
        ),
        rounds=1,
    ),
    quick=Settings(matrices=("sphere:300", "sphere:600", "spheres:600"), rounds=1),
    takes=(),
)
