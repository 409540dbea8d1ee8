"""bench/gpu/steps.cpp, which runs what a GPU is asked: its record is whole whatever the steps do and when it is ended."""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

STEPS = """# a comment
good | 20 | bin/good
hangs | 0.3 | bin/hangs
crashes | 20 | bin/crashes
is not there | 20 | bin/nothing
no device | 20 | bin/no_gpu
good again | 20 | bin/good
"""
PROGRAMS = {
    "good": "echo all is well",
    "hangs": "echo 'before it hangs'; trap '' TERM; while :; do sleep 9; done",
    "crashes": "echo 'on the way'; kill -SEGV $$",
    "no_gpu": "echo 'Skipped: no GPU: the driver (12.0) is too old for \"13.0\"'; exit 3",
}


class GpuSteps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.built.cleanup)
        cls.program = pathlib.Path(cls.built.name) / "gpu_steps"
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-static", ROOT / "bench/gpu/steps.cpp", "-o", cls.program],
                       check=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        for name, text in PROGRAMS.items():
            path = self.folder / "bin" / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)

    def record(self):
        return json.loads((self.folder / "record.json").read_text())["steps"]

    def test_no_step_hides_the_next(self):
        (self.folder / "steps.txt").write_text(STEPS)
        done = subprocess.run([self.program, self.folder], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        states = [(step["name"], step["state"]) for step in self.record()]
        self.assertEqual(states, [("good", "passed"), ("hangs", "too long"), ("crashes", "failed"), ("is not there", "failed"),
                                  ("no device", "not run"), ("good again", "passed")])
        why = {step["name"]: step["why"] for step in self.record()}
        self.assertEqual(why["hangs"], "ended after 0 s: before it hangs")
        self.assertIn("Segmentation fault", why["crashes"])
        self.assertEqual(why["is not there"], "cannot start bin/nothing: No such file or directory")
        self.assertEqual(why["no device"], 'no GPU: the driver (12.0) is too old for "13.0"')
        for line in (why["hangs"], why["no device"]):
            self.assertIn(line, done.stdout)
            self.assertIn(line, (self.folder / "record.txt").read_text())

    def test_a_record_is_whole_when_the_steps_are_killed(self):
        (self.folder / "steps.txt").write_text("good | 20 | bin/good\nhangs | 60 | bin/hangs\ngood again | 20 | bin/good\n")
        with subprocess.Popen([self.program, self.folder], stdout=subprocess.PIPE, text=True) as steps:
            self.assertIn("good", steps.stdout.readline())
            children = pathlib.Path(f"/proc/{steps.pid}/task/{steps.pid}/children")
            while self.record()[1]["state"] != "running" or not children.read_text():
                os.sched_yield()
            child = int(children.read_text())
            steps.kill()
        os.kill(child, signal.SIGKILL)
        self.assertEqual([step["state"] for step in self.record()], ["passed", "running", "to come"])


if __name__ == "__main__":
    unittest.main()
