"""BiCGStab with ILU(0) beside SciPy's, which gets factors made here by the textbook (Saad, algorithm 10.4)."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import scipy.io
from scipy.sparse import csr_array, tril, triu
from scipy.sparse.linalg import LinearOperator, SuperLU, bicgstab, splu

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("TRISWEEP_BINARY", str(ROOT / "build/trisweep"))
TOLERANCE = 1e-10


def ilu0(a: csr_array) -> csr_array:
    """L without its ones and U, in the place of A."""
    rows = [
        dict(zip(a.indices[i:j].tolist(), a.data[i:j].tolist(), strict=True))
        for i, j in zip(a.indptr, a.indptr[1:], strict=False)
    ]
    upper = [[(j, v) for j, v in row.items() if j >= i] for i, row in enumerate(rows)]
    for i, row in enumerate(rows):
        for k in sorted(j for j in row if j < i):
            row[k] /= upper[k][0][1]
            for j, value in upper[k][1:]:
                if j in row:
                    row[j] -= row[k] * value
        upper[i] = sorted((j, v) for j, v in row.items() if j >= i)
    return csr_array((np.array([row[j] for row in rows for j in sorted(row)]), a.indices, a.indptr), a.shape)


def triangular(a: csr_array) -> SuperLU:
    """Solves with it: factors of a triangular matrix in its own order have no fill."""
    return splu(a.tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0)


def scipy_iterations(a: csr_array, b: np.ndarray) -> int:
    a.sort_indices()
    factors = ilu0(a)
    ones = csr_array((np.ones(a.shape[0]), np.arange(a.shape[0]), np.arange(a.shape[0] + 1)), a.shape)
    lower, upper = triangular(tril(factors, -1) + ones), triangular(triu(factors))
    preconditioner = LinearOperator(a.shape, lambda r: upper.solve(lower.solve(r)))
    residuals: list[float] = []
    _, failure = bicgstab(
        a, b, rtol=TOLERANCE, M=preconditioner, callback=lambda x: residuals.append(np.linalg.norm(b - a @ x))
    )
    if failure:
        raise AssertionError("SciPy's bicgstab has not converged")
    return len(residuals)


def our_iterations(folder: Path) -> int:
    words = ["--rhs", folder / "b.mtx", "--method", "bicgstab", "--preconditioner", "ilu0", "--tolerance", TOLERANCE]
    command = [BINARY, "solve", folder / "a.mtx", *words, "--json", folder / "run.json"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return json.loads((folder / "run.json").read_text())["krylov"]["iterations"]


def iterations(n: int) -> tuple[int, int]:
    """Ours and SciPy's, on convection3d."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            [BINARY, "gallery", "convection3d", "--n", str(n), "-o", str(folder / "a.mtx")],
            check=True,
            capture_output=True,
        )
        a = csr_array(scipy.io.mmread(folder / "a.mtx"))
        b = a @ np.random.default_rng(1).random(a.shape[0])
        scipy.io.mmwrite(folder / "b.mtx", b[:, None])
        return our_iterations(folder), scipy_iterations(a, b)


class Incomplete(unittest.TestCase):
    def test_takes_as_many_iterations_as_scipy(self):
        ours, scipys = iterations(int(os.environ.get("TRISWEEP_CONVECTION_N", "16")))
        print(f"BiCGStab with ILU(0): {ours} iterations, SciPy {scipys}")
        self.assertLessEqual(abs(ours - scipys), max(1, 0.1 * scipys))


if __name__ == "__main__":
    unittest.main()
