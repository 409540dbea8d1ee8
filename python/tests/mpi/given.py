"""SciPy's factors on the first rank, rows of A on all."""

import types

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from systems import COMM, blocks, expect_error, largest, random_matrix, random_vectors, scattered

import trisweep

N = 150
ROOT = COMM.rank == 0

for dtype in ("float32", "complex128"):
    a = random_matrix(N, dtype)
    theirs = linalg.splu(sparse.csc_array(a))
    b = random_vectors((N, 3), dtype)
    for mine in (blocks(N), scattered(N)):
        with trisweep.from_factors(a[mine], theirs if ROOT else None, comm=COMM, rows=mine) as lu:
            assert lu.report()["factor"]["seconds"] == 0
            for trans in "NTH":
                expected = theirs.solve(b, trans)
                error = largest(lu.solve(b[mine], trans) - expected[mine])
                assert error < 1000 * np.finfo(dtype).eps * np.abs(expected).max(), error

mine = blocks(N)
expect_error(ValueError, "None", lambda: trisweep.from_factors(a[mine], None, comm=COMM, rows=mine))
wrong = types.SimpleNamespace(L=theirs.U, U=theirs.U, perm_r=theirs.perm_r, perm_c=theirs.perm_c)
expect_error(ValueError, "L has an entry", lambda: trisweep.from_factors(a[mine], wrong, comm=COMM, rows=mine))
