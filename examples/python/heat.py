"""The heat equation in a plate, by backward Euler: one factorization, a solve for each step.

SciPy's program with another `splu`, and the same temperatures.
"""

import numpy as np
import scipy.sparse.linalg
from scipy import sparse

import trisweep

N, STEPS, STEP = 40, 50, 1e-3  # points of a side, time steps and their length


def temperatures(splu) -> np.ndarray:
    h = 1 / (N + 1)
    line = sparse.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(N, N)) / h**2
    eye = sparse.eye_array(N)
    laplacian = sparse.kron(line, eye) + sparse.kron(eye, line)
    lu = splu(sparse.csc_array(sparse.eye_array(N * N) - STEP * laplacian))
    x, y = np.meshgrid(*2 * [np.arange(1, N + 1) * h])
    u = (np.sin(np.pi * x) * np.sin(2 * np.pi * y)).ravel()
    for _ in range(STEPS):
        u = lu.solve(u)
    return u


ours, scipys = temperatures(trisweep.splu), temperatures(scipy.sparse.linalg.splu)
h = 1 / (N + 1)
rate = 4 / h**2 * (np.sin(np.pi * h / 2) ** 2 + np.sin(np.pi * h) ** 2)  # of the mode that it begins with
left = (1 + STEP * rate) ** -STEPS
x, y = np.meshgrid(*2 * [np.arange(1, N + 1) * h])
exact = left * (np.sin(np.pi * x) * np.sin(2 * np.pi * y)).ravel()
print(f"after {STEPS} steps {left:.4f} of the temperatures is left, to {np.abs(ours - exact).max():.1e}")
assert np.abs(ours - exact).max() < 1e-12
assert np.abs(ours - scipys).max() < 1e-12
