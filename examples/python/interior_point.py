"""A linear program by an interior-point method: each step factors new values of one pattern.

min c'x, A x = b, x >= 0 (Mehrotra 1992, without the corrector): steps are of the system

    [ -D  A' ] [ dx ]   D = diag(s / x), which the iteration takes to 0 and to infinity
    [  A  r  ] [ dy ]   r = 1e-10 I

Solvers of this kind ask for the inertia, whether the matrix has as many negative eigenvalues as x has entries. Here the
sign of the determinant, (-1)^n where that is so, tells a change of one. Compared with SciPy's `linprog`.
"""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

import trisweep

ROWS, COLUMNS = 60, 150
rng = np.random.default_rng(4)
a = sparse.random_array((ROWS, COLUMNS), density=0.08, rng=rng) + sparse.eye_array(ROWS, COLUMNS)
b = a @ rng.random(COLUMNS)
c = a.T @ rng.random(ROWS) + rng.random(COLUMNS)


def kkt(d: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array(sparse.block_array([[-sparse.diags_array(d), a.T], [a, 1e-10 * sparse.eye_array(ROWS)]]))


def longest(v: np.ndarray, dv: np.ndarray) -> float:
    """The step to 99 % of the way at which an entry of v vanishes."""
    return min(1.0, 0.99 * np.min(-v[dv < 0] / dv[dv < 0], initial=np.inf))


x, s, y = np.ones(COLUMNS), np.ones(COLUMNS), np.zeros(ROWS)
lu = trisweep.splu(kkt(s / x))
for step in range(60):
    dual, primal, gap = c - a.T @ y - s, b - a @ x, x @ s / COLUMNS
    if max(np.abs(dual).max(), np.abs(primal).max(), gap) < 1e-9:
        break
    lu.refactor(kkt(s / x))
    assert lu.slogdet().sign == (-1.0) ** COLUMNS
    centered = 0.1 * gap / x - s  # what s + ds - s dx / x is to be
    dx, dy = np.split(lu.solve(np.concatenate([dual - centered, primal])), [COLUMNS])
    ds = centered - s / x * dx
    x, y, s = x + longest(x, dx) * dx, y + longest(s, ds) * dy, s + longest(s, ds) * ds

optimum = linprog(c, A_eq=a.tocsr(), b_eq=b).fun
print(f"{c @ x:.9f} after {step} steps; SciPy's linprog: {optimum:.9f}")
assert abs(c @ x - optimum) < 1e-7 * abs(optimum)
