"""Compares our solve phase with that of other solvers.

All get the same matrix in the same fill-reducing order, huge pages, and one protocol: a process factors once
and times solves without refinement, with measurements of their lower bounds in between. For one right-hand
side, that is the time to read the values of the solver's own factors as often as a solve does, at the read
bandwidth measured right before and after it; for many, the time of the same flops at the rate of dgemm.
Solvers take turns, round by round.

On a 2D grid ours also runs with proportional mapping; SuperLU_DIST on that grid is compared with both."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.bench.peers_summary import summary
from trisweep.errors import UserError
from trisweep.grids import Grid
from trisweep.lab import Lab, Settings
from trisweep.peer_programs import OURS, PEERS, PROPORTIONAL, Peer, PeerPrograms
from trisweep.runs import Record, scratch_folder
from trisweep.tables import Column, Spread, Table, distinct, pivot, spread

LONG = 30.0  # seconds; a peer whose run takes longer is left out of later rounds
SINGLE = Grid(1, 1, 1)

WHAT = (
    Column("matrix", "matrix"),
    Column("place", "on"),
    Column("nrhs", "right-hand sides", "d"),
    Column("solver", "solver"),
    Column("kind", "factors"),
    Column("milliseconds", "ms", ".1f"),
    Column("time_ratio", "time / ours", ".2f"),
    Column("best_ratio", "fastest / our fastest", ".2f"),
)
FACTORIZATION = (
    Column("factor_ratio", "factor time / ours", ".2f"),
    Column("memory_ratio", "memory / ours", ".2f"),
    Column("backward_error", "backward error", ".0e"),
)
COLUMNS = (
    *WHAT,
    Column("proportional_ratio", "time / ours, proportional", ".2f"),
    Column("floor_ratio", "time / floor", ".2f"),
    Column("percent", "% of dgemm", ".0f"),
    *FACTORIZATION,
)


@dataclass(frozen=True)
class Place:
    """Grid and threads of a run, and the numbers of right-hand sides that one process solves."""

    grid: Grid
    threads: int
    nrhs: tuple[int, ...]

    def takes(self, peer: Peer) -> bool:
        if peer is PROPORTIONAL:
            return self.grid.ranks > 1 and self.grid.pz == 1
        return (peer.ranks or self.grid.ranks == 1) and (peer.threads or self.threads == 1)

    def __str__(self) -> str:
        if self.grid.ranks > 1:
            return f"grid {self.grid}"
        return "1 thread" if self.threads == 1 else f"{self.threads} threads"


Records = dict[str, list[Record | None]]  # by name of the solver, one per round
Pairs = Sequence[tuple["Run", "Run"]]  # a solver's runs, each with our run of the same round
Values = Callable[[str, Pairs], dict[str, Any]]  # values of a solver's table row, from its name and pairs


def _places(settings: Settings) -> list[Place]:
    alone = [Place(SINGLE, threads, settings.nrhs) for threads in settings.threads if SINGLE in settings.grids]
    # One process for each number of right-hand sides: SuperLU_DIST sizes its message buffers for one.
    on_ranks = [Place(grid, 1, (k,)) for grid in settings.grids if grid.ranks > 1 for k in settings.nrhs]
    return alone + on_ranks


def measure(lab: Lab) -> Table:
    table = contest(lab, OURS, (PROPORTIONAL, *PEERS), COLUMNS)
    table.notes += summary(table.rows)
    return table


def contest(
    lab: Lab,
    ours: Peer,
    others: Sequence[Peer],
    columns: Sequence[Column],
    values: Values | None = None,
    as_is: bool = False,
) -> Table:
    """Measures the others and ours in turns and returns their table; `values` computes a row, with ratios to
    ours. `as_is`: systems are neither permuted nor scaled."""
    programs = PeerPrograms(lab.trisweep)
    absent = [f"Absent: {p.name} (it takes {p.needs})." for p in others if not programs.present(p)]
    table = Table(columns, [], absent)
    with scratch_folder() as folder:
        file = Path(folder) / "system"
        for matrix in lab.settings.matrices:
            lab.show(f"system {matrix}")
            definite = programs.prepare(lab.matrix(matrix), file, as_is)
            able = [p for p in others if programs.present(p) and (definite or not p.definite_only)]
            for place in _places(lab.settings):
                turns = Turns(lab, programs, file, place)
                records = turns.measure(ours, [p for p in able if place.takes(p)])
                for k in place.nrhs:
                    table.rows += _rows(Path(matrix).name, place, k, records, values or _values)
                table.notes += [f"Failed on {matrix}: {failure}" for failure in turns.failures]
    return table


class Turns:
    """Runs all solvers on one system at one place, in turns."""

    def __init__(self, lab: Lab, programs: PeerPrograms, file: Path, place: Place) -> None:
        self._lab = lab
        self._programs = programs
        self._file = file
        self._place = place
        self._left_out: set[str] = set()
        self.failures: list[str] = []

    def measure(self, ours: Peer, others: Sequence[Peer]) -> Records:
        """Returns the records of all solvers; ours are the first."""
        peers = (ours, *others)
        records = self._lab.in_turns(
            peers, lambda peer: self._run(peer, peer is ours), lambda peer: f"{peer.name}, {self._place}"
        )
        return {peer.name: rounds for peer, rounds in zip(peers, records, strict=True)}

    def _run(self, peer: Peer, is_ours: bool) -> Record | None:
        if peer.name in self._left_out:
            return None
        place = self._place
        start = time.monotonic()
        try:
            record = self._programs.run(
                peer, self._file, place.grid, place.threads, place.nrhs, self._lab.settings.repeats
            )
        except UserError as error:
            if is_ours:
                raise
            self._left_out.add(peer.name)
            self.failures.append(f"{peer.name}, {place}: {error.args[0].splitlines()[-1].strip(' |')}")
            return None
        if not is_ours and time.monotonic() - start > LONG:
            self._left_out.add(peer.name)
        return record


def _rows(matrix: str, place: Place, nrhs: int, records: Records, values: "Values") -> list[dict[str, Any]]:
    runs = {name: [Run(record, nrhs) if record else None for record in rounds] for name, rounds in records.items()}
    ours = next(iter(runs.values()))
    rows = []
    for name, rounds in runs.items():
        pairs = [(run, our) for run, our in zip(rounds, ours, strict=True) if run]
        if pairs:
            label = {"matrix": matrix, "place": str(place), "nrhs": nrhs, "name": name}
            over_proportional = _time_ratios(rounds, runs.get(PROPORTIONAL.name, []))
            rows.append({**label, **values(name, pairs), "proportional_ratio": _spread_of(over_proportional)})
    return rows


def _time_ratios(rounds: Sequence["Run | None"], baseline: Sequence["Run | None"]) -> list[float]:
    """Returns the ratios of times for the rounds in which both ran."""
    return [a.seconds / b.seconds for a, b in zip(rounds, baseline, strict=False) if a and b]


def _values(name: str, pairs: Pairs) -> dict[str, Any]:
    runs = [run for run, _ in pairs]
    first = runs[0].record
    return {
        "solver": f"{name} {first['version']}",
        "kind": first["kind"],
        "milliseconds": spread(1e3 * run.seconds for run in runs),
        "time_ratio": spread(run.seconds / our.seconds for run, our in pairs),
        "best_ratio": min(run.fastest for run in runs) / min(our.fastest for _, our in pairs),
        "floor_ratio": _spread_of([run.floor_ratio for run in runs]),
        "percent": _spread_of([run.percent for run in runs]),
        "factor_ratio": spread(run.factor["seconds"] / our.factor["seconds"] for run, our in pairs),
        "memory_ratio": spread(run.factor["peak_bytes"] / our.factor["peak_bytes"] for run, our in pairs),
        "passes": runs[0].solves["passes"],
        "bytes_ratio": runs[0].swept_bytes / pairs[0][1].swept_bytes or None,
        "backward_error": max(run.solves["backward_error"] for run in runs),
        "bandwidth": spread(median(run.solves["read_bandwidth"]) for run in runs),
        "swept_bytes": runs[0].swept_bytes,
        "huge_pages": min(run.record["huge_page_bytes"] / run.record["resident_bytes"] for run in runs),
    }


def _spread_of(values: Sequence[float | None]) -> Spread | None:
    known = [value for value in values if value is not None]
    return spread(known) if known else None


class Run:
    """The record of one process, and in it the solves with `nrhs` right-hand sides."""

    def __init__(self, record: Record, nrhs: int) -> None:
        self.record = record
        self.factor = record["factor"]
        self.solves = next(solves for solves in record["solves"] if solves["nrhs"] == nrhs)
        self.nrhs = nrhs
        self.seconds = median(self.solves["seconds"])
        self.fastest = min(self.solves["seconds"])
        self.swept_bytes = 8 * self.factor["entries_swept"]

    def _beside(self, rates: Sequence[float]) -> float:
        """The median over solves of seconds times the larger of the rates measured before and after."""
        return median(s * max(r) for s, r in zip(self.solves["seconds"], pairwise(rates), strict=True))

    @property
    def floor_ratio(self) -> float | None:
        if self.nrhs > 1 or self.swept_bytes == 0:
            return None
        return self._beside(self.solves["read_bandwidth"]) / self.swept_bytes

    @property
    def percent(self) -> float | None:
        if not self.solves["product_rate"] or self.swept_bytes == 0:
            return None
        return 100 * 2 * self.factor["entries_swept"] * self.nrhs / self._beside(self.solves["product_rate"])


def draw(table: Table) -> Figure:
    _ours, *names = (name for name in distinct(table.rows, "name") if name != PROPORTIONAL.name)
    figure, facets = plots.facets(table, "place", "nrhs", columns=1, width=11.0, height=3.0)
    for axes, rows in facets:
        # Every facet has all names, so that one legend serves all; an absent solver has no bar.
        plots.bars(axes, *pivot(rows, "matrix", "name", "time_ratio", names))
        plots.reference(axes)
        plots.log_ratios(axes)
        axes.set_ylabel("time / ours")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="peers",
    title="our solve phase beside other solvers'",
    paper="no paper: a comparison",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("s2d9:512", "poisson3d:40", "convection3d:40", "maxwell3d:24", "elasticity3d:20", "fusion:10"),
        grids=(SINGLE, Grid(2, 2, 1), Grid(1, 1, 4)),
        nrhs=(1, 50),
        threads=(1, 2),
        rounds=3,
        repeats=5,
    ),
    quick=Settings(
        matrices=("s2d9:24",), grids=(SINGLE, Grid(2, 1, 1)), nrhs=(1, 50), threads=(1, 2), rounds=1, repeats=2
    ),
    takes=("matrix", "grid", "nrhs", "threads"),
)
