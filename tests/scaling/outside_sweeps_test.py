#!/usr/bin/env python3
"""Messages of a rank outside the sweeps: at most so many calls, whatever the number of ranks, of log2 P messages each,
and some with each neighbour. `outside_sweeps_test.py TABLE` counts on 2 to 64 ranks, and prints the table of
docs/model.md; TRISWEEP_OUTSIDE_SWEEPS names the program (scripts/build -- outside_sweeps)."""

import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TRISWEEP_OUTSIDE_SWEEPS", ROOT / "build/tests/scaling/outside_sweeps")
MPIRUN = os.environ.get("TRISWEEP_MPIRUN", ROOT / "scripts/mpirun")
STAGES = ("constructor", "first solve", "later solve")
FAR = 100_000


def count(ranks):
    run = subprocess.run([MPIRUN, "-n", str(ranks), PROGRAM, "64"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"outside_sweeps on {ranks} ranks: {run.stderr}")
    return json.loads(run.stdout)


def print_table():
    counts = [count(ranks) for ranks in (2, 4, 8, 16, 32, 64)]
    print("| ranks | " + " | ".join(f"{stage}: calls, direct, KiB" for stage in STAGES) + " | memory, MiB |")
    print("|---:" * (len(STAGES) + 2) + "|")
    for one in counts:
        cells = []
        for stage in STAGES:
            direct, collectives, sent, memory = one[stage]["others"]
            cells.append(f"{collectives}, {direct}, {sent / 1024:.1f}")
        print(f"| {one['ranks']} | " + " | ".join(cells) + f" | {memory / 2**20:.2f} |")
    cells = [f"{counts[-1][stage]['others'][1] * math.ceil(math.log2(FAR)):,} messages, and direct" for stage in STAGES]
    print(f"| {FAR:,} | " + " | ".join(cells) + " | |")


class OutsideSweeps(unittest.TestCase):
    def test_take_as_many_calls_on_any_number_of_ranks(self):
        few, many = count(4), count(8)
        for stage in STAGES:
            for who in ("root", "others"):
                with self.subTest(stage=stage, who=who):
                    self.assertEqual(many[stage][who][1], few[stage][who][1])
            # One more round of each conditional step.
            self.assertLessEqual(many[stage]["others"][0], 2 * few[stage]["others"][0])

    def test_of_a_later_solve_are_few(self):
        counts = count(8)["later solve"]["others"]
        self.assertLessEqual(counts[1], 4)


if __name__ == "__main__":
    if sys.argv[1:] == ["TABLE"]:
        print_table()
    else:
        unittest.main()
