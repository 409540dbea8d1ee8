"""The performance model beside SimGrid, which runs the library's executor and transports: small, but every axis once."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SIMGRID = pathlib.Path(__file__).resolve().parents[2] / "scripts/simgrid"
TRISWEEP = os.environ["TRISWEEP_BINARY"]

PLANS = {
    "2D flat": "--grid 4x4x1 --tree flat",
    "2D binary": "--grid 4x4x1 --tree binary",
    "single-sync": "--grid 2x2x4",
    "level-sync": "--grid 2x2x4 --schedule level-sync",
    "one-sided": "--grid 4x4x1 --transport one-sided",
    "16 right-hand sides": "--grid 2x2x4 --nrhs 16",
    "proportional": "--grid 4x4x1 --mapping proportional",
    "proportional with separators": "--grid 4x4x1 --mapping proportional --diagonal separators",
}


class SimGrid(unittest.TestCase):
    def test_agrees_with_the_model(self):
        with tempfile.TemporaryDirectory() as folder:
            matrix, analysis, predicted, simulated = (
                f"{folder}/{name}" for name in ("a.mtx", "analysis", "predicted.json", "simulated.json")
            )
            subprocess.run([TRISWEEP, "gallery", "s2d9", "--n", "48", "-o", matrix], check=True, capture_output=True)
            for name, options in PLANS.items():
                with self.subTest(name):
                    words = ["--machine", "cori-haswell", *options.split()]
                    files = ["--save-analysis", analysis, "--json", predicted]
                    subprocess.run([TRISWEEP, "predict", matrix, *words, *files], check=True, capture_output=True)
                    subprocess.run([sys.executable, SIMGRID, analysis, predicted, simulated], check=True, timeout=120)
                    with open(predicted) as file:
                        model = json.load(file)
                    with open(simulated) as file:
                        other = json.load(file)
                    sent = sum(kind["sent"] for rank in model["ranks"] for kind in rank["messages"].values())
                    self.assertEqual(other["messages"], sent)
                    ratio = model["solve"]["seconds_min"] / other["seconds"]
                    self.assertTrue(0.8 < ratio < 1.25, f"the model's time is {ratio:.3f} of SimGrid's")


if __name__ == "__main__":
    unittest.main()
