"""One rank of 1,024 begins late: an answer, with its reductions, is late by as much and no more than 100 us."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SIMGRID = pathlib.Path(__file__).resolve().parents[2] / "scripts/simgrid"
TRISWEEP = os.environ["TRISWEEP_BINARY"]
GRID = "32x32x1"


class LateRank(unittest.TestCase):
    def test_costs_an_answer_its_own_delay(self):
        with tempfile.TemporaryDirectory() as folder:
            matrix, analysis, predicted, simulated = (
                f"{folder}/{name}" for name in ("a.mtx", "analysis", "predicted.json", "simulated.json")
            )
            subprocess.run([TRISWEEP, "gallery", "s2d9", "--n", "48", "-o", matrix], check=True, capture_output=True)
            words = ["--machine", "cori-haswell", "--grid", GRID, "--save-analysis", analysis, "--json", predicted]
            subprocess.run([TRISWEEP, "predict", matrix, *words], check=True, capture_output=True)

            def seconds(late):
                line = [sys.executable, SIMGRID, analysis, predicted, simulated, str(late)]
                subprocess.run(line, check=True, timeout=250)
                return json.loads(pathlib.Path(simulated).read_text())["answer_seconds"]

            on_time = seconds(0)
            for late in (1e-3, 0.1):
                lost = seconds(late) - on_time
                self.assertGreater(lost, late / 2)
                self.assertLess(lost, late + 100e-6)


if __name__ == "__main__":
    unittest.main()
