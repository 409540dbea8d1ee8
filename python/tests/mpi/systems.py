"""Matrices and vectors that every rank makes alike, and its rows of them."""

import numpy as np
from mpi4py import MPI
from scipy import sparse

COMM = MPI.COMM_WORLD


def random_matrix(n=60, dtype="float64"):
    random = np.random.default_rng(1)
    a = sparse.random_array((n, n), density=4 / n, rng=random) + 4 * sparse.eye_array(n)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * sparse.random_array((n, n), density=4 / n, rng=random)
    return sparse.csr_array(a.astype(dtype))


def random_vectors(shape, dtype="float64"):
    random = np.random.default_rng(2)
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def blocks(n):
    """Consecutive rows, unevenly; with three ranks or more the second has none."""
    ends = [n * (r + 1) ** 2 // COMM.size**2 for r in range(COMM.size)]
    if COMM.size > 2:
        ends[1] = ends[0]
    return np.arange(0 if COMM.rank == 0 else ends[COMM.rank - 1], ends[COMM.rank])


def scattered(n):
    return np.random.default_rng(3).permutation(n)[COMM.rank :: COMM.size]


def largest(values):
    """Over all ranks; NaN where one is."""
    return float(np.max(COMM.allgather(np.max(np.abs(values), initial=0))))


def expect_error(kind, words, call):
    """The error on this rank, which all have alike."""
    try:
        call()
    except kind as error:
        texts = COMM.allgather((type(error).__name__, str(error)))
        assert all(text == texts[0] for text in texts), texts
        assert words in str(error), error
        return error
    raise AssertionError(f"no {kind.__name__}: {words}")
