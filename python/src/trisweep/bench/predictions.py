"""A figure of a paper from the performance model: `trisweep predict` at every point, and ratios beside the
paper's.

A figure is data (`PaperFigure`): matrices, grids, series (a way to solve, on a machine), what is drawn, and
the paper's ratios (`Headline`) that ours are compared with. `experiment` turns it into an experiment of
`trisweep bench`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from matplotlib.figure import Figure

from trisweep.bench.experiment import Experiment
from trisweep.grids import Grid, square_grid
from trisweep.lab import CASE_COLUMNS, Case, Lab, Settings, System, message_totals
from trisweep.runs import Record
from trisweep.tables import Column, Spread, Table

Row = dict[str, Any]

# The matrices that the gallery's stand for, with the number of rows of the original.
ORIGINALS = {
    "s2d9": "s2D9pt2048 (4,194,304)",
    "kkt3d": "nlpkkt80 (1,062,400)",
    "elasticity3d": "Geo_1438 (1,437,960)",
    "plate": "ldoor (952,203)",
    "maxwell3d": "dielFilterV3real (1,102,824), tdr455k (2,738,556)",
    "fusion": "s1_mat_0_253872 (253,872), A22 (519,552)",
    "dense-blocks3d": "Ga19As19H42 (133,123)",
    "convection3d": "atmosmodj (1,270,432)",
    "cage": "cage13 (445,315)",
}


@dataclass(frozen=True)
class Series:
    """One way to solve: options of `trisweep predict`; the machine, if not the figure's; and the ranks per
    node, all on one memory, if not the machine's own number."""

    name: str
    options: tuple[str, ...] = ()
    machine: str = ""
    ranks_per_node: int = 0
    layers: int = 0  # only grids with that Pz: for a mapping that uses only the number of ranks


@dataclass(frozen=True)
class Headline:
    """A ratio that the paper gives: the time of series `slow` over that of `fast`, on the same grid; or with
    `best_layers`, of the fastest over all Pz (`slow`: `slow_layers`) for the same number of ranks."""

    what: str
    slow: str
    fast: str
    paper: Mapping[str, str] = field(default_factory=dict)  # by KIND, or KIND:NRHS, or :NRHS and "" for others
    best_layers: bool = False
    slow_layers: int = 0  # 0: any
    least_layers: int = 1  # of both series; for ratios of 3D algorithms

    def of_paper(self, kind: str, nrhs: int) -> str:
        return next((self.paper[key] for key in (f"{kind}:{nrhs}", kind, f":{nrhs}", "") if key in self.paper), "")


@dataclass(frozen=True)
class PaperFigure:
    name: str
    title: str
    paper: str
    machine: str
    matrices: tuple[str, ...]
    series: tuple[Series, ...]
    headlines: tuple[Headline, ...]
    draw: Callable[[Table], Figure]
    ranks: tuple[int, ...] = ()
    layers: tuple[int, ...] = (1,)
    grids: tuple[Grid, ...] = ()  # instead of ranks and layers
    nrhs: tuple[int, ...] = (1,)
    time: str = "seconds"  # the field compared: the whole solve, or l_seconds
    keeps_ranks: bool = False  # the figure shows every rank
    compares_memory: bool = False  # headlines also give ratios of the factors' bytes


COLUMNS = (
    *CASE_COLUMNS,
    Column("series", "algorithm"),
    Column("milliseconds", "time, ms", ".3g"),
    Column("ratio", "first / this", ".2f"),
    Column("l_milliseconds", "L-solve, ms", ".3g"),
    Column("u_milliseconds", "U-solve, ms", ".3g"),
    Column("floating_point", "floating point, %", ".0f"),
    Column("intra_grid", "intra-grid, %", ".0f"),
    Column("inter_grid", "inter-grid, %", ".0f"),
    Column("messages", "messages, busiest rank", "d"),
)
HEADLINE_COLUMNS = (
    Column("what", "ratio of times"),
    Column("paper", "the paper"),
    Column("matrix", "matrix"),
    Column("rows", "rows", ",d"),
    Column("original", "stands for (rows)"),
    Column("nrhs", "right-hand sides", "d"),
    Column("largest", "ours, largest", ".2f"),
    Column("at", "at"),
    Column("smallest", "smallest", ".2f"),
)
# Ratios of the factors' bytes, `fast` over `slow`, for the plans with the largest ratio of times.
MEMORY = {
    "factor_bytes": Column("factor_bytes_ratio", "factors' bytes, second / first", ".2f"),
    "panel_bytes": Column("panel_bytes_ratio", "with the copies of layers", ".2f"),
    "panel_bytes_max": Column("panel_bytes_max_ratio", "of the fullest rank", ".2f"),
}


def _over_ranks(record: Record, *parts: str) -> Spread:
    """Returns mean, smallest and largest sum of these seconds over the ranks."""
    values = [sum(rank[part] for part in parts) for rank in record["ranks"]]
    return Spread(fmean(values), min(values), max(values))


def _row(figure: PaperFigure, case: Case, record: Record) -> Row:
    solve = record["solve"]
    seconds = solve["seconds_min"]
    intra, inter = _over_ranks(record, "intra_grid_seconds"), _over_ranks(record, "inter_grid_seconds")
    floating_point = _over_ranks(record, "floating_point_seconds")
    row = {
        **case.row,
        "rows": record["matrix"]["rows"],
        "ranks": case.grid.ranks,
        "pz": case.grid.pz,
        "seconds": seconds,
        "l_seconds": solve["l_seconds"],
        "u_seconds": solve["u_seconds"],
        "inter_grid_seconds": solve["inter_grid_seconds"],
        "milliseconds": 1e3 * seconds,
        "l_milliseconds": 1e3 * solve["l_seconds"],
        "u_milliseconds": 1e3 * solve["u_seconds"],
        "floating_point": 100 * floating_point.median / seconds,
        "intra_grid": 100 * intra.median / seconds,
        "inter_grid": 100 * inter.median / seconds,
        "l_of_ranks": _over_ranks(record, "l_seconds"),
        "u_of_ranks": _over_ranks(record, "u_seconds"),
        "messages": max(message_totals(record, ("sent", "received"))),
        "factor_bytes": record["factor"]["bytes"],
        "panel_bytes": record["solve"]["panel_bytes"],
        "panel_bytes_max": record["solve"]["panel_bytes_max"],
    }
    if figure.keeps_ranks:
        row["messages_of_ranks"] = message_totals(record, ("sent", "received"))
        row["bytes_of_ranks"] = message_totals(record, ("bytes_sent", "bytes_received"))
    return row


def _rows(figure: PaperFigure, lab: Lab, system: System, grid: Grid) -> list[Row]:
    rows = []
    for series in figure.series:
        if series.layers not in (0, grid.pz):
            continue
        machine = lab.machine(series.machine or figure.machine, series.ranks_per_node)
        options = ("--machine", machine, *series.options)
        case = Case(system, grid, options, {"series": series.name})
        rows.append(_row(figure, case, lab.predict(case)))
    return [{**row, "ratio": rows[0][figure.time] / row[figure.time]} for row in rows]


def measure(figure: PaperFigure, lab: Lab) -> Table:
    table = Table(COLUMNS, [])
    for system, grid in lab.settings.points:
        table.rows += _rows(figure, lab, system, grid)
    columns = (*HEADLINE_COLUMNS, *(MEMORY.values() if figure.compares_memory else ()))
    headlines = Table(columns, [row for one in figure.headlines for row in _headline(figure, one, table)])
    table.data["headlines"] = headlines.document()
    table.notes.append(headlines.markdown())
    machines = dict.fromkeys(series.machine or figure.machine for series in figure.series)
    table.notes.append(f"Predicted for {', '.join(machines)}. Percentages are means over the ranks, of the time.")
    return table


def _headline(figure: PaperFigure, headline: Headline, table: Table) -> list[Row]:
    """Returns a row for each matrix and number of right-hand sides."""
    rows = []
    for (matrix, nrhs), points in table.groups("matrix", "nrhs").items():
        pairs = _pairs(figure, headline, points)
        if not pairs:
            continue
        kind = matrix.partition(":")[0]
        ratios = {at: slow[figure.time] / fast[figure.time] for at, (slow, fast) in pairs.items()}
        largest = max(ratios, key=lambda at: ratios[at])
        slow, fast = pairs[largest]
        rows.append(
            {
                "what": headline.what,
                "paper": headline.of_paper(kind, nrhs),
                "matrix": matrix,
                "rows": points[0]["rows"],
                "original": ORIGINALS.get(kind, ""),
                "nrhs": nrhs,
                "largest": ratios[largest],
                "at": largest,
                "smallest": min(ratios.values()),
                **{column.key: fast[key] / slow[key] for key, column in MEMORY.items()},
            }
        )
    return rows


def _pairs(figure: PaperFigure, headline: Headline, points: Sequence[Row]) -> dict[str, tuple[Row, Row]]:
    """Returns the rows (slow, fast) that are compared, by the grid of the fast one."""
    key = "ranks" if headline.best_layers else "grid"
    fast: dict[Any, Row] = {}
    slow: dict[Any, Row] = {}
    for row in sorted(points, key=lambda row: row[figure.time]):  # the first of a key is its fastest
        if row["pz"] < headline.least_layers:
            continue
        if row["series"] == headline.fast:
            fast.setdefault(row[key], row)
        if row["series"] == headline.slow and headline.slow_layers in (0, row["pz"]):
            slow.setdefault(row[key], row)
    return {row["grid"]: (slow[at], row) for at, row in fast.items() if at in slow}


def _grids(ranks: int, layers: Sequence[int]) -> tuple[Grid, ...]:
    return tuple(square_grid(ranks, pz) for pz in layers if ranks % pz == 0)


def experiment(figure: PaperFigure) -> Experiment:
    return Experiment(
        name=figure.name,
        title=figure.title,
        paper=figure.paper,
        measure=lambda lab: measure(figure, lab),
        draw=figure.draw,
        settings=Settings(
            matrices=figure.matrices,
            grids=figure.grids or tuple(grid for ranks in figure.ranks for grid in _grids(ranks, figure.layers)),
            nrhs=figure.nrhs,
        ),
        quick=Settings(matrices=("s2d9:24",), grids=(Grid(2, 1, 1), Grid(2, 1, 2)), nrhs=figure.nrhs),
        takes=("matrix", "grid", "ranks", "nrhs", "cache"),
        grids_of=lambda ranks: _grids(ranks, figure.layers),
        predicts=True,
    )
