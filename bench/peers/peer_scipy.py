"""SciPy's splu (SuperLU) with the protocol of driver.cpp, on one thread. Its solutions are refined by the compiled
loop that all peers have (answer.hpp)."""

import argparse
import ctypes
import json
import time
from pathlib import Path

import numpy as np
import scipy
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

READ_BYTES = 256 << 20
PRODUCT_ORDER = 1024
MANY = 8  # right-hand sides from which on products are the bound
ANSWERING_SECONDS = 0.2  # and MOST_ANSWERS: as in driver.cpp
MOST_ANSWERS = 1000


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def read_system(file):
    """The matrix and the new number of each row."""
    with file.open("rb") as system:
        rows, nonzeros, _ = np.fromfile(system, "<i4", 3)
        pointers, columns, new_of_old = (np.fromfile(system, "<i4", n) for n in (rows + 1, nonzeros, rows))
        return csr_array((np.fromfile(system, "<f8", nonzeros), columns, pointers), (rows, rows)), new_of_old


def proc_bytes(file, key):
    lines = (line.split() for line in Path(f"/proc/self/{file}").read_text().splitlines())
    return 1024 * next(int(words[1]) for words in lines if words[0] == key + ":")


def backward_error(a, x, b):
    def norm(v):
        return abs(v).max(axis=0)

    return float((norm(b - a @ x) / (abs(a).sum(axis=1).max() * norm(x) + norm(b))).max())


class Floors:
    def __init__(self):
        self.data = np.ones(READ_BYTES // 8)
        self.square = np.ones((PRODUCT_ORDER, PRODUCT_ORDER))

    def bandwidth(self):
        return READ_BYTES / seconds_of(lambda: self.data.dot(self.data))

    def rate(self):
        return 2 * PRODUCT_ORDER**3 / seconds_of(lambda: self.square @ self.square)


def solves(a, solve, nrhs, repeats, floors):
    b = a @ (1 + np.random.default_rng(1).random((a.shape[0], nrhs)))
    many = nrhs >= MANY
    x = solve(b)
    seconds, read, rate = [], [floors.bandwidth()], [floors.rate()] if many else []
    for _ in range(repeats):
        start = time.perf_counter()
        x = solve(b)
        seconds.append(time.perf_counter() - start)
        read.append(floors.bandwidth())
        if many:
            rate.append(floors.rate())
    return {"nrhs": nrhs, "seconds": seconds, "read_bandwidth": read, "product_rate": rate,
            "passes": 1, "backward_error": backward_error(a, x, b)}  # fmt: skip


class Refiner:
    """The refiner of answer.hpp for a system and `solve(b)`; b and x are in Fortran order."""

    SOLVE = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))

    def __init__(self, system, rows, solve):
        def columns(pointer, count):
            return np.ctypeslib.as_array(pointer, (count, rows)).T

        def one_solve(count, b, x):
            columns(x, count)[:] = solve(columns(b, count))

        self._library = ctypes.CDLL(str(Path(__file__).parent / "libpeer_answer.so"))
        self._library.peers_refiner.restype = ctypes.c_void_p
        self._solve = self.SOLVE(one_solve)  # kept while it may be called
        self._refiner = ctypes.c_void_p(self._library.peers_refiner(str(system).encode(), self._solve))
        if not self._refiner:
            raise SystemExit(2)

    def __call__(self, goal, b, x):
        """Refines x, a copy of b on input, and returns the number of solves."""
        values = (v.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for v in (b, x))
        return self._library.peers_answer(self._refiner, ctypes.c_double(goal), *values, ctypes.c_size_t(b.size))


def componentwise_error(a, x, b):
    size = abs(a) @ abs(x) + abs(b)
    residual = abs(b - a @ x)
    return float(np.divide(residual, size, out=np.zeros_like(size), where=residual > 0).max())


def answers(a, refine, goal, nrhs, repeats):
    b = np.asfortranarray(a @ (1 + np.random.default_rng(1).random((a.shape[0], nrhs))))
    x = np.empty_like(b)

    def answer():
        x[:] = b
        start = time.perf_counter()
        passes = refine(goal, b, x)
        return time.perf_counter() - start, passes

    first, passes = answer()
    seconds = []
    while len(seconds) < MOST_ANSWERS and (len(seconds) < repeats or sum(seconds) < ANSWERING_SECONDS):
        seconds.append(answer()[0])
    return {"nrhs": nrhs, "first_seconds": first, "seconds": seconds, "passes": passes,
            "backward_error": componentwise_error(a, x, b), "refused": ""}  # fmt: skip


def answering(system, nrhs, repeats, goal):
    """Measures as for a user: with the ordering and the pivoting of splu itself."""
    a, _ = read_system(system)
    lu = None

    def factor():
        nonlocal lu
        lu = splu(columns)

    before = proc_bytes("status", "VmRSS")
    columns = a.tocsc()
    seconds = seconds_of(factor)
    peak = proc_bytes("status", "VmHWM") - before
    refine = Refiner(system, a.shape[0], lambda b: lu.solve(b))
    solves = [answers(a, refine, goal, k, repeats) for k in nrhs]
    factor_record = {"analysis_seconds": 0.0, "seconds": seconds, "peak_bytes": peak,
                     "entries_swept": float(lu.nnz),
                     "refactor_seconds": [seconds_of(factor) for _ in range(repeats)]}  # fmt: skip
    return {"ordering": "its own", "factor": factor_record, "solves": solves}


def sweeping(system, nrhs, repeats):
    a, new_of_old = read_system(system)
    old_of_new = np.argsort(new_of_old)
    before = proc_bytes("status", "VmRSS")
    start = time.perf_counter()
    ordered = a[old_of_new][:, old_of_new].tocsc()
    analysis = time.perf_counter() - start
    start = time.perf_counter()
    lu = splu(ordered, permc_spec="NATURAL", diag_pivot_thresh=0.001, options={"SymmetricMode": True})
    factor = {"analysis_seconds": analysis, "seconds": time.perf_counter() - start,
              "peak_bytes": proc_bytes("status", "VmHWM") - before, "entries_swept": float(lu.nnz)}  # fmt: skip
    floors = Floors()

    def solve(b):
        return lu.solve(b[old_of_new])[new_of_old]

    return {"ordering": "ours", "factor": factor, "solves": [solves(a, solve, k, repeats, floors) for k in nrhs]}


def run(options):
    choices = (options.system, options.nrhs, options.repeats)
    record = answering(*choices, options.refine) if options.answers else sweeping(*choices)
    return {
        "version": scipy.__version__,
        "kind": "lu",
        "threads": 1,
        **record,
        "huge_page_bytes": proc_bytes("smaps_rollup", "AnonHugePages"),
        "resident_bytes": proc_bytes("status", "VmRSS"),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("system", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--nrhs", type=lambda text: [int(k) for k in text.split(",")], default=[1, 50])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--refine", type=float, default=0.0)
    options = parser.parse_args()
    options.json.write_text(json.dumps(run(options)))


if __name__ == "__main__":
    main()
