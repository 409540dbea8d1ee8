#!/usr/bin/env python3
"""Messages of a rank outside the sweeps on 2 to 64 ranks: so many calls, whatever the number of ranks, of log2 P messages
each; in the constructor one message for each neighbour in the plan or the matrix, at most three to each rank for the
entries and the panels of fronts, and a few. `outside_sweeps_test.py TABLE` prints the table of docs/model.md; TRISWEEP_OUTSIDE_SWEEPS names the program (scripts/build -- outside_sweeps)."""

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
RANKS = (2, 4, 8, 16, 32, 64)
FEW = 24  # messages of a constructor that are no neighbour's: of contribution blocks and shared fronts, and reports


def count(ranks, grid=None):
    words = [] if grid is None else [str(n) for n in grid]
    run = subprocess.run([MPIRUN, "-n", str(ranks), PROGRAM, "64", *words], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"outside_sweeps on {ranks} ranks: {run.stderr}")
    return json.loads(run.stdout)


def print_table():
    counts = [count(ranks) for ranks in RANKS]
    stages = " | ".join(f"{stage}: calls, direct, KiB" for stage in STAGES)
    print(f"| ranks, neighbours | {stages} | solver: rank 0, others, MiB | its solve phase |")
    print("|---:" * (len(STAGES) + 3) + "|")
    for one in counts:
        cells = []
        for stage in STAGES:
            direct, collectives, sent, _ = one[stage]["others"]
            cells.append(f"{collectives}, {direct}, {sent / 1024:.1f}")
        for stage in ("later solver", "solve phase"):
            cells.append(", ".join(f"{one[stage][who][3] / 2**20:.2f}" for who in ("root", "others")))
        print(f"| {one['ranks']}, {max(one['neighbours'][1:])} | " + " | ".join(cells) + " |")
    cells = [f"{counts[-1][stage]['others'][1] * math.ceil(math.log2(FAR)):,} messages, and direct" for stage in STAGES]
    print(f"| {FAR:,} | " + " | ".join(cells) + " | | |")


def default_grids(ranks):
    """The nearest to a square of one layer and, from 8 ranks on, of two; of 64 a row and a column of ranks as well."""
    grids = []
    for layers in (1, 2) if ranks >= 8 else (1,):
        px = next(px for px in range(math.isqrt(ranks // layers), 0, -1) if ranks // layers % px == 0)
        grids.append((ranks // layers // px, px, layers))
    return grids + [(1, 64, 1), (64, 1, 1)] * (ranks == RANKS[-1])


class OutsideSweeps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.counts = {grid: count(ranks, grid) for ranks in RANKS for grid in default_grids(ranks)}

    def test_take_as_many_calls_on_any_number_of_ranks(self):
        first = next(iter(self.counts.values()))
        for grid, of in self.counts.items():
            for stage in STAGES:
                for who in ("root", "others"):
                    with self.subTest(grid=grid, stage=stage, who=who):
                        self.assertEqual(of[stage][who][1], first[stage][who][1])

    def test_take_a_message_for_each_neighbour_and_a_few(self):
        for grid, of in self.counts.items():
            with self.subTest(grid=grid):
                beyond = max(m - n for m, n in zip(of["messages"][1:], of["neighbours"][1:]))
                self.assertLessEqual(beyond, 3 * (of["ranks"] - 1) + FEW)
                self.assertLessEqual(of["first solve"]["others"][0], 14)
                self.assertLessEqual(of["later solve"]["others"][0], 2)

    def test_take_no_memory_that_grows(self):
        few = self.counts[(4, 2, 1)]
        figures = [(stage, who) for stage in ("later solver", "solve phase") for who in ("root", "others")]
        # With MPI's buffers for ranks that had no messages before, of which MPICH has more than the solver's own memory.
        if os.environ.get("TRISWEEP_MPI") != "mpich":
            figures += [(stage, "others") for stage in STAGES]
        for grid, of in self.counts.items():
            if of["ranks"] > few["ranks"]:
                for stage, who in figures:
                    with self.subTest(grid=grid, stage=stage, who=who):
                        self.assertLess(of[stage][who][3], 1.02 * few[stage][who][3])

    def test_take_buffers_of_mpi_that_hardly_grow(self):
        def buffers(of, stage):
            return of[stage]["others"][3] - of["later solver"]["others"][3]

        few = self.counts[(4, 2, 1)]
        for grid, of in self.counts.items():
            for stage in STAGES:
                with self.subTest(grid=grid, stage=stage):
                    # On up to 8 times as many ranks; MPICH's are 1.4 times as much on 16.
                    self.assertLess(buffers(of, stage), 2 * buffers(few, stage))

    def test_take_no_more_memory_for_solves_on_rank_0(self):
        for grid, of in self.counts.items():
            with self.subTest(grid=grid):
                self.assertLess(of["solve phase"]["root"][3], 1.1 * of["solve phase"]["others"][3])

    def test_of_a_later_solve_are_few(self):
        self.assertLessEqual(self.counts[(4, 2, 1)]["later solve"]["others"][1], 4)


if __name__ == "__main__":
    if sys.argv[1:] == ["TABLE"]:
        print_table()
    else:
        unittest.main()
