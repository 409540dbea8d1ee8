"""The gradient of a measurement in every parameter, by one solve with A^H and the factors of A.

A wave with damping, A(c) u = f, and J = |m^H u|^2 at one point; dJ/dc_i = -2 Re(conj(s) w_i^* dA_ii/dc_i u_i), where
s = m^H u and A^H w = m. Checked against differences in three parameters.
"""

import numpy as np
from scipy import sparse

import trisweep

N, FREQUENCY = 30, 9.0
h = 1 / (N + 1)
line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(N, N)) / h**2
laplacian = sparse.kron(line, sparse.eye_array(N)) + sparse.kron(sparse.eye_array(N), line)
f = np.zeros(N * N, complex)
f[N * (N // 2) + 4] = 1 / h**2  # the source
m = np.zeros(N * N, complex)
m[N * (N // 3) + 22] = 1  # the microphone
derivative = -(FREQUENCY**2) * (1 + 0.1j)  # of A_ii in c_i


def matrix(c: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array(laplacian + sparse.diags_array(derivative * c))


def measured(c: np.ndarray) -> float:
    return abs(np.vdot(m, trisweep.spsolve(matrix(c), f))) ** 2


c = 1 + 0.2 * np.random.default_rng(1).random(N * N)
lu = trisweep.splu(matrix(c))
u = lu.solve(f)
w = lu.solve(m, trans="H")
gradient = -2 * np.real(np.conj(np.vdot(m, u)) * np.conj(w) * derivative * u)
for i in (100, 400, 725):
    step = np.zeros(N * N)
    step[i] = 1e-4
    difference = (measured(c + step) - measured(c - step)) / 2e-4
    print(f"dJ/dc_{i}: {gradient[i]:+.6e} by the adjoint, {difference:+.6e} by differences")
    assert abs(difference - gradient[i]) <= 1e-5 * np.abs(gradient).max()
