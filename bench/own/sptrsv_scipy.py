#!/usr/bin/env python3
"""Component-level solves beside SciPy's spsolve_triangular: rows of a table for docs/sptrsv.md.

    .venv/bin/python bench/own/sptrsv_scipy.py [--repeat R] [--threads T] [KIND:N | FILE ...]

Both solve with the same lower triangle, by turns: ours by build-bench/bench/peers/peer_component in a process of
its own that expects one solve of each solver, its time from the matrix to the first solution; SciPy's that of a
call, which analyses each time. Medians of all repeats, and the geometric mean of their ratios.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.io import mmread
from scipy.sparse.linalg import spsolve_triangular

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / "build-bench" / "bench" / "peers" / "peer_component"
DEFAULT = ["graph-road:1000000", "graph:300000", "convection3d:60", "s2d9:512", "elasticity3d:24", "maxwell3d:20",
           "cage:10", *(ROOT.parent / "shared" / "matrices" / name for name in
                        ("luxembourg_osm_pattern.mtx.gz", "memplus.mtx.gz", "case9241pegase_jac.mtx.gz"))]


def ours(matrix: Path, lower: Path, threads: int) -> list[float]:
    record = lower.with_suffix(".json")
    subprocess.run([PEER, matrix, "--json", record, "--lower", lower, "--threads", str(threads),
                    "--solves", "1", "--analyses", "5", "--rounds", "1", "--repeats", "1"], check=True,
                   stdout=subprocess.DEVNULL)
    return json.loads(record.read_text())["ours"]["first_solution_seconds"]


def scipys(lower, b) -> float:
    start = time.perf_counter()
    spsolve_triangular(lower, b, lower=True)
    return time.perf_counter() - start


def compare(name: str, matrix: Path, lower: Path, arguments) -> float:
    times = {"ours": ours(matrix, lower, arguments.threads), "scipy": []}
    triangle = mmread(lower).tocsr()
    b = np.ones(triangle.shape[0])
    for _ in range(arguments.repeat):
        times["scipy"].append(scipys(triangle, b))
        times["ours"].extend(ours(matrix, lower, arguments.threads))
    mine, other = (1e3 * statistics.median(times[who]) for who in ("ours", "scipy"))
    print(f"| {name} | {triangle.shape[0]:,} | {triangle.nnz:,} | {mine:.2f} | {other:.2f} | {other / mine:.2f} |",
          flush=True)
    return other / mine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("matrices", nargs="*", default=DEFAULT)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    print("| matrix | rows | nonzeros | ours, ms | SciPy, ms | SciPy / ours |\n|---|---:|---:|---:|---:|---:|")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for one in map(str, arguments.matrices):
            file = Path(one)
            if not file.exists():
                kind, n = one.split(":")
                file = Path(folder) / f"{kind}-{n}.mtx"
                subprocess.run([ROOT / "build" / "trisweep", "gallery", kind, "--n", n, "-o", file], check=True,
                               stdout=subprocess.DEVNULL)
            ratios.append(compare(Path(one).name.split(".")[0], file, Path(folder) / "lower.mtx", arguments))
    print(f"\ngeometric mean {statistics.geometric_mean(ratios):.2f}, {arguments.threads} threads")


if __name__ == "__main__":
    main()
