"""Eigenvalues near a shift: SciPy's eigsh with A - sigma I factored here, beside SciPy's own factors."""

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

import trisweep

N, SIGMA = 30, 1.7
line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(N, N))
a = sparse.csc_array(sparse.kron(line, sparse.eye_array(N)) + sparse.kron(sparse.eye_array(N), line))

inverse = trisweep.splu(a - SIGMA * sparse.eye_array(N * N)).aslinearoperator()
values, vectors = eigsh(a, k=6, sigma=SIGMA, OPinv=inverse)
print("eigenvalues near", SIGMA, "are", np.sort(values).round(6))
assert np.abs(a @ vectors - vectors * values).max() < 1e-10
assert np.abs(np.sort(values) - np.sort(eigsh(a, k=6, sigma=SIGMA)[0])).max() < 1e-10
