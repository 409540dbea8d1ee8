"""Pipelined BiCGStab under SimGrid: what all-gathers hidden behind updates of vectors gain, and never cost, whatever the
latency of messages. `iterations_test.py RANKS` prints the times."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["TRISWEEP_SIMULATED_ITERATIONS"]
LATENCIES = (1e-6, 1e-5, 1e-4, 1e-3)
ROWS = 101_400  # those of 100ts
PRODUCT, VECTORS = 5e-4, 1.5e-4  # seconds of each half of an iteration

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" suffix="" radical="0-{last}" speed="1Gf" bw="12.5GBps" lat="{half}s"
           sharing_policy="SPLITDUPLEX"/>
</platform>
"""
SETTINGS = (
    *("smpi/simulate-computation:no", "smpi/iprobe:0", "smpi/test:0"),
    *("smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:no"),
)


def iteration(overlap: str, latency: float, vectors: float, ranks: int) -> float:
    """Seconds, with a network in which messages take so long from node to node."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / name for name in ("platform.xml", "hosts", "out")}
        files["platform.xml"].write_text(PLATFORM.format(last=ranks - 1, half=latency / 2))
        files["hosts"].write_text("".join(f"node-{rank}\n" for rank in range(ranks)))
        line = ["smpirun", "-quiet", "-no-privatize", "-np", str(ranks)]
        line += [
            "-platform",
            str(files["platform.xml"]),
            "-hostfile",
            str(files["hosts"]),
        ]
        line += [f"--cfg={setting}" for setting in SETTINGS] + ["--log=root.threshold:error"]
        words = [overlap, str(ROWS), str(PRODUCT), str(vectors), str(files["out"])]
        subprocess.run([*line, PROGRAM, *words], check=True, timeout=120)
        return json.loads(files["out"].read_text())["seconds"]


class Iterations(unittest.TestCase):
    def test_what_is_hidden_is_never_slower(self):
        for latency in LATENCIES:
            for vectors in (0, VECTORS):
                with self.subTest(latency=latency, vectors=vectors):
                    block, pipe2 = (iteration(overlap, latency, vectors, 6) for overlap in ("block", "pipe2"))
                    self.assertLess(2 * (PRODUCT + vectors), block)
                    self.assertLess(pipe2, 1.05 * block)
                    if vectors > 0:
                        self.assertLess(pipe2, 0.98 * block)


def main():
    for latency in LATENCIES:
        block, pipe1, pipe2 = (
            iteration(name, latency, VECTORS, int(sys.argv[1])) for name in ("block", "pipe1", "pipe2")
        )
        times = ", ".join(f"{1e3 * seconds:.3f}" for seconds in (block, pipe1, pipe2))
        print(f"{latency:g} s: block, pipe1, pipe2: {times} ms; pipe2 / block {pipe2 / block:.2f}")


if __name__ == "__main__":
    main() if len(sys.argv) > 1 else unittest.main()
