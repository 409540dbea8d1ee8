"""Solvers are saved by some ranks and loaded by others, which may have other rows."""

import pickle
import tempfile
from pathlib import Path

import numpy as np
from systems import COMM, blocks, expect_error, largest, random_matrix, random_vectors, scattered

import trisweep

N = 60


def solves(lu, a, mine):
    """Without factoring; then other values, too."""
    b = random_vectors(N, lu.dtype)
    assert lu.report()["factor"]["seconds"] == 0
    expected = np.linalg.solve(a.toarray(), b)
    scale = 1000 * np.finfo(lu.dtype).eps * np.abs(expected).max()
    assert largest(lu.solve(b[mine]) - expected[mine]) < scale
    lu.refactor(2 * a[mine])
    assert largest(2 * lu.solve(b[mine]) - expected[mine]) < scale
    lu.close()


def check_rows(folder):
    even = np.array_split(np.arange(N), COMM.size)[COMM.rank]
    for dtype, precision in (
        ("float32", "double"),
        ("float64", "mixed"),
        ("complex64", "double"),
        ("complex128", "double"),
    ):
        a = random_matrix(dtype=dtype)
        for first, second in ((blocks(N), scattered(N)), (scattered(N), blocks(N))):
            with trisweep.splu(a[first], comm=COMM, rows=first, precision=precision) as lu:
                lu.save(folder)
            solves(trisweep.load(folder, comm=COMM), a, even)
            solves(trisweep.load(folder, comm=COMM, rows=second), a, second)
            solves(trisweep.load(folder), a, np.arange(N))  # each rank by itself
            COMM.Barrier()


def check_bits(folder):
    """The same ranks with the same rows have the same answers."""
    a, b, mine = random_matrix(), random_vectors(N), blocks(N)
    with trisweep.splu(a[mine], comm=COMM) as lu:
        lu.save(folder)
        with trisweep.load(folder, comm=COMM, rows=mine, threads=2) as again:
            np.testing.assert_array_equal(again.solve(b[mine]), lu.solve(b[mine]))
        expect_error(TypeError, "save()", lambda: pickle.dumps(lu))


def check_errors(folder):
    mine = blocks(N)
    with trisweep.splu(random_matrix()[mine], comm=COMM) as lu:
        expect_error(OSError, "none", lambda: lu.save(folder / "none/none"))
        lu.save(folder)  # after that
    expect_error(FileNotFoundError, "none", lambda: trisweep.load(folder / "none", comm=COMM))
    expect_error(ValueError, "threads", lambda: trisweep.load(folder, comm=COMM, threads=-1 if COMM.rank == 0 else 1))
    expect_error(ValueError, "twice", lambda: trisweep.load(folder, comm=COMM, rows=0 * mine))
    expect_error(ValueError, "rows", lambda: trisweep.load(folder, comm=COMM, rows=mine + 1))
    if COMM.size > 1:
        expect_error(ValueError, "rows", lambda: trisweep.load(folder, comm=COMM, rows=mine if COMM.rank else None))
    COMM.Barrier()
    if COMM.rank == 0:
        file = folder / "panels-0.h5"
        file.write_bytes(file.read_bytes()[:-100])
    COMM.Barrier()
    expect_error(ValueError, "panels-0.h5", lambda: trisweep.load(folder, comm=COMM))


place = tempfile.TemporaryDirectory() if COMM.rank == 0 else None
path = Path(COMM.bcast(place.name if place else None)) / "a.factors"
check_rows(path)
check_bits(path)
check_errors(path)
COMM.Barrier()
if place:
    place.cleanup()
