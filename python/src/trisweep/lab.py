"""Runs experiments: makes matrices, measures or predicts cases, and computes ratios between them.

The speed of a shared machine varies. So cases are measured in rounds, each case once per round, and two
cases are compared round by round: what slows down a round slows down both."""

import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from trisweep.errors import UserError
from trisweep.grids import Grid
from trisweep.runs import Record, Traffic, Trisweep, scratch_folder
from trisweep.tables import Column, Spread, spread_of_ratios

Item = TypeVar("Item")
Result = TypeVar("Result")

MESSAGE_KINDS = ("broadcast", "reduction", "exchange")
ANALYSIS_GRID = "1x1x64"  # the most layers in any experiment


@dataclass(frozen=True)
class System:
    """A system to solve: a matrix (a file, or KIND:N of the gallery) and the number of right-hand sides."""

    matrix: str
    nrhs: int = 1


@dataclass(frozen=True)
class Settings:
    """Size of an experiment: the settings that its user may choose."""

    matrices: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    nrhs: tuple[int, ...] = (1,)
    threads: tuple[int, ...] = (1,)
    rounds: int = 5
    repeats: int = 20  # solves in one run, of which the record has the median

    @property
    def systems(self) -> list[System]:
        return [System(matrix, nrhs) for matrix in self.matrices for nrhs in self.nrhs]

    @property
    def points(self) -> list[tuple[System, Grid]]:
        """Every system on every grid."""
        return [(system, grid) for system in self.systems for grid in self.grids]

    def with_choices(self, choices: dict[str, Any]) -> "Settings":
        """Returns these settings with those choices that are not None."""
        return replace(self, **{key: value for key, value in choices.items() if value is not None})


@dataclass(frozen=True)
class Case:
    """One way to solve. `labels` are table values that distinguish it from other cases on the same grid."""

    system: System
    grid: Grid
    options: tuple[str, ...] = ()
    labels: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def row(self) -> dict[str, Any]:
        """The first values of its table row: those of CASE_COLUMNS, and the labels."""
        return {"matrix": self.system.matrix, "nrhs": self.system.nrhs, "grid": str(self.grid), **self.labels}

    @property
    def words(self) -> tuple[str, ...]:
        """Its options of `trisweep solve` and `trisweep plan`."""
        return ("--nrhs", str(self.system.nrhs), *self.options)

    def __str__(self) -> str:
        return " ".join([self.system.matrix, str(self.grid), *self.words])


CASE_COLUMNS = (Column("matrix", "matrix"), Column("nrhs", "right-hand sides", "d"), Column("grid", "grid"))


class Progress:
    """A progress line on standard error, if that is a terminal."""

    def __init__(self) -> None:
        self.draws = sys.stderr.isatty()
        self.started = time.monotonic()

    def show(self, text: str) -> None:
        if self.draws:
            print(f"\r\033[K{time.monotonic() - self.started:5.0f} s  {text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.draws:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


class Lab:
    """The command, the settings and a folder for generated matrices. Used as a context. Analyses and
    predictions are kept in the folder `cache`, or without one until the context ends."""

    def __init__(self, trisweep: Trisweep, settings: Settings, progress: Progress, cache: Path | None = None) -> None:
        self.trisweep = trisweep
        self.settings = settings
        self._progress = progress
        self._folder = scratch_folder()
        self._cache = (cache or Path(self._folder.name)).resolve()
        self._generated: dict[str, Path] = {}

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *failure: object) -> None:
        self._progress.clear()
        self._folder.cleanup()

    def matrix(self, name: str) -> Path:
        """Returns the file of the matrix: `name` itself, or for KIND:N one made by the gallery."""
        if Path(name).is_file():
            return Path(name)
        kind, colon, size = name.partition(":")
        if not colon or not size.isdecimal():
            raise UserError(f"there is no matrix '{name}'", "give a file, or KIND:N of the gallery, such as s2d9:64")
        if name not in self._generated:
            self._progress.show(f"matrix {name}")
            file = Path(self._folder.name) / f"{kind}-{size}.mtx"
            self.trisweep.run(["gallery", kind, "--n", size, "-o", str(file)])
            self._generated[name] = file
        return self._generated[name]

    def measure(self, cases: Sequence[Case]) -> list[list[Record]]:
        """Returns for each case the records of its rounds."""
        return self.in_turns(cases, self.solve)

    def in_turns(
        self, items: Sequence[Item], measure: Callable[[Item], Result], name: Callable[[Item], str] = str
    ) -> list[list[Result]]:
        """Returns for each item its results, one per round; a round measures all items, one after the other.
        `name` gives an item's name for the progress line."""
        results: list[list[Result]] = [[] for _ in items]
        rounds = self.settings.rounds
        for number in range(rounds):
            for place, item in enumerate(items):
                self.show(f"round {number + 1} of {rounds}, {place + 1} of {len(items)}: {name(item)}")
                results[place].append(measure(item))
        return results

    def solve(self, case: Case) -> Record:
        """Returns the record of one run; one thread per rank, as in the papers, unless the case says more."""
        words = [*case.words, "--repeat", str(self.settings.repeats)]
        if "--threads" not in words:
            words += ["--threads", "1"]
        return self.trisweep.solve(self.matrix(case.system.matrix), case.grid, words)

    def predict(self, case: Case) -> Record:
        """Returns the record of a prediction, without floors and critical path; `case` names the machine."""
        words = self._prediction(case)
        file = self._kept(words, "json")
        if not file.exists():
            self.show(f"predict {case}")
            record = self.trisweep.document([*words, "--no-floors"])
            del record["model"]
            _write_whole(file, lambda partial: partial.write_text(json.dumps(record)))
        return json.loads(file.read_text())

    def simulate(self, case: Case) -> Record:
        """Returns SimGrid's seconds, and messages of all ranks, for the plan that `predict` prices."""
        words = self._prediction(case)
        file = self._kept(["simgrid", *words], "json")
        if not file.exists():
            self.show(f"simulate {case}")
            record = self.trisweep.simgrid(self._analysis(case), words)
            _write_whole(file, lambda partial: partial.write_text(json.dumps(record)))
        return json.loads(file.read_text())

    def _prediction(self, case: Case) -> list[str]:
        return ["predict", "--analysis", str(self._analysis(case)), "--grid", str(case.grid), *case.words]

    def machine(self, name: str, ranks_per_node: int = 0) -> str:
        """Value for `--machine`: the name, or its description with this many ranks per node and memory."""
        if ranks_per_node == 0:
            return name
        file = self._kept(["machine", name, str(ranks_per_node)], "json")
        if not file.exists():
            described = self.trisweep.document(["machines", name])
            placed = {**described, "ranks_per_node": ranks_per_node, "ranks_per_memory": ranks_per_node}
            _write_whole(file, lambda partial: partial.write_text(json.dumps(placed)))
        return str(file)

    def _analysis(self, case: Case) -> Path:
        """The file of the analysis: with proportional mapping for this number of ranks, otherwise for any
        number of ranks and up to the layers of ANALYSIS_GRID."""
        matrix = case.system.matrix
        words = ["--grid", ANALYSIS_GRID]
        if "proportional" in case.words:
            words = ["--ranks", str(case.grid.ranks), "--mapping", "proportional"]
            words += ["--diagonal", "separators"] if "separators" in case.words else []
        file = self._kept(["analysis", matrix, *words], "analysis")
        if not file.exists():
            source = self.matrix(matrix)
            self.show(f"analysis {matrix}")
            command = ["predict", str(source), "--machine", "cori-haswell", *words, "--no-floors"]
            _write_whole(file, lambda partial: self.trisweep.run([*command, "--save-analysis", str(partial)]))
            if source.parent == Path(self._folder.name):
                source.unlink()
                del self._generated[matrix]
        return file

    def _kept(self, words: Sequence[str], ending: str) -> Path:
        """Returns the cache file for the result of these arguments with this build of the command."""
        name = hashlib.sha256("\0".join([self.trisweep.fingerprint, *words]).encode()).hexdigest()[:24]
        self._cache.mkdir(parents=True, exist_ok=True)
        return self._cache / f"{name}.{ending}"

    def plan(self, case: Case) -> Record:
        self.show(f"plan {case}")
        return self.trisweep.plan(self.matrix(case.system.matrix), case.grid, case.words)

    def traffic(self, command: str, case: Case) -> Traffic:
        """Returns the messages between ranks, as counted in a run (`solve`) or in the plan (`plan`)."""
        self.show(f"{command} {case}")
        return self.trisweep.traffic(command, self.matrix(case.system.matrix), case.grid, case.words)

    def show(self, text: str) -> None:
        """Shows `text` in the progress line."""
        self._progress.show(text)


def _write_whole(file: Path, write: Callable[[Path], Any]) -> None:
    partial = file.with_name(f".{file.name}.partial")
    write(partial)
    partial.replace(file)


def seconds(record: Record) -> float:
    """Returns the seconds of one solve on the slowest rank, the median of the repeats."""
    return record["solve"]["seconds_median"]


def time_ratio(records: Sequence[Record], baseline: Sequence[Record]) -> Spread:
    """Returns the ratios of the records' times to the baseline's, round by round."""
    return spread_of_ratios(map(seconds, records), map(seconds, baseline))


def message_totals(
    record: Record, counts: Sequence[str] = ("sent",), kinds: Sequence[str] = MESSAGE_KINDS
) -> list[int]:
    """Returns for each rank the sum of these counts (sent, received, bytes_sent, ...) over the kinds."""
    return [sum(rank["messages"][kind][count] for kind in kinds for count in counts) for rank in record["ranks"]]


def exact_count(records: Sequence[Record], count: Callable[[Record], int]) -> int:
    """Returns a count that the plan determines. Raises AssertionError if it differs between the records."""
    counts = {count(record) for record in records}
    if len(counts) != 1:
        raise AssertionError(f"a count of the plan differs between runs: {sorted(counts)}")
    return counts.pop()


def busiest_rank(record: Record) -> int:
    """Returns how many messages the busiest rank sends and receives in one solve."""
    return max(message_totals(record, ("sent", "received")))
