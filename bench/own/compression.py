#!/usr/bin/env python3
"""Compressed sweeps beside double ones: the table of docs/compression.md.

    bench/own/compression.py [--repeat R] [KIND:N ...]

Solves each matrix of the gallery with --compress off and 9.3e-10, by turns, with one thread, and prints rows of a
Markdown table: bytes of one pass and of all passes to the answer, and times, as ratios of double's; medians of
all repeats.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

TRISWEEP = Path(__file__).resolve().parents[2] / "build" / "trisweep"
EPS = "9.3e-10"  # that --compress auto begins with
DEFAULT = ["s2d9:300", "poisson3d:32", "poisson3d:48", "poisson3d:64", "convection3d:48", "elasticity3d:24",
           "maxwell3d:18", "fusion:8"]


def solve(matrix: Path, compress: str) -> dict:
    record = matrix.with_suffix(".json")
    command = [TRISWEEP, "solve", matrix, "--compress", compress, "--threads", "1", "--repeat", "15",
               "--json", record]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return json.loads(record.read_text())


def ratio(runs: dict[str, list], *path: str) -> float:
    def median(mode: str) -> float:
        return statistics.median(record[path[0]][path[1]] for record in runs[mode])
    return median(EPS) / median("off")


def row(name: str, matrix: Path, repeat: int) -> str:
    runs: dict[str, list] = {"off": [], EPS: []}
    for _ in range(repeat):
        for mode, records in runs.items():
            records.append(solve(matrix, mode))
    plain, tiles = runs["off"][0], runs[EPS][0]
    setup = statistics.median(r["factor"]["compression_seconds"] / r["factor"]["seconds"] for r in runs[EPS])
    passes = {mode: records[0]["solve"]["refinement_steps"] + 1 for mode, records in runs.items()}
    bytes_ratio = tiles["factor"]["bytes"] / tiles["factor"]["uncompressed_bytes"]
    cells = [f"`{name}`", f"{plain['matrix']['rows']:,}", f"{plain['factor']['bytes'] / 1e6:.0f} MB",
             f"{bytes_ratio:.2f}", f"{bytes_ratio * passes[EPS] / passes['off']:.2f}",
             f"{plain['solve']['refinement_steps']}, {tiles['solve']['refinement_steps']}",
             f"{plain['solve']['componentwise_backward_error']:.1e}, "
             f"{tiles['solve']['componentwise_backward_error']:.1e}",
             f"{ratio(runs, 'solve', 'seconds_min'):.2f}", f"{ratio(runs, 'solve', 'refinement_seconds'):.2f}",
             f"{setup:.2f}"]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("systems", nargs="*", default=DEFAULT)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.systems:
            kind, n = name.split(":")
            matrix = Path(folder) / "a.mtx"
            subprocess.run([TRISWEEP, "gallery", kind, "--n", n, "-o", matrix], check=True,
                           stdout=subprocess.DEVNULL)
            print(row(name, matrix, arguments.repeat), flush=True)


if __name__ == "__main__":
    main()
