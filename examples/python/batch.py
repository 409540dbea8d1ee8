"""1,000 systems of 2,000 unknowns with one pattern, beside 1,000 calls of SciPy's splu.

They take turns, 100 systems each, so that what else the machine does falls on all.

usage: batch.py [ROUNDS MEMBERS]
"""

import sys
import time

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

import trisweep

ROUNDS, MEMBERS = map(int, sys.argv[1:] or (10, 100))


def convection(rows: int, columns: int) -> sparse.csr_array:
    """On a grid, by five points."""
    along, across = (
        sparse.diags_array([-1.2, 2.1, -0.8], offsets=[-1, 0, 1], shape=(n, n))
        for n in (rows, columns)
    )
    return sparse.csr_array(
        sparse.kron(along, sparse.eye_array(columns))
        + sparse.kron(sparse.eye_array(rows), across)
    )


def with_scipy(a: sparse.csr_array, values: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array(
        [
            linalg.splu(
                sparse.csr_array((v, a.indices, a.indptr), shape=a.shape).tocsc()
            ).solve(c)
            for v, c in zip(values, b, strict=True)
        ]
    )


def main() -> None:
    a = convection(40, 50)
    random = np.random.default_rng(1)
    plan = trisweep.analyze(a)
    ways = {
        "SciPy": lambda values, b: with_scipy(a, values, b),
        "one thread": lambda values, b: plan.solve_batch(values, b, threads=1).x,
        "all threads": lambda values, b: plan.solve_batch(values, b).x,
        "all threads, factors kept": lambda values, b: (
            plan.factorize_batch(values).solve(b).x
        ),
    }
    seconds = dict.fromkeys(ways, 0.0)
    worst = 0.0
    for _ in range(ROUNDS):
        values = a.data * (1 + 0.05 * random.random((MEMBERS, a.nnz)))
        b = random.random((MEMBERS, a.shape[0]))
        answers = {}
        for name, way in ways.items():
            start = time.perf_counter()
            answers[name] = way(values, b)
            seconds[name] += time.perf_counter() - start
        worst = max(
            worst,
            *(
                np.abs(x - answers["SciPy"]).max() / np.abs(x).max()
                for x in answers.values()
            ),
        )
    for name, taken in seconds.items():
        print(
            f"{name:27}{taken:7.2f} s{seconds['SciPy'] / taken:7.1f} times SciPy's speed"
        )
    print(f"largest difference {worst:.1e}")


main()
