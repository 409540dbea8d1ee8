"""Runs one of Python's direct solvers in a separate process, for `trisweep bench python-peers`.

python -m trisweep.python_solvers NAME MATRIX --threads T --repeats K --json FILE
"""

import argparse
import importlib.util
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.io import mmread
from scipy.sparse import linalg

Solve = Callable[[np.ndarray], np.ndarray]


def _trisweep(a: sparse.csr_array, threads: int) -> Solve:
    import trisweep

    return trisweep.splu(a, threads=threads).solve


def _scipy(a: sparse.csr_array, _: int) -> Solve:
    return linalg.splu(a.tocsc()).solve


def _pypardiso(a: sparse.csr_array, _: int) -> Solve:
    """MKL PARDISO with the environment's number of threads, iparm[0] = 1, the defaults for unsymmetric
    matrices, and at most two refinement steps."""
    import pypardiso

    solver = pypardiso.PyPardisoSolver()
    for number, value in {1: 1, 2: 2, 8: 2, 10: 13, 11: 1, 13: 1}.items():
        solver.set_iparm(number, value)
    a = sparse.csr_matrix(a)
    solver.factorize(a)
    return lambda b: solver.solve(a, b)


SOLVERS = {"Trisweep": _trisweep, "SciPy": _scipy, "pypardiso": _pypardiso}


def present(name: str) -> bool:
    return name != "pypardiso" or importlib.util.find_spec("pypardiso") is not None


def _backward_error(a: sparse.csr_array, x: np.ndarray, b: np.ndarray) -> float:
    """Returns the componentwise backward error."""
    size = abs(a) @ abs(x) + abs(b)
    return float(np.max(abs(b - a @ x)[size > 0] / size[size > 0], initial=0.0))


def measure(name: str, a: sparse.csr_array, threads: int, repeats: int) -> dict[str, float]:
    """Measures the seconds from the matrix to the first solution, and those of the fastest later solve."""
    b = np.random.default_rng(1).standard_normal(a.shape[0])
    SOLVERS[name](sparse.eye_array(10, format="csr"), threads)(np.ones(10))  # loads and starts the libraries
    start = time.perf_counter()
    solve = SOLVERS[name](a, threads)
    x = solve(b)
    first, later = time.perf_counter() - start, []
    for _ in range(repeats):
        start = time.perf_counter()
        x = solve(b)
        later.append(time.perf_counter() - start)
    return {"first_seconds": first, "solve_seconds": min(later), "backward_error": _backward_error(a, x, b)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=SOLVERS)
    parser.add_argument("matrix", type=Path)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--repeats", type=int, required=True)
    parser.add_argument("--json", type=Path, required=True)
    words = parser.parse_args()
    a = sparse.csr_array(mmread(words.matrix)).astype(np.float64)
    words.json.write_text(json.dumps(measure(words.name, a, words.threads, words.repeats)))


if __name__ == "__main__":
    main()
