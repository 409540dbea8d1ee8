"""The gain of recompression and of adaptive precision for an H-matrix: bytes and time of a product, compared
with the same blocks in double precision and with plain ACA, whose crosses are not recompressed."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.lab import Lab, Settings
from trisweep.runs import Record
from trisweep.tables import Column, Row, Table, pivot, spread, spread_of_ratios

EPS = ("1e-3", "1e-6", "1e-8")
KINDS = {
    "adaptive": (),
    "double": ("--precision", "double"),
    "plain ACA": ("--cross", "aca", "--no-recompression"),
}

COLUMNS = (
    Column("object", "object"),
    Column("eps", "eps"),
    Column("kind", "stored"),
    Column("megabytes", "MB", ".1f"),
    Column("sampled_error", "sampled error", ".1e"),
    Column("milliseconds", "product, ms", ".3g"),
    Column("bandwidth", "GB/s", ".1f"),
    Column("fewer_bytes", "bytes of plain ACA / bytes", ".2f"),
    Column("faster", "its time / time", ".2f"),
)


def sized(name: str) -> list[str]:
    """Returns the options --object and --n for KIND:N."""
    kind, _, size = name.partition(":")
    return ["--object", kind, *(("--n", size) if size else ())]


def charged(lab: Lab, name: str, words: tuple[str, ...]) -> Record:
    """Returns the record of `trisweep bem` with the object KIND:N."""
    lab.show(f"{name} {' '.join(words)}")
    return lab.trisweep.document(["bem", *sized(name), *words])["bem"]


def _rows(lab: Lab, name: str, eps: str) -> list[Row]:
    """Returns a row for each kind of storage."""
    kinds = list(KINDS)
    records = lab.in_turns(kinds, lambda kind: charged(lab, name, ("--eps", eps, *KINDS[kind])))
    seconds = [[record["product_seconds"] for record in rounds] for rounds in records]
    plain = kinds.index("plain ACA")
    return [
        {
            "object": name,
            "eps": eps,
            "kind": kind,
            "megabytes": first["bytes"] / 1e6,
            "sampled_error": first["sampled_error"],
            "milliseconds": spread(1e3 * s for s in times),
            "bandwidth": spread(first["bytes"] / s / 1e9 for s in times),
            "fewer_bytes": records[plain][0]["bytes"] / first["bytes"],
            "faster": spread_of_ratios(seconds[plain], times),
        }
        for kind, (first, *_), times in zip(kinds, records, seconds, strict=True)
    ]


def measure(lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for name in lab.settings.matrices:
        for eps in EPS:
            table.rows += _rows(lab, name, eps)
    table.notes.append(
        f"One thread; products: the fastest of some in each run. Median (smallest to largest) of {lab.settings.rounds} "
        "rounds, in each of which all kinds run one after the other."
    )
    return table


def draw(table: Table) -> Figure:
    figure, facets = plots.facets(table, "object")
    for axes, rows in facets:
        plots.bars(axes, *pivot(rows, "eps", "kind", "milliseconds"))
        axes.set_ylabel("product, ms")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="hmatrix-precision",
    title="H-matrices in adaptive precision, beside double and plain ACA",
    paper="HACApK, Fig. 3",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("spheres:9600", "spheres:21600"), rounds=3),
    quick=Settings(matrices=("spheres:600",), rounds=1),
    takes=(),
)
