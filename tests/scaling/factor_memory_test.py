#!/usr/bin/env python3
"""Memory of the fullest rank in factorizations: it falls as ranks grow, and ranks with a limit solve what
one with it cannot. `factor_memory_test.py TABLE [N]` measures all factorizations on 1 to 16 ranks, and prints the table
of docs/library.md; TRISWEEP_FACTOR_MEMORY names the program (scripts/build -- factor_memory)."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TRISWEEP_FACTOR_MEMORY", ROOT / "build/tests/scaling/factor_memory")
MPIRUN = os.environ.get("TRISWEEP_MPIRUN", ROOT / "scripts/mpirun")


def run(ranks, factorization="superlu-dist", side=24, limit=None):
    """Of ranks that may have `limit` bytes of addresses each."""
    command = [PROGRAM, str(side), factorization]
    if limit:
        command = ["sh", "-c", f'ulimit -v {limit // 1024}; exec "$@"', "sh", *command]
    return subprocess.run([*shlex.split(str(MPIRUN)), "-n", str(ranks), *command], capture_output=True, text=True,
                          timeout=280, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})


def measured(*arguments, **options):
    made = run(*arguments, **options)
    if made.returncode != 0:
        sys.exit(f"factor_memory {arguments}: {made.stderr}")
    return json.loads(made.stdout.splitlines()[-1])


def print_table(side):
    names = ("own", "ptscotch", "supernodes", "superlu-dist")
    print("| ranks | " + "".join(f"{name}, MB | " for name in names) + "\n|" + "---:|" * 5)
    for ranks in (1, 2, 4, 8, 16):
        peaks = [max(measured(ranks, name, side)["peaks"]) / 1e6 for name in names]
        print(f"| {ranks} | " + "".join(f"{peak:.0f} | " for peak in peaks), flush=True)


class FactorMemory(unittest.TestCase):
    # Size and share. Larger ones are ordered by SuperLU_DIST's ranks in parallel.
    engines = {"own": (40, 0.4), "superlu-dist": (24, 0.6)}

    def test_falls_as_ranks_grow(self):
        for name, (side, share) in self.engines.items():
            peaks = [max(measured(ranks, name, side)["peaks"]) for ranks in (1, 4)]
            self.assertLess(peaks[1], share * peaks[0], (name, peaks))

    def test_is_a_quarter_on_eight_ranks(self):
        peaks = [max(measured(ranks, "own", 48)["peaks"]) for ranks in (1, 8)]
        self.assertLess(peaks[1], 0.25 * peaks[0], peaks)

    def test_ranks_with_a_limit_solve_together_what_one_cannot(self):
        for name, (side, _) in self.engines.items():
            needed = [measured(ranks, name, side)["addresses"] for ranks in (1, 4)]
            limit = int(sum(needed) / 2)
            alone = run(1, name, side, limit=limit)
            self.assertEqual(alone.returncode, 2, alone.stderr)
            self.assertIn("more ranks", alone.stderr)
            together = run(4, name, side, limit=limit)
            self.assertEqual(together.returncode, 0, together.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["TABLE"]:
        print_table(int(sys.argv[2]) if len(sys.argv) > 2 else 48)
    else:
        unittest.main()
