"""Answers for local rows are those of the whole matrix in one process."""

import numpy as np
from scipy import sparse
from systems import COMM, blocks, expect_error, largest, random_matrix, random_vectors, scattered

import trisweep

OPS = {"N": lambda a: a, "T": lambda a: a.T, "H": lambda a: a.conj().T}


def check(lu, a, mine, dtype, b_dtype):
    for trans, op in OPS.items():
        for columns in ((), (1,), (3,)):
            b = random_vectors((a.shape[0], *columns), b_dtype)
            expected = np.linalg.solve(op(a).toarray(), b)
            x = lu.solve(b[mine], trans)
            assert x.dtype == np.result_type(dtype, b_dtype), x.dtype
            assert x.shape == b[mine].shape
            error = largest(x - expected[mine]) / np.abs(expected).max()
            assert error < 1000 * np.finfo(dtype).eps, (dtype, trans, columns, error)


def check_dtypes():
    for dtype in ("float32", "float64", "complex64", "complex128"):
        a = random_matrix(dtype=dtype)
        n = a.shape[0]
        mine = blocks(n)
        with trisweep.splu(a[mine], comm=COMM) as lu:
            assert (lu.shape, lu.local_rows, lu.dtype) == ((n, n), len(mine), np.dtype(dtype))
            assert lu.nnz >= a.nnz and set(COMM.allgather(lu.nnz)) == {lu.nnz}
            check(lu, a, mine, dtype, dtype)
        mine = scattered(n)
        with trisweep.splu(a[mine], comm=COMM, rows=mine) as lu:
            check(lu, a, mine, dtype, dtype)


def check_forms():
    a = random_matrix()
    mine = blocks(60)
    with trisweep.splu(sparse.coo_matrix(a[mine]), comm=COMM, rows=mine[0] if len(mine) else 0) as lu:
        check(lu, a, mine, "float64", "complex128")  # of a real matrix
        b = random_vectors((60, 2))
        x = lu.solve(b[mine])
        np.testing.assert_array_equal(lu.solve(sparse.csr_array(b[mine])), x)
        out = np.empty_like(x)
        assert lu.solve(b[mine], out=out) is out
        np.testing.assert_array_equal(out, x)
        # Complex on one rank alone.
        mixed = b[mine].astype("complex128") if COMM.rank == 0 else b[mine]
        assert largest(lu.solve(mixed) - x) < 1e-13
        for bound in lu.forward_error(b[mine], x):
            assert 0 < bound.bound < 1e-10 and len(set(COMM.allgather(bound.bound))) == 1
        lu.refactor(3 * a[mine])
        assert largest(lu.solve(b[mine]) - x / 3) < 1e-13
        lu.refactor(a[mine].data)
        assert largest(lu.solve(b[mine]) - x) < 1e-13
    local = trisweep.spsolve(a[mine], b[mine], comm=COMM)
    np.testing.assert_array_equal(local, x)
    # Integers on one rank, single precision on the others.
    eye = sparse.eye_array(60, format="csr")[mine]
    with trisweep.splu(2 * eye.astype("int32" if COMM.rank == 0 else "float32"), comm=COMM, threads=2) as lu:
        assert lu.dtype == np.float64
        assert largest(lu.solve(b[mine]) - b[mine] / 2) == 0


def check_analysis():
    a = random_matrix()
    mine = scattered(60)
    b = random_vectors(60)
    plan = trisweep.analyze(a[mine], comm=COMM, rows=mine)
    solvers = [plan.factorize(factor * a[mine]) for factor in (1, 2)]
    for factor, lu in zip((1, 2), solvers, strict=True):
        assert largest(factor * lu.solve(b[mine]) - np.linalg.solve(a.toarray(), b)[mine]) < 1e-12
        if COMM.size > 1:
            expect_error(ValueError, "distributed", lambda lu=lu: lu.L)
        lu.close()
    expect_error(ValueError, "entries", lambda: plan.factorize(a[mine].data[COMM.rank == 0 :]))


def check_parts_of_the_ranks():
    """Solvers of some ranks, side by side."""
    half = COMM.Split(COMM.rank % 2, COMM.rank)
    a = (COMM.rank % 2 + 1) * random_matrix()
    mine = np.array_split(np.arange(60), half.size)[half.rank]
    b = random_vectors(60)
    with trisweep.splu(a[mine], comm=half) as lu:
        assert np.abs(lu.solve(b[mine]) - np.linalg.solve(a.toarray(), b)[mine]).max() < 1e-12
    half.Free()


check_dtypes()
check_forms()
check_analysis()
check_parts_of_the_ranks()
