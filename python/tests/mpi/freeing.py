"""Garbage collectors come when they like: in another order, and at other times, on each rank."""

import gc
import sys
import warnings

from systems import COMM, blocks, largest, random_matrix, random_vectors

import trisweep

N = 60
mine = blocks(N)
local, b = random_matrix(N)[mine], random_vectors(N)[mine]


def used():
    lu = trisweep.splu(local, comm=COMM)
    lu.solve(b)
    lu.cycle = lu  # so that only the collector frees it
    return lu


def check_any_order():
    gc.disable()
    warnings.simplefilter("ignore", ResourceWarning)
    solvers = {k: used() for k in range(4)}
    expected = solvers[0].solve(b)
    # Rank r frees those in an order of its own, each between collective calls of another solver: with one missing
    # on this rank and not on that, a free that waits for others never returns.
    for step in range(3):
        del solvers[1 + (step + COMM.rank) % 3]
        gc.collect()
        assert largest(solvers[0].solve(b) - expected) == 0
    # One rank frees alone, and the others do when it has gone on.
    if COMM.rank == 0:
        solvers.clear()
        gc.collect()
    COMM.Barrier()
    solvers.clear()
    gc.collect()
    gc.enable()


def check_warning():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lu = trisweep.splu(local, comm=COMM)
        del lu
        with trisweep.splu(local, comm=COMM):
            pass
    assert [w.category for w in caught] == [ResourceWarning] * (COMM.size > 1), caught


def check_communicators():
    """Solvers that come and go: MPI gives out the same handle after them."""
    before = next_handle()
    for _ in range(100 // COMM.size):
        with trisweep.splu(local, comm=COMM) as lu:
            lu.solve(b)
    assert next_handle() == before


def next_handle():
    comm = COMM.Dup()
    handle = comm.py2f()
    comm.Free()
    return handle


check_any_order()
check_warning()
check_communicators()
# At exit, on some ranks after MPI has ended.
lu = trisweep.splu(local, comm=COMM)
if COMM.rank % 2:
    sys.kept = lu
