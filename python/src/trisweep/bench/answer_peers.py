"""Compares the time of answers with other solvers: from the matrix to the first answer, of each later answer,
and of a factorization of new values.

All solvers get the original matrix and use their own ordering, scaling and pivoting. An answer is a solution
with a componentwise backward error of at most ten epsilon. Ours comes from `Solver::solve`, verdict included;
for the others one compiled loop (bench/peers/answer.hpp) checks each solution and refines it if necessary.
Answers are computed in immediate succession; nothing empties the caches in between."""

from collections.abc import Iterator
from statistics import geometric_mean, median
from typing import Any

from trisweep.bench.experiment import Experiment
from trisweep.bench.peers import SINGLE, Pairs, Run, contest, draw
from trisweep.lab import Lab, Settings
from trisweep.peer_programs import CHOLMOD, KLU, MUMPS, PARDISO, SCIPY, SOLVER, SUPERLU, UMFPACK
from trisweep.tables import Column, Table, counted, grouped, spread

ERROR = 10 * 2.0**-52
LARGE = 100_000  # entries of our factors; from this size the best peer is the reference, below it KLU

COLUMNS = (
    Column("matrix", "matrix"),
    Column("nrhs", "right-hand sides", "d"),
    Column("solver", "solver"),
    Column("kind", "factors"),
    Column("entries", "entries of factors", ".3g"),
    Column("analysis", "analysis, ms", ".3g"),
    Column("factorization", "factorization, ms", ".3g"),
    Column("refactorization", "new values, ms", ".3g"),
    Column("first", "matrix to first answer, ms", ".3g"),
    Column("milliseconds", "answer, ms", ".3g"),
    Column("passes", "solves", "d"),
    Column("time_ratio", "answer / ours", ".2f"),
    Column("setup_ratio", "analysis and factorization / ours", ".2f"),
    Column("refactor_ratio", "new values / ours", ".2f"),
    Column("backward_error", "backward error", ".0e"),
)


def _setup(run: Run) -> float:
    return run.factor["analysis_seconds"] + run.factor["seconds"]


def _refactorization(run: Run) -> float:
    return median(run.factor["refactor_seconds"])


def _values(name: str, pairs: Pairs) -> dict[str, Any]:
    runs = [run for run, _ in pairs]
    return {
        "solver": f"{name} {runs[0].record['version']}",
        "kind": runs[0].record["kind"],
        "entries": runs[0].factor["entries_swept"],
        "analysis": spread(1e3 * run.factor["analysis_seconds"] for run in runs),
        "factorization": spread(1e3 * run.factor["seconds"] for run in runs),
        "refactorization": spread(1e3 * _refactorization(run) for run in runs),
        "first": spread(1e3 * (_setup(run) + run.solves["first_seconds"]) for run in runs),
        "milliseconds": spread(1e3 * run.seconds for run in runs),
        "passes": runs[0].solves["passes"],
        "time_ratio": spread(run.seconds / our.seconds for run, our in pairs),
        "setup_ratio": spread(_setup(run) / _setup(our) for run, our in pairs),
        "refactor_ratio": spread(_refactorization(run) / _refactorization(our) for run, our in pairs),
        "backward_error": max(run.solves["backward_error"] for run in runs),
        "refused": runs[0].solves["refused"],
    }


def measure(lab: Lab) -> Table:
    own_refinement = PARDISO.with_options("--own-refinement", name="MKL PARDISO, its refinement")
    others = (KLU, SCIPY, PARDISO, own_refinement, CHOLMOD, MUMPS, UMFPACK, SUPERLU)
    ours, *all_others = (solver.answering(ERROR) for solver in (SOLVER, *others))
    table = contest(lab, ours, all_others, COLUMNS, values=_values, as_is=True)
    table.notes += _refused(table) + [note for nrhs in lab.settings.nrhs for note in _summary(table, nrhs)]
    return table


def _refused(table: Table) -> list[str]:
    return [
        f"Refused on {row['matrix']}, {row['nrhs']} right-hand sides: {row['solver']}, {row['refused']}."
        for row in table.rows
        if row["refused"]
    ]


def _summary(table: Table, nrhs: int) -> list[str]:
    """Returns a table with a line per system: the fastest answer and the fastest factorization."""
    columns = (
        Column("matrix", counted(nrhs, "right-hand side")),
        Column("entries", "entries of our factors", ".3g"),
        Column("answer", "best answer / ours"),
        Column("klu", "KLU's answer / ours"),
        Column("setup", "best analysis and factorization / ours"),
        Column("new", "KLU's new values / ours"),
    )
    lines = list(_lines([row for row in table.rows if row["nrhs"] == nrhs]))
    if not lines:
        return []
    best = [line["best"] for line in lines]
    large = [line["best"] for line in lines if line["entries"] > LARGE]
    of_large = f", {min(large):.2f} where our factors have more than {LARGE:,} entries" if large else ""
    return [
        Table(columns, lines).markdown().strip(),
        f"{counted(nrhs, 'right-hand side')}: the best peer's answer takes {geometric_mean(best):.2f} "
        f"times as long as ours (geometric mean), {min(best):.2f} times at worst{of_large}.",
    ]


def _lines(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for (matrix,), (ours, *others) in grouped(rows, "matrix").items():
        if not others:
            continue
        klu = next((row for row in others if row["name"] == KLU.name), None)
        yield {
            "matrix": matrix,
            "entries": ours["entries"],
            "best": min(row["time_ratio"].median for row in others),
            "answer": _named(others, "time_ratio"),
            "klu": f"{klu['time_ratio'].median:.2f}" if klu else "",
            "setup": _named(others, "setup_ratio"),
            "new": f"{klu['refactor_ratio'].median:.2f}" if klu else "",
        }


def _named(rows: list[dict[str, Any]], ratio: str) -> str:
    best = min(rows, key=lambda row: row[ratio].median)
    return f"{best[ratio].median:.2f} ({best['name']})"


EXPERIMENT = Experiment(
    name="answer-peers",
    title="answers beside other solvers'",
    paper="no paper: a comparison",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=(
            *("s2d9:512", "poisson3d:40", "convection3d:40", "maxwell3d:24", "elasticity3d:20", "fusion:10"),
            *("tridiagonal:200000", "banded:50000", "block-diagonal:10000", "arrow:100000"),
        ),
        grids=(SINGLE,),
        nrhs=(1, 50),
        threads=(1,),
        rounds=3,
        repeats=3,
    ),
    quick=Settings(matrices=("s2d9:24",), grids=(SINGLE,), nrhs=(1, 50), threads=(1,), rounds=1, repeats=2),
    takes=("matrix", "nrhs", "threads"),
)
