"""One solver of several ranks: each program of `python/tests/mpi` on 1, 2 and 4 of them."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "python/tests/mpi"


def run(ranks, program, *arguments, python=sys.executable, variables=None):
    """The program's output; an error when a rank fails, or when they wait for each other."""
    result = subprocess.run(
        [ROOT / "scripts/mpirun", "-n", str(ranks), python, PROGRAMS / program, *arguments],
        env={**os.environ, "MPI4PY_MPIABI": "openmpi", **(variables or {})},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if result.returncode != 0:
        raise AssertionError(f"{program} {arguments} on {ranks} ranks:\n{result.stdout}{result.stderr}")
    return result.stdout


class Ranks(unittest.TestCase):
    def run_on_each_number(self, program):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.assertEqual(run(ranks, program), "")

    def test_solve_for_their_rows(self):
        self.run_on_each_number("solving.py")

    def test_save_and_load(self):
        self.run_on_each_number("saving.py")

    def test_begin_with_scipys_factors(self):
        self.run_on_each_number("given.py")

    def test_raise_the_same_errors(self):
        self.run_on_each_number("errors.py")

    def test_solve_systems_made_up_at_random(self):
        self.run_on_each_number("made_up.py")

    def test_free_solvers_in_any_order(self):
        self.run_on_each_number("freeing.py")
