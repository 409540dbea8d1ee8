"""The programs that run other solvers, and ours, by one protocol (bench/peers/driver.cpp)."""

import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trisweep.errors import UserError
from trisweep.grids import Grid
from trisweep.runs import Record, Trisweep, written_json


@dataclass(frozen=True)
class Peer:
    """A solver: its program, and the package that scripts/build --bench needs to build that."""

    name: str
    program: str
    needs: str = ""
    definite_only: bool = False
    threads: bool = False  # its solve can use several threads
    ranks: bool = False
    options: tuple[str, ...] = ()

    def refined(self, error: float) -> "Peer":
        """Returns this peer with solves that the driver refines to this componentwise backward error."""
        return replace(self, options=(*self.options, "--refine", f"{error:g}"))

    def answering(self, error: float) -> "Peer":
        """Returns this peer with its own ordering and pivoting, and answers refined to this error."""
        return self.refined(error).with_options("--answers", name=self.name)

    def compressed(self, eps: float, name: str) -> "Peer":
        return self.with_options("--compress", f"{eps:g}", name=name)

    def with_options(self, *options: str, name: str) -> "Peer":
        return replace(self, name=name, options=(*self.options, *options))


OURS = Peer("Trisweep", "peer_trisweep", threads=True, ranks=True)
# Our best plan for several ranks; of the grid it uses only the number of ranks.
PROPORTIONAL = Peer("Trisweep proportional", OURS.program, ranks=True, options=("--mapping", "proportional"))
# Our solver, with its own refinement and verdict.
SOLVER = Peer("Trisweep", "peer_solver", threads=True)
PARDISO = Peer("MKL PARDISO", "peer_pardiso", "PyPI's mkl in the environment of this command", threads=True)
SCIPY = Peer("SciPy", "peer_scipy.py", "PyPI's scipy in the environment of this command")
CHOLMOD = Peer("CHOLMOD", "peer_cholmod", "libsuitesparse-dev", definite_only=True, threads=True)
MUMPS = Peer("MUMPS", "peer_mumps", "libmumps-dev", threads=True)
KLU = Peer("KLU", "peer_klu", "libsuitesparse-dev")
SUPERLU = Peer("SuperLU", "peer_superlu", "libsuperlu-dev")
UMFPACK = Peer("UMFPACK", "peer_umfpack", "libsuitesparse-dev")
PEERS = (
    CHOLMOD,
    PARDISO,
    MUMPS,
    Peer("SuperLU_DIST", "peer_superlu_dist", "libsuperlu-dist-dev", threads=True, ranks=True),
    SUPERLU,
    SCIPY,
    UMFPACK,
    Peer("PETSc", "peer_petsc", "libpetsc-real-dev"),
)


class PeerPrograms:
    """The peers' programs in the build folder of the command. Raises UserError if it lacks them."""

    def __init__(self, trisweep: Trisweep) -> None:
        self._trisweep = trisweep
        self._folder = trisweep.binary.parent / "bench/peers"
        if not (self._folder / OURS.program).is_file():
            remedy = "make it with scripts/build --bench, and start build-bench/trisweep bench peers"
            raise UserError(f"{trisweep.binary} was built without the peers", remedy)

    def present(self, peer: Peer) -> bool:
        library = peer.program != PARDISO.program or _mkl() is not None
        package = peer.program != SCIPY.program or importlib.util.find_spec("scipy") is not None
        return library and package and (self._folder / peer.program).is_file()

    def prepare(self, matrix: Path, system: Path, as_is: bool = False) -> bool:
        """Writes the system for all peers, scaled and permuted unless `as_is`; returns True if definite."""
        more = ["as-is"] if as_is else []
        self._trisweep.start([str(self._folder / "peer_prepare"), str(matrix), str(system), *more])
        return bool(np.fromfile(system, "<i4", 3)[2])

    def run(self, peer: Peer, system: Path, grid: Grid, threads: int, nrhs: Sequence[int], repeats: int) -> Record:
        """Returns the record of one run: a factorization and the solves. Raises UserError when it fails."""
        program = self._folder / peer.program
        words = [sys.executable] if program.suffix == ".py" else []
        words += [str(program), str(system), "--nrhs", ",".join(map(str, nrhs)), "--repeats", str(repeats)]
        if peer.program == PARDISO.program:
            words += ["--library", str(_mkl())]
        if peer.program != SCIPY.program:
            words += ["--threads", str(threads), "--grid", str(grid)]
        words += peer.options
        return written_json(lambda line: self._trisweep.start(line, grid.ranks, environment_of(threads)), words)


def environment_of(threads: int) -> dict[str, str]:
    """Environment variables that set the number of threads of OpenMP and BLAS, and huge pages for malloc."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    return {**counts, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def _mkl() -> Path | None:
    return next(iter(sorted((Path(sys.prefix) / "lib").glob("libmkl_rt.so*"))), None)
