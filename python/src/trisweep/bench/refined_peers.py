"""Compares solves with compressed factors, refined to the same componentwise backward error, with other
solvers.

All are refined in the same way, by the common protocol, with no more steps than needed. MUMPS runs with
uncompressed factors and with low-rank ones of several accuracies (`ICNTL(35)=2`), the fastest counting."""

from trisweep.bench.experiment import Experiment
from trisweep.bench.peers import FACTORIZATION, SINGLE, WHAT, contest, draw
from trisweep.lab import Lab, Settings
from trisweep.peer_programs import CHOLMOD, MUMPS, OURS, PARDISO
from trisweep.tables import Column, Table

ERROR = 1e-15
AUTOMATIC = 9.3e-10  # the first eps that --compress auto tries
LOW_RANK = (1e-4, 1e-6, 1e-8, 1e-10)
COLUMNS = (
    *WHAT,
    Column("passes", "passes", "d"),
    Column("bytes_ratio", "factors / ours", ".2f"),
    *FACTORIZATION,
)


def measure(lab: Lab) -> Table:
    low_rank = (MUMPS.compressed(eps, f"MUMPS BLR {eps:g}") for eps in LOW_RANK)
    solvers = (OURS.compressed(AUTOMATIC, "Trisweep compressed"), OURS, CHOLMOD, PARDISO, MUMPS, *low_rank)
    ours, *others = (solver.refined(ERROR) for solver in solvers)
    return contest(lab, ours, others, COLUMNS)


EXPERIMENT = Experiment(
    name="refined-peers",
    title="refined solves with compressed factors beside other solvers'",
    paper="no paper: a comparison",
    measure=measure,
    draw=draw,
    settings=Settings(matrices=("poisson3d:64",), grids=(SINGLE,), nrhs=(1,), threads=(1,), rounds=2, repeats=7),
    quick=Settings(matrices=("poisson3d:12",), grids=(SINGLE,), nrhs=(1,), threads=(1,), rounds=1, repeats=2),
    takes=("matrix", "threads"),
)
