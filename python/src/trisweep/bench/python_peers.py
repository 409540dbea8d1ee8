"""Compares `trisweep.splu` with SciPy's and pypardiso: time from the matrix to the first solution, and of
later solves.

Each run is a process; solvers take turns, round by round, and the fastest round counts: on a shared machine
it is closest to the time that the solver itself takes."""

import os
import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.bench.peers import SINGLE
from trisweep.lab import Lab, Settings
from trisweep.peer_programs import environment_of
from trisweep.python_solvers import SOLVERS, present
from trisweep.runs import written_json
from trisweep.tables import Column, Table

OURS, *OTHERS = SOLVERS
COLUMNS = (
    Column("matrix", "matrix"),
    Column("threads", "threads", "d"),
    Column("first", "first solution, ms", ".3g"),
    *(Column(f"first_{name}", f"{name} / ours", ".2f") for name in OTHERS),
    Column("later", "later solve, ms", ".3g"),
    *(Column(f"later_{name}", f"{name} / ours", ".2f") for name in OTHERS),
    *(Column(f"error_{name}", f"error, {name}", ".0e") for name in SOLVERS),
)


def measure(lab: Lab) -> Table:
    names = [name for name in SOLVERS if present(name)]
    notes = [f"Absent: {name}." for name in SOLVERS if name not in names]
    table = Table(COLUMNS, [], [*notes, "Of each solver the fastest round, and in it the fastest solve."])
    for matrix in lab.settings.matrices:
        for threads in lab.settings.threads:
            records = _records(lab, names, matrix, threads)
            table.rows.append({"matrix": Path(matrix).name, "threads": threads, **_row(records)})
    return table


def _records(lab: Lab, names: list[str], matrix: str, threads: int) -> dict[str, list[dict[str, float]]]:
    file = lab.matrix(matrix)
    rounds = lab.in_turns(
        names, lambda name: _run(lab, name, file, threads), lambda name: f"{name}, {matrix}, {threads} threads"
    )
    return dict(zip(names, rounds, strict=True))


def _run(lab: Lab, name: str, matrix: Path, threads: int) -> dict[str, float]:
    words = [name, str(matrix), "--threads", str(threads), "--repeats", str(lab.settings.repeats)]
    program = [sys.executable, "-m", "trisweep.python_solvers", *words]
    return written_json(lambda line: lab.trisweep.start(line, variables=environment_of(threads)), program)


def _row(records: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    best = {
        name: {key: min(record[key] for record in rounds) for key in ("first_seconds", "solve_seconds")}
        for name, rounds in records.items()
    }
    ours = best[OURS]
    row: dict[str, Any] = {"first": 1e3 * ours["first_seconds"], "later": 1e3 * ours["solve_seconds"]}
    for name, rounds in records.items():
        row[f"error_{name}"] = max(record["backward_error"] for record in rounds)
        if name != OURS:
            row[f"first_{name}"] = best[name]["first_seconds"] / ours["first_seconds"]
            row[f"later_{name}"] = best[name]["solve_seconds"] / ours["solve_seconds"]
    return row


def draw(table: Table) -> Figure:
    figure, axes = plots.new_figure(2, 1, width=11.0, height=3.0)
    systems = [f"{row['matrix']}, {row['threads']}" for row in table.rows]
    for one, (key, title) in zip(axes.flat, (("first", "first solution"), ("later", "later solve")), strict=True):
        plots.bars(one, systems, {name: [row.get(f"{key}_{name}") for row in table.rows] for name in OTHERS})
        plots.reference(one)
        plots.log_ratios(one)
        one.set_ylabel("time / ours")
        one.set_title(title, fontsize=9)
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="python-peers",
    title="trisweep.splu beside SciPy's and pypardiso",
    paper="no paper: a comparison",
    measure=measure,
    draw=draw,
    settings=Settings(
        matrices=("s2d9:200", "poisson3d:24", "convection3d:20", "elasticity3d:10", "kkt3d:10"),
        grids=(SINGLE,),
        threads=tuple(dict.fromkeys((1, os.cpu_count() or 1))),
        rounds=5,
        repeats=20,
    ),
    quick=Settings(matrices=("poisson3d:8",), grids=(SINGLE,), threads=(1,), rounds=1, repeats=2),
    takes=("matrix", "threads"),
)
