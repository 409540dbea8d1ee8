"""The programs that run other solvers, and ours, all with one protocol (bench/peers/driver.cpp)."""

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
    """A solver: the name of its program, and what has to be installed before scripts/build --bench makes it."""

    name: str
    program: str
    needs: str = ""
    definite_only: bool = False
    threads: bool = False  # its solve can use several
    ranks: bool = False
    options: tuple[str, ...] = ()

    def refined(self, error: float) -> "Peer":
        """With solves refined, as the driver does it for all, to a componentwise backward error."""
        return replace(self, options=(*self.options, "--refine", f"{error:g}"))

    def answering(self, error: float) -> "Peer":
        """As its user has it: its own order and pivots, answers refined to that componentwise backward error."""
        return self.refined(error).with_options("--answers", name=self.name)

    def compressed(self, eps: float, name: str) -> "Peer":
        return self.with_options("--compress", f"{eps:g}", name=name)

    def with_options(self, *options: str, name: str) -> "Peer":
        return replace(self, name=name, options=(*self.options, *options))


OURS = Peer("Trisweep", "peer_trisweep", threads=True, ranks=True)
# The plan of ours that suits several ranks best; it takes of the grid only their number.
PROPORTIONAL = Peer("Trisweep proportional", OURS.program, ranks=True, options=("--mapping", "proportional"))
# Ours with answers that it refines and judges by itself.
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
    """Beside the command of a build made by scripts/build --bench. Throws UserError where there is none."""

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
        """Writes the system that all are given, scaled and permuted unless `as_is`, and says whether it is definite."""
        more = ["as-is"] if as_is else []
        self._trisweep.start([str(self._folder / "peer_prepare"), str(matrix), str(system), *more])
        return bool(np.fromfile(system, "<i4", 3)[2])

    def run(self, peer: Peer, system: Path, grid: Grid, threads: int, nrhs: Sequence[int], repeats: int) -> Record:
        """The record of one run: a factorization and the solves. Throws UserError when the peer cannot do it."""
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
    """As many threads for whoever asks the environment, and huge pages for whoever takes memory from malloc."""
    counts = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    return {**counts, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def _mkl() -> Path | None:
    return next(iter(sorted((Path(sys.prefix) / "lib").glob("libmkl_rt.so*"))), None)
