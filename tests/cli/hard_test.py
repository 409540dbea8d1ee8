"""The systems of tests/hard: each is solved as well as it can be, whatever the plan, or its answer is said to be in doubt.

    python3 tests/cli/hard_test.py                    on one rank, and with one plan for several ranks
    python3 tests/cli/hard_test.py --every-plan       with every plan
    python3 tests/cli/hard_test.py --compress EPS     each with its factors compressed
"""
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hard"))

from command import GOOD, CommandTest, backward_error, dense_text, largest, matrix_text, read_dense
from systems import SYSTEMS

PLANS = [(0, "--grid", "1x1x1"),
         (4, "--grid", "2x2x1"),
         (4, "--grid", "1x1x4", "--diagonal", "separators"),
         (4, "--mapping", "proportional"),
         (4, "--mapping", "proportional", "--diagonal", "separators"),
         (8, "--grid", "2x2x2"),
         (8, "--mapping", "proportional", "--diagonal", "separators")]
EVERY_PLAN = "--every-plan" in sys.argv
COMPRESS = sys.argv[sys.argv.index("--compress"):][:2] if "--compress" in sys.argv else []

# Nothing determines the answer: another may satisfy the equations as well, and the exit status says so.
SINGULAR = {"graph-laplacian-20-0", "twin-columns-0"}
# Conditions of 1e16 and more: good answers may or may not be told from those of singular systems.
AT_THE_LIMIT = {"hilbert-12", "circuit-400-150-6"}


class Hard(CommandTest):
    def check(self, name, ranks, *plan):
        n, entries, *units = SYSTEMS[name]()
        values = random.Random(n)
        known = [values.uniform(1, 2) * unit for unit in (units[0] if units else [1.0] * n)]
        b = [0.0] * n
        for (i, j), v in entries.items():
            b[i] += v * known[j]
        kind = "complex" if any(isinstance(v, complex) for v in entries.values()) else "real"
        if kind == "complex":
            b = [complex(v) for v in b]
        self.write("a.mtx", matrix_text(n, {at: complex(v) if kind == "complex" else v for at, v in entries.items()},
                                        field=kind))
        self.write("b.mtx", dense_text([b], field=kind))
        self.path("x.mtx").unlink(missing_ok=True)
        result = self.run_here("solve", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--json", "run.json", *plan,
                               ranks=ranks)
        expected = {1} if name in SINGULAR else {0, 1} if name in AT_THE_LIMIT else {0}
        self.assertIn(result.status, expected, result)
        x, = read_dense(self.path("x.mtx"))
        self.assertLessEqual(backward_error(n, entries, x, b), GOOD, result)
        solve = self.record("run.json")["solve"]
        if result.status == 0:
            error = largest(abs(v - k) for v, k in zip(x, known)) / largest(known)
            self.assertLessEqual(error, 10 * solve["forward_error_bound"], result)
            if solve["forward_error_bound"] >= 1:
                self.assertEqual(len(result.warnings()), 1, result)
        else:
            self.assertIn("singular", " ".join(result.messages()), result)

    def test_every_system(self):
        for k, name in enumerate(SYSTEMS):
            for plan in PLANS if EVERY_PLAN else (PLANS[0], PLANS[1 + k % (len(PLANS) - 1)]):
                with self.subTest(name, plan=" ".join(map(str, plan))):
                    self.check(name, *plan, *COMPRESS)

    def test_compressed(self):
        for name in list(SYSTEMS)[::8]:
            with self.subTest(name):
                self.check(name, *PLANS[0], "--compress", "1e-7")


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a not in ("--every-plan", *COMPRESS)])
