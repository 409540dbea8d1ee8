"""What one rank alone does wrong, every rank hears of."""

import functools

import numpy as np
from systems import COMM, blocks, expect_error, largest, random_matrix, random_vectors

import trisweep

LAST = COMM.size - 1
ALONE = COMM.rank == LAST
NAMED = f"rank {LAST}: "

a = random_matrix()
mine = blocks(60)
local, b = a[mine], random_vectors(60)[mine]


def broken(entry):
    values = local.copy()
    if ALONE:
        values.data[0] = entry
    return values


expect_error(TypeError, NAMED + "a is ndarray", lambda: trisweep.splu(local.toarray() if ALONE else local, comm=COMM))
expect_error(ValueError, "threads", lambda: trisweep.splu(local, comm=COMM, threads=-1 if ALONE else 1))
expect_error(ValueError, "rows", lambda: trisweep.splu(local, comm=COMM, rows=[1, 2] if ALONE else mine))
expect_error(ValueError, "is not finite", lambda: trisweep.splu(broken(np.nan), comm=COMM))
expect_error(ValueError, "twice", lambda: trisweep.splu(local, comm=COMM, rows=0 * mine))
expect_error(ValueError, "not square", lambda: trisweep.splu(local[1:] if ALONE else local, comm=COMM))
if COMM.size > 1:
    expect_error(
        ValueError,
        "options differ",
        lambda: trisweep.splu(local, comm=COMM, refine="best" if ALONE else "auto"),
    )

expect_error(TypeError, "not a communicator", lambda: trisweep.splu(local, comm=5))

with trisweep.splu(local, comm=COMM) as lu:
    x = lu.solve(b)
    expect_error(ValueError, NAMED + "b has the shape", lambda: lu.solve(b[1:] if ALONE else b))
    expect_error(TypeError, "b is object", lambda: lu.solve(b.astype(object) if ALONE else b))
    expect_error(ValueError, "trans", lambda: lu.solve(b, "X" if ALONE else "N"))
    expect_error(ValueError, "out is float32", lambda: lu.solve(b, out=np.empty_like(b, "f4") if ALONE else None))
    expect_error(ValueError, "not finite", lambda: lu.solve(b * np.nan if ALONE else b))
    expect_error(ValueError, "entries", lambda: lu.refactor(local.data[1:] if ALONE else local.data))
    expect_error(ValueError, "another pattern", lambda: lu.refactor(random_matrix(60)[mine - 1] if ALONE else local))
    expect_error(ValueError, "not finite", lambda: lu.refactor(broken(np.inf)))
    expect_error(ValueError, "has the shape", lambda: lu.forward_error(b, x[1:] if ALONE else x))
    if COMM.size > 1:
        expect_error(ValueError, "some ranks give rows", lambda: lu.solve(b, rows=None if ALONE else [0]))
        expect_error(ValueError, "some ranks give rows", lambda: lu.solve(b, system="L" if ALONE else "A"))
        for columns in (0, 2):
            some = np.ones((len(mine), columns if ALONE else 3))
            for call in (lu.solve, lambda v: lu.forward_error(v, v), lambda v: lu.solve(v, rows=[])):
                expect_error(ValueError, "ranks differ in nrhs: nrhs is 3 on rank 0", functools.partial(call, some))
    # None of these has harmed the solver.
    np.testing.assert_array_equal(lu.solve(b), x)
    expect_error(trisweep.NumericalError, "structurally singular", lambda: lu.refactor(0 * local))
    for call in (lambda: lu.solve(b), lambda: lu.solve(b, rows=[]), lu.condition_estimate, lu.slogdet, lu.report):
        expect_error(trisweep.NumericalError, "refactor with other values", call)
    lu.refactor(local)
    assert largest(lu.solve(b) - x) < 1e-12
expect_error(ValueError, "closed", lambda: lu.solve(b))
expect_error(ValueError, "closed", lambda: lu.refactor(local.data))
lu.close()

# Numerical errors are everybody's, and each has its rows of x.
expect_error(trisweep.NumericalError, "singular", lambda: trisweep.splu(0 * local, comm=COMM))
singular = random_matrix().toarray()
singular[3] = singular[4]
singular = type(local)(singular)[mine]
with trisweep.splu(singular, comm=COMM) as lu:
    error = expect_error(trisweep.NumericalError, "singular", lambda: lu.solve(b))
    assert error.x.shape == b.shape
    assert largest(lu.solve(b, on_doubt="ignore") - error.x) == 0

# The signs of a symmetric one stay known when it is factored once more, as LU.
with trisweep.splu(type(local)(np.ones((60, 60)))[mine], comm=COMM) as lu:
    for _ in range(2):
        assert lu.slogdet() == (0, -np.inf)
        assert lu.inertia() == (1, 0, 59)
        expect_error(trisweep.NumericalError, "singular", lambda: lu.solve(b))
