"""The processes that share a matrix: a single one, or the ranks of an mpi4py communicator."""

import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from trisweep import _core

if TYPE_CHECKING:
    from mpi4py import MPI

Result = TypeVar("Result")


class Ranks:
    """All methods are collective."""

    def __init__(self, comm: "MPI.Comm | None") -> None:
        self.comm = comm
        self.size = 1
        self.rank = 0
        self.handle: int | None = None  # the communicator's Fortran handle
        if comm is None:
            return
        from mpi4py import MPI

        if not isinstance(comm, MPI.Intracomm):
            raise TypeError(f"comm is {comm!r}, not a communicator of mpi4py's within one group (MPI.Intracomm)")
        if not MPI.Is_initialized() or MPI.Is_finalized():
            raise RuntimeError("MPI does not run: it is not initialized, or finalized already")
        self.size = comm.size
        self.rank = comm.rank
        theirs = MPI.Get_library_version().rstrip("\0 \n")
        if _core.mpi_library().rstrip("\0 \n") != theirs:
            raise ValueError(
                f"mpi4py uses {theirs}, and trisweep {_core.mpi_library()}: install an mpi4py for that, or set"
                " MPI4PY_MPIABI"
            )
        self._mpi = MPI
        self.handle = comm.py2f()

    def agree(self, work: Callable[[], Result]) -> Result:
        """Returns the result of `work` on this rank. If it fails on any rank, the exception of the lowest
        such rank is raised on all ranks. `work` must not communicate.
        """
        if self.comm is None:
            return work()
        failure = b""
        try:
            result = work()
        except BaseException as error:  # Ctrl-C, too: the others would wait
            failure = _pickled(error, self.comm.rank)
        first = np.array(self.comm.rank if failure else self.comm.size)
        self.comm.Allreduce(self._mpi.IN_PLACE, first, self._mpi.MIN)
        if first == self.comm.size:
            return result
        raise pickle.loads(self.comm.bcast(failure, root=int(first)))

    def any(self, flag: bool) -> bool:
        """Returns whether the flag is set on any rank."""
        if self.comm is None:
            return flag
        flags = np.array(int(flag))
        self.comm.Allreduce(self._mpi.IN_PLACE, flags, self._mpi.MAX)
        return bool(flags)

    def require_same(self, value: int, name: str) -> None:
        """Raises ValueError on all ranks if their values differ."""
        if self.same(value):
            return
        values = self.gather(value)
        for rank, other in enumerate(values):
            if other != values[0]:
                raise ValueError(
                    f"ranks differ in {name}: {name} is {values[0]} on rank 0, but {other} on rank {rank}\n"
                    "  remedy: pass the same on every rank"
                )

    def same(self, value: int) -> bool:
        """Returns whether the value is the same on all ranks."""
        if self.comm is None:
            return True
        largest = np.array([value, -value])
        self.comm.Allreduce(self._mpi.IN_PLACE, largest, self._mpi.MAX)
        return bool(largest[0] == -largest[1])

    def gather(self, value: Any) -> list[Any]:  # noqa: ANN401
        """Returns the values of all ranks, by rank."""
        return [value] if self.comm is None else self.comm.allgather(value)

    def on_root(self, work: Callable[[], Result]) -> Result | None:
        """Returns `work()` of rank 0, None on other ranks. An exception of it is raised on all ranks."""
        return self.agree(lambda: work() if self.rank == 0 else None)

    def deal(self, parts: list[Result] | None) -> Result:
        """This rank's entry of rank 0's `parts`, sent one by one: mpi4py sends at most 2 GiB at once."""
        if self.comm is None:
            return parts[0]
        for rank in range(self.size):
            part = self.comm.bcast(None if parts is None else parts[rank])
            if rank == self.rank:
                mine = part
        return mine


def _pickled(error: BaseException, rank: int) -> bytes:
    """Pickles the error, its rank in the message; as a RuntimeError if its class cannot be pickled."""
    message = f"rank {rank}: {error}"
    try:
        return pickle.dumps(type(error)(message))
    except Exception:
        return pickle.dumps(RuntimeError(f"{message} ({type(error).__name__})"))
