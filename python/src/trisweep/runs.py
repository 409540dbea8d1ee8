"""Starts `trisweep`, in one process or on several ranks, and reads the files that it writes."""

import csv
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from trisweep.errors import UserError, unreadable
from trisweep.grids import Grid

Record = dict[str, Any]
"""A run record (docs/run-record.md), or another JSON document that the command writes."""

TIME_LIMIT = 900  # seconds for one run; far more than any takes, so that only hanging runs are ended


@dataclass(frozen=True)
class Traffic:
    """Messages and bytes between ranks in a run or a plan, of all kinds; an array entry per pair of ranks."""

    ranks: int
    source: np.ndarray
    target: np.ndarray
    messages: np.ndarray
    bytes: np.ndarray

    def per_rank(self, quantity: np.ndarray) -> np.ndarray:
        """Returns for each rank the sum of `quantity` that it sends and receives."""
        sent = np.bincount(self.source, quantity, self.ranks)
        return sent + np.bincount(self.target, quantity, self.ranks)

    def matrix(self, quantity: np.ndarray) -> np.ndarray:
        """Returns the ranks x ranks matrix of `quantity`; row sends to column."""
        dense = np.zeros((self.ranks, self.ranks))
        np.add.at(dense, (self.source, self.target), quantity)
        return dense


def read_traffic(file: Path, ranks: int = 0) -> Traffic:
    """Reads a file of `--traffic`: from,to,kind,messages,bytes. 0 ranks: as many as occur in it. Raises
    UserError, naming file and line, if it is not such a file."""
    rows = []
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            reader = csv.DictReader(lines)
            for row in reader:
                rows.append([int(row[key]) for key in ("from", "to", "messages", "bytes")])
    except OSError as error:
        raise unreadable(file, error) from None
    except (KeyError, ValueError, TypeError):
        raise UserError(f"{file}, line {reader.line_num}: not a line of --traffic", "write the file again") from None
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Traffic(ranks or 1 + int(columns[:2].max(initial=0)), *columns)


def scratch_folder() -> tempfile.TemporaryDirectory:
    """A new temporary folder, as a context manager that gives its path."""
    return tempfile.TemporaryDirectory(prefix="trisweep-bench-")


def written_json(run: Callable[[list[str]], None], words: Sequence[str]) -> Record:
    """Returns the JSON document that a program writes with `--json`; `run` runs the program with the
    arguments that it is given. Raises what `run` raises."""
    with scratch_folder() as folder:
        file = Path(folder) / "out.json"
        run([*words, "--json", str(file)])
        return json.loads(file.read_text())


class Trisweep:
    """The command, the launcher of its ranks, and the script that runs it under SimGrid, if there is one."""

    def __init__(self, binary: Path, mpirun: Sequence[str], simgrid_script: Path | None = None) -> None:
        self.binary = binary
        self.mpirun = tuple(mpirun)
        self.simgrid_script = simgrid_script

    @cached_property
    def fingerprint(self) -> str:
        """Hash that identifies the build of the command."""
        return hashlib.sha256(self.binary.read_bytes()).hexdigest()

    def run(self, words: Sequence[str], ranks: int = 1) -> None:
        """Runs the command to its end. Raises UserError with its output when it fails."""
        self.start([str(self.binary), *words], ranks)

    def start(self, program: Sequence[str], ranks: int = 1, variables: Mapping[str, str] | None = None) -> None:
        """As `run`, for any program with its arguments, and with these additional environment variables."""
        line = [*self.mpirun, "-n", str(ranks)] if ranks > 1 else []
        line += program
        # In its own session, so that an interrupt or the time limit ends mpirun and all of its ranks.
        process = subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, **(variables or {})},
        )
        try:
            said, _ = process.communicate(timeout=TIME_LIMIT)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"no end after {TIME_LIMIT} s: {shlex.join(line)}"
                raise UserError(message, "try fewer ranks or a smaller matrix") from None
            raise
        if process.returncode != 0:
            raise UserError(
                f"a run failed with exit status {process.returncode}: {shlex.join(line)}\n{_quoted(said)}",
                "see what it says, or run that line by itself",
            )

    def document(self, words: Sequence[str], ranks: int = 1) -> Record:
        """Returns the JSON document that the command writes with `--json`."""
        return written_json(lambda line: self.run(line, ranks), words)

    def solve(self, matrix: Path, grid: Grid, options: Sequence[str] = ()) -> Record:
        """Returns the record of a run on the grid."""
        return self.document(["solve", str(matrix), "--grid", str(grid), *options], grid.ranks)

    def simgrid(self, analysis: Path, prediction: Sequence[str]) -> Record:
        """Returns SimGrid's result for a plan; `prediction`: arguments that predict it from this analysis."""
        program = self.binary.parent / "tests/simgrid/libsimulated_solve.so"
        if self.simgrid_script is None or not program.is_file():
            remedy = "install libsimgrid-dev, build with the tests (scripts/build), and work in the checkout"
            raise UserError(f"{self.binary} was built without SimGrid", remedy)
        with scratch_folder() as folder:
            predicted, out = Path(folder) / "predicted.json", Path(folder) / "out.json"
            self.run([*prediction, "--no-floors", "--json", str(predicted)])
            line = [str(self.simgrid_script), str(analysis), str(predicted), str(out)]
            self.start(line, variables={"TRISWEEP_SIMULATED_SOLVE": str(program)})
            return json.loads(out.read_text())

    def plan(self, matrix: Path, grid: Grid, options: Sequence[str] = ()) -> Record:
        """Returns the plan for the grid, which may be of any size: no ranks are started."""
        return self.document(["plan", str(matrix), "--grid", str(grid), *options])

    def traffic(self, command: str, matrix: Path, grid: Grid, options: Sequence[str] = ()) -> Traffic:
        """Returns the messages between ranks in a run (`solve`) or a plan (`plan`)."""
        with scratch_folder() as folder:
            file = Path(folder) / "traffic.csv"
            words = [command, str(matrix), "--grid", str(grid), *options, "--traffic", str(file)]
            self.run(words, grid.ranks if command == "solve" else 1)
            return read_traffic(file, grid.ranks)


def _end(process: subprocess.Popen) -> None:
    process.terminate()  # which mpirun passes on to its ranks
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _quoted(said: str) -> str:
    # mpirun's own report of a failed rank, which begins with a dashed line, adds nothing and is dropped.
    ours = re.split(r"^-{20,}$", said, maxsplit=1, flags=re.MULTILINE)[0].strip()
    return "\n".join("  | " + line for line in (ours or said.strip()).splitlines()[-20:])


def find_trisweep(binary: str | None) -> Trisweep:
    """Returns the command to measure: `binary`; else the one that started this program (TRISWEEP_BINARY);
    else that of the checkout this environment belongs to; else the one on PATH. Ranks are started with
    TRISWEEP_MPIRUN, else with scripts/mpirun of the checkout, else with the mpirun on PATH. Raises UserError
    if none is found."""
    checkout = Path(sys.prefix).parent
    built = str(checkout / "build/trisweep")
    named = binary or os.environ.get("TRISWEEP_BINARY")
    found = named or (built if Path(built).is_file() else shutil.which("trisweep"))
    if found is None:
        raise UserError("the trisweep command was not found", "build it with scripts/build, or name it with --binary")
    path = Path(found).resolve()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UserError(f"{found} is not a program", "build it with scripts/build, or name another with --binary")
    checkouts = [path.parent.parent, checkout]
    return Trisweep(path, find_mpirun(checkouts), _script("simgrid", checkouts))


def _script(name: str, checkouts: Sequence[Path]) -> Path | None:
    files = (checkout / "scripts" / name for checkout in checkouts)
    return next((file for file in files if file.is_file()), None)


def find_mpirun(checkouts: Sequence[Path]) -> list[str]:
    if words := os.environ.get("TRISWEEP_MPIRUN"):
        return shlex.split(words)
    if shutil.which("mpirun") is None:
        remedy = "install MPI (scripts/install-deps), or name a launcher in TRISWEEP_MPIRUN"
        raise UserError("mpirun was not found", remedy)
    return [str(_script("mpirun", checkouts) or "mpirun")]
