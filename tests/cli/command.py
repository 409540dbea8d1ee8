"""What the tests of the trisweep command share: bounded runs of it, alone or under mpirun, and small files.

The environment names what is tested: TRISWEEP_BINARY (the command), TRISWEEP_MPIRUN (how ranks are started) and
TRISWEEP_MATRICES (a folder of real matrices). Run a file by hand from the repository's root after scripts/build:

    python3 tests/cli/edges_test.py -v
"""
import gzip
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("TRISWEEP_BINARY", str(ROOT / "build" / "trisweep"))
MPIRUN = os.environ.get("TRISWEEP_MPIRUN", str(ROOT / "scripts" / "mpirun"))
MATRICES = Path(os.environ.get("TRISWEEP_MATRICES", ROOT.parent / "shared" / "matrices"))

# Epsilon of the precisions.
DOUBLE = 2.0**-52
SINGLE = 2.0**-23
GOOD = 1e-13  # the componentwise backward error that a solve in double precision must reach


def matrices_folder():
    """The real matrices; those shipped in the repository when the full set is not there."""
    if MATRICES.is_dir():
        return MATRICES
    print(f"no folder {MATRICES}: using the matrices of examples/matrices")
    return ROOT / "examples" / "matrices"


@dataclass
class Result:
    command: str
    status: int
    out: str
    err: str

    def __str__(self):
        return f"{self.command}\nexit status {self.status}\n-- stdout\n{self.out}\n-- stderr\n{self.err}"

    def messages(self):
        """The errors of ours in it; mpirun adds lines of its own when a rank fails."""
        return re.findall(r"^trisweep: error: .*(?:\n  .*)*", self.err, re.MULTILINE)

    def warnings(self):
        return re.findall(r"^trisweep: warning: .*", self.err, re.MULTILINE)


def run(*arguments, ranks=0, cwd=None, timeout=120, limits="", launcher=None):
    """Runs the command to its end, without mpirun when `ranks` is 0; a run that takes longer than `timeout` seconds
    fails the test, and prints what hung. `limits` are shell commands that each rank runs first, such as ulimit;
    `launcher` starts ranks in another way than mpirun."""
    line = [BINARY] + [str(a) for a in arguments]
    if limits:
        line = ["sh", "-c", limits + '; exec "$@"', "sh"] + line
    if launcher:
        line = launcher + line
    elif ranks:
        line = shlex.split(MPIRUN) + ["-n", str(ranks)] + line
    process = subprocess.Popen(line, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"no end after {timeout} s: {Result(shlex.join(line), -1, out, err)}") from None
    return Result(shlex.join(line), process.returncode, out, err)


def largest(values):
    """The largest magnitude of the values, real or complex; infinity when one is not a number, which max() would
    lose, so that no limit passes it."""
    magnitudes = [abs(v) for v in values]
    return math.inf if any(math.isnan(m) for m in magnitudes) else max(magnitudes, default=0.0)


def ranks_of(grid):
    return math.prod(map(int, grid.split("x")))


class CommandTest(unittest.TestCase):
    """A test with an empty folder of its own, in which the command runs."""

    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="trisweep-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        data = content.encode() if isinstance(content, str) else content
        if str(name).endswith(".gz"):
            data = gzip.compress(data)
        self.path(name).write_bytes(data)
        return self.path(name)

    def run_here(self, *arguments, **options):
        return run(*arguments, cwd=self.folder, **options)

    def succeed(self, *arguments, **options):
        result = self.run_here(*arguments, **options)
        self.assertEqual(result.status, 0, result)
        return result

    def solve(self, matrix, *arguments, grid="1x1x1", **options):
        """Solves on the grid, and returns the run record."""
        self.succeed("solve", matrix, "--grid", grid, "--json", "run.json", *arguments, ranks=ranks_of(grid),
                     **options)
        return self.record("run.json")

    def solve_well(self, matrix, *arguments, **options):
        record = self.solve(matrix, *arguments, **options)
        self.assertLessEqual(record["solve"]["componentwise_backward_error"], GOOD)
        return record

    def record(self, name):
        return json.loads(self.path(name).read_text())

    def files(self):
        return sorted(p.name for p in self.folder.rglob("*"))


# Files --------------------------------------------------------------------------------------------------------


def matrix_text(n, entries, field="real", symmetry="general"):
    """Matrix Market text of an n x n matrix; `entries` maps (row, column), counted from 0, to values."""
    def value(v):
        return f"{v.real!r} {v.imag!r}" if field == "complex" else repr(v)
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"{n} {n} {len(entries)}"]
    lines += [f"{i + 1} {j + 1} {value(v)}" for (i, j), v in entries.items()]
    return "\n".join(lines) + "\n"


def dense_text(columns, field="real"):
    """Matrix Market text of a dense array given by its columns."""
    lines = [f"%%MatrixMarket matrix array {field} general", f"{len(columns[0])} {len(columns)}"]
    for column in columns:
        lines += [f"{v.real!r} {v.imag!r}" if field == "complex" else repr(v) for v in column]
    return "\n".join(lines) + "\n"


def read_dense(path):
    """The columns of a Matrix Market array."""
    lines = [line for line in Path(path).read_text().splitlines() if line and not line.startswith("%%")]
    is_complex = "complex" in Path(path).read_text().split("\n", 1)[0]
    rows, columns = map(int, lines[0].split())
    values = [complex(*map(float, line.split())) if is_complex else float(line) for line in lines[1:]]
    assert len(values) == rows * columns, f"{path}: {len(values)} values for {rows} x {columns}"
    return [values[c * rows:(c + 1) * rows] for c in range(columns)]


def grid_laplacian(m, shift=0.0):
    """The 5-point graph Laplacian of an m x m grid, singular without a shift."""
    entries = {}
    for x in range(m):
        for y in range(m):
            i = x * m + y
            neighbours = [u * m + v for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
                          if 0 <= u < m and 0 <= v < m]
            entries[i, i] = float(len(neighbours)) + shift
            for j in neighbours:
                entries[i, j] = -1.0
    return entries


def backward_error(n, entries, x, b):
    """max |b - Ax| / (|A| |x| + |b|), computed apart from the command."""
    residual, terms = list(b), [abs(v) for v in b]
    for (i, j), v in entries.items():
        residual[i] -= v * x[j]
        terms[i] += abs(v * x[j])
    return largest(math.inf if not math.isfinite(t) else 0.0 if r == 0 else abs(r) / t
                   for r, t in zip(residual, terms))
