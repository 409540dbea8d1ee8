"""A rank that dies, or stops for good, ends the whole run: soon, with a message, and leaving no process behind."""
import os
import shlex
import signal
import subprocess
import time
import unittest
from pathlib import Path

from command import BINARY, MPIRUN, CommandTest

RANKS = 4
END_SECONDS = 20  # within which all processes must have gone


def parents():
    """Process -> its parent, of all processes that have not ended."""
    result = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rsplit(")", 1)[1].split()[:2]
        except OSError:  # it ended meanwhile
            continue
        if state != "Z":
            result[int(folder.name)] = int(parent)
    return result


def descendants(ancestor):
    parent_of = parents()
    found = {ancestor}
    while more := {process for process, parent in parent_of.items() if parent in found} - found:
        found |= more
    return found - {ancestor}


def runs_the_command(process):
    try:
        return os.readlink(f"/proc/{process}/exe") == os.path.realpath(BINARY)
    except OSError:
        return False


def wait_until(condition, what, seconds):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.02)
    return value


def cpu_seconds(process):
    try:
        user, system = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Run:
    """A solve that repeats for minutes; `ranks` are its processes once each is in the solve."""

    def __init__(self, folder, *options, launcher=None):
        launcher = launcher or shlex.split(MPIRUN) + ["-n", str(RANKS)]
        line = launcher + [BINARY, "solve", "a.mtx", "--grid", "2x1x2", "--repeat", "1000000", *options]
        self.error = folder / "stderr"
        with self.error.open("w") as error:
            self.launcher = subprocess.Popen(line, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=error)
        self.processes = {self.launcher.pid}
        try:
            self.ranks = wait_until(self.solving_ranks, "ranks that solve", 60)
        except BaseException:
            self.end()
            raise

    def solving_ranks(self):
        """The ranks when all of them solve, else nothing. What precedes the solve of a small matrix is short, and
        ranks that wait for it sleep: whoever has used processor time for a while is in the solve."""
        if self.launcher.poll() is not None:
            raise AssertionError(f"ended before the solve: {self.error.read_text()}")
        self.processes |= descendants(self.launcher.pid)
        ranks = sorted(filter(runs_the_command, self.living()))
        return ranks if len(ranks) == RANKS and all(cpu_seconds(rank) > 0.5 for rank in ranks) else None

    def living(self):
        return self.processes & parents().keys()

    def end(self):
        for process in self.living():
            os.kill(process, signal.SIGKILL)
        self.launcher.wait()


class LostRankTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.succeed("gallery", "poisson3d", "--n", 12, "-o", "a.mtx")

    def start(self, *options, launcher=None):
        started = Run(self.folder, *options, launcher=launcher)
        self.addCleanup(started.end)
        return started

    def check_end(self, started):
        """All processes end, the status is not 0, and somebody said why. Returns what was said."""
        status = started.launcher.wait(timeout=END_SECONDS)
        wait_until(lambda: not started.living(), "the end of every rank", END_SECONDS)
        said = started.error.read_text()
        self.assertNotEqual(status, 0, said)
        return said


class LostRank(LostRankTest):
    def test_a_killed_rank_ends_the_run(self):
        for victim in (0, RANKS - 1):
            with self.subTest(victim=victim):
                started = self.start()
                os.kill(started.ranks[victim], signal.SIGKILL)
                self.assertRegex(self.check_end(started), r"(?i)kill|signal 9")

    def test_the_watchdog_ends_a_run_that_a_stopped_rank_holds_up(self):
        started = self.start("--watchdog", "2")
        os.kill(started.ranks[RANKS - 1], signal.SIGSTOP)
        self.assertRegex(self.check_end(started), r"(?s)rank \d: no progress for 2 s: .*rank")


if __name__ == "__main__":
    unittest.main()
