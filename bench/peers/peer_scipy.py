"""SciPy's splu (SuperLU) with the protocol of driver.cpp, on one thread."""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import scipy
from scipy.sparse import csr_array
from scipy.sparse.linalg import splu

READ_BYTES = 256 << 20
PRODUCT_ORDER = 1024
MANY = 8  # right-hand sides from which on products are the floor


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


def run(system, nrhs, repeats):
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

    return {
        "version": scipy.__version__,
        "kind": "lu",
        "ordering": "ours",
        "threads": 1,
        "factor": factor,
        "solves": [solves(a, solve, k, repeats, floors) for k in nrhs],
        "huge_page_bytes": proc_bytes("smaps_rollup", "AnonHugePages"),
        "resident_bytes": proc_bytes("status", "VmRSS"),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("system", type=Path)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--nrhs", type=lambda text: [int(k) for k in text.split(",")], default=[1, 50])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    options.json.write_text(json.dumps(run(options.system, options.nrhs, options.repeats)))


if __name__ == "__main__":
    main()
