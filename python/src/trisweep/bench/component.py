"""The figures of the multi-GPU zero-copy paper, on matrices similar to its own: solves by several PEs, whose
operations `trisweep sptrsv --pes` counts, timed by the model of the paper's machines. Ratios are of times."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import geometric_mean

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.lab import Lab, Settings
from trisweep.runs import Record
from trisweep.tables import Column, Table, pivot

COLUMNS = (
    Column("matrix", "matrix"),
    Column("series", "design"),
    Column("milliseconds", "time, ms", ".3g"),
    Column("speedup", "{} / this", ".2f"),
    Column("megabytes", "moved, MB", ".3g"),
    Column("polls", "polls", ",d"),
    Column("migrations", "pages migrated", ",d"),
    Column("idle", "idle, %", ".0f"),
)
SHAPE_COLUMNS = (
    Column("matrix", "matrix"),
    Column("rows", "rows", ",d"),
    Column("nonzeros", "nonzeros", ",d"),
    Column("levels", "levels", ",d"),
    Column("parallelism", "rows a level", ",.0f"),
    Column("dependency", "nonzeros a row", ".2f"),
)
# As large as the paper's: with few rows per warp, all of them would poll from the beginning.
SETTINGS = Settings(matrices=("graph-road:1000000", "graph-road:200000", "graph:1000000", "graph:300000"))
QUICK = Settings(matrices=("graph-road:2000", "graph:1000"))


@dataclass(frozen=True)
class Run:
    """A design on that many PEs; `paper`: the paper's ratio for it, in words."""

    design: str
    pes: int = 4
    tasks: int = 8
    machine: str = "dgx-1"
    label: str = ""
    paper: str = ""

    @property
    def name(self) -> str:
        return self.label or self.design

    def record(self, lab: Lab, matrix: str) -> Record:
        lab.show(f"{self.name}, {matrix}")
        words = ["--algorithm", self.design, "--pes", str(self.pes), "--tasks", str(self.tasks)]
        return lab.trisweep.document(["sptrsv", str(lab.matrix(matrix)), *words, "--machine", self.machine])


def _measure(runs: tuple[Run, ...], lab: Lab) -> Table:
    """Returns the table of all runs, with their speedups over the first."""
    columns = [Column(c.key, c.heading.format(runs[0].name), c.number) for c in COLUMNS]
    table = Table(columns, [])
    for matrix in lab.settings.matrices:
        records = [run.record(lab, matrix) for run in runs]
        seconds = [record["solve"]["seconds_median"] for record in records]
        for run, record, own in zip(runs, records, seconds, strict=True):
            pes = record["sptrsv"]["pes"]
            table.rows.append(
                {
                    "matrix": matrix,
                    "series": run.name,
                    "milliseconds": 1e3 * own,
                    "speedup": seconds[0] / own,
                    "megabytes": 1e-6 * record["sptrsv"]["bytes_moved"],
                    "polls": sum(pe["polls"] for pe in pes),
                    "migrations": sum(pe["migrations"] for pe in pes),
                    "idle": 100 * record["sptrsv"]["idle_share"],
                }
            )
    for run in runs[1:]:
        ratios = [row["speedup"] for row in table.rows if row["series"] == run.name]
        paper = f"; the paper: {run.paper}" if run.paper else ""
        table.notes.append(
            f"{runs[0].name} / {run.name}: {geometric_mean(ratios):.2f} on the geometric mean, {min(ratios):.2f} to "
            f"{max(ratios):.2f}{paper}."
        )
    return table


def _draw(table: Table) -> Figure:
    figure, [[axes]] = plots.new_figure(width=9.0)
    plots.bars(axes, *pivot(table.rows, "matrix", "series", "speedup"))
    plots.reference(axes)
    plots.log_ratios(axes)
    axes.set_ylabel(table.columns[3].heading)
    plots.legend(figure)
    return figure


def _shapes(lab: Lab) -> Table:
    table = Table(SHAPE_COLUMNS, [])
    for matrix in lab.settings.matrices:
        lab.show(matrix)
        record = lab.trisweep.document(["sptrsv", str(lab.matrix(matrix)), "--repeat", "1"])
        shape = {key: record["sptrsv"][key] for key in ("levels", "parallelism", "dependency")}
        sizes = {key: record["matrix"][key] for key in ("rows", "nonzeros")}
        table.rows.append({"matrix": matrix, **sizes, **shape})
    return table


def _draw_shapes(table: Table) -> Figure:
    figure, [[axes]] = plots.new_figure(width=9.0)
    names = [row["matrix"] for row in table.rows]
    plots.bars(axes, names, {"rows a level": [row["parallelism"] for row in table.rows]})
    axes.set(yscale="log", ylabel="rows a level")
    return figure


def _experiment(
    number: str,
    title: str,
    measure: Callable[[Lab], Table],
    draw: Callable[[Table], Figure] = _draw,
) -> Experiment:
    return Experiment(
        name=f"component-{number.lower().replace(' ', '').replace('.', '')}",
        title=title,
        paper=f"multi-GPU zero-copy, {number}",
        measure=measure,
        draw=draw,
        settings=SETTINGS,
        quick=QUICK,
        takes=("matrix",),
        predicts=True,
    )


def _figure(number: int, title: str, *runs: Run) -> Experiment:
    return _experiment(f"Fig. {number}", title, partial(_measure, runs))


EXPERIMENTS = (
    _experiment("Table 1", "what the dependencies of the matrices allow", _shapes, _draw_shapes),
    _figure(
        3,
        "page thrashing of unified memory",
        Run("unified", 2, label="2 PEs"),
        Run("unified", 4, label="4 PEs", paper="below 1 but on one matrix, pages that bounce more often"),
        Run("unified", 8, label="8 PEs", paper="below that of 4 but on one matrix"),
    ),
    _figure(
        7,
        "the designs on 4 GPUs of a DGX-1",
        Run("unified"),
        Run("unified+tasks", paper="0.89 on average"),
        Run("get-update-put"),
        Run("shmem", paper="2.33 on average, up to 8.1"),
        Run("zero-copy", paper="3.53 on average, up to 9.86"),
        Run("push"),
    ),
    _figure(
        8,
        "4 GPUs of a DGX-1 and of a DGX-2",
        Run("unified", label="unified, DGX-1"),
        Run("zero-copy", label="zero-copy, DGX-1", paper="3.53 on average"),
        Run("zero-copy", machine="dgx-2", label="zero-copy, DGX-2", paper="3.66 on average"),
        Run("push", machine="dgx-2", label="push, DGX-2"),
    ),
    _figure(
        9,
        "tasks of each of 4 GPUs of a DGX-1",
        Run("zero-copy", tasks=4, label="4 tasks"),
        Run("zero-copy", tasks=1, label="1 task"),
        Run("zero-copy", tasks=8, label="8 tasks"),
        Run("zero-copy", tasks=16, label="16 tasks", paper="1.22 on average, up to 1.78"),
        Run("zero-copy", tasks=32, label="32 tasks"),
    ),
    _figure(
        10,
        "GPUs of a DGX-2, 32 tasks in all",
        Run("zero-copy", 2, 16, "dgx-2", "2 PEs"),
        Run("zero-copy", 1, 32, "dgx-2", "1 PE", "mostly above 1"),
        Run("zero-copy", 4, 8, "dgx-2", "4 PEs", "1.34 on average on a DGX-1, less on a DGX-2"),
        *(Run("zero-copy", pes, 32 // pes, "dgx-2", f"{pes} PEs") for pes in (8, 16)),
        *(Run("push", pes, 32 // pes, "dgx-2", f"push, {pes} PEs") for pes in (4, 16)),
    ),
)
