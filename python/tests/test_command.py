"""`trisweep bench` as its user meets it: refusals, and a quick run of every experiment with the real command."""

import contextlib
import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from trisweep.bench import EXPERIMENTS, heatmap
from trisweep.bench.__main__ import main
from trisweep.grids import Grid
from trisweep.runs import find_trisweep

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("TRISWEEP_BINARY", str(ROOT / "build/trisweep"))


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def bench(self, *words, **variables):
        """Exit status, standard output and standard error."""
        out, err = io.StringIO(), io.StringIO()
        everywhere = {"TRISWEEP_BINARY": BINARY, **variables}
        with (
            mock.patch("sys.argv", ["trisweep-bench", *map(str, words)]),
            mock.patch.dict(os.environ, everywhere),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            self.assertRaises(SystemExit) as end,
        ):
            main()
        return end.exception.code or 0, out.getvalue(), err.getvalue()

    def program(self, name, text):
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return file

    def files(self):
        return sorted(p.name for p in self.folder.rglob("*"))


class Refusals(Command):
    def refused(self, *words, **variables):
        status, out, err = self.bench(*words, "-o", self.folder / "results", **variables)
        self.assertEqual((status, out), (2, ""), err)
        self.assertRegex(err, r"^trisweep bench: error: .+\n(  \| .*\n)*  remedy: .+\n$")
        written = self.folder / "results"
        self.assertEqual(list(written.iterdir()) if written.exists() else [], [])
        return err

    def test_of_words(self):
        for words, said in {
            (): "no experiment was given",
            ("tree",): "no experiment 'tree'",
            ("trees", "--grid", "2x2"): "'2x2' is not a process grid",
            ("trees", "--grid", "1x1x3"): "not a power of two",
            ("trees", "--ranks", "0"): "'0' is not a positive number",
            ("trees", "--rounds", "many"): "'many'",
            ("trees", "--ranks", "2", "--grid", "1x1x1"): "both --grid and --ranks",
            ("trees", "--threads", "2"): "--threads means nothing to the experiment trees",
            ("pingpong", "--matrix", "s2d9:8"): "--matrix means nothing",
            ("trees", "--matrix", "missing.mtx"): "there is no matrix 'missing.mtx'",
            ("trees", "--matrix", "s2d9:many"): "there is no matrix 's2d9:many'",
            ("trees", "--nonsense"): "--nonsense",
        }.items():
            with self.subTest(words):
                self.assertIn(said, self.refused(*words))

    def test_of_a_place_without_the_command(self):
        self.assertIn("not a program", self.refused("trees", TRISWEEP_BINARY=str(self.folder / "nothing")))
        self.assertIn("not a program", self.refused("trees", "--binary", self.folder))

    def test_of_a_place_without_mpi(self):
        binary = self.program("trisweep", "exit 0")
        said = self.refused("trees", "--binary", binary, PATH=str(self.folder), TRISWEEP_MPIRUN="")
        self.assertIn("mpirun was not found", said)

    def test_of_ranks_of_mpirun(self):
        self.assertIn("run it without mpirun", self.refused("trees", OMPI_COMM_WORLD_SIZE="4"))

    def test_tells_what_a_failed_run_said(self):
        binary = self.program("trisweep", "echo the disk is full; exit 3")
        said = self.refused("trees", "--quick", "--binary", binary)
        self.assertIn("exit status 3", said)
        self.assertIn("  | the disk is full\n", said)

    def test_of_results_that_are_none(self):
        file = self.folder / "other.json"
        for text in ("", "{}", "[]", '{"experiment": "threads"}'):
            file.write_text(text)
            with self.subTest(text):
                self.assertIn("other.json", self.refused("trees", "--redraw", file))


class Runs(Command):
    def test_every_experiment_in_its_quick_form(self):
        for name in EXPERIMENTS:
            with self.subTest(name):
                status, out, err = self.bench(name, "--quick", "-o", self.folder)
                if (
                    name in ("answer-peers", "peers", "refined-peers")
                    and not (Path(BINARY).resolve().parent / "bench/peers").is_dir()
                ):
                    self.assertIn("make it with scripts/build --bench", err)
                    continue
                if (
                    name == "simgrid"
                    and not (Path(BINARY).resolve().parent / "tests/simgrid/libsimulated_solve.so").is_file()
                ):
                    self.assertIn("install libsimgrid-dev", err)
                    continue
                self.assertEqual(status, 0, err)
                self.assertIn(f"{name}.png", out)
                self.assertGreater((self.folder / f"{name}.png").stat().st_size, 5000)
                text = (self.folder / f"{name}.md").read_text()
                self.assertIn(f"Made by `trisweep bench {name} --quick", text)

    def result(self, name, *words):
        status, _, err = self.bench(name, "--quick", *words, "-o", self.folder)
        self.assertEqual(status, 0, err)
        return json.loads((self.folder / f"{name}.json").read_text())["table"]["rows"]

    def test_one_rank_sends_nothing(self):
        rows = self.result("trees", "--grid", "1x1x1")
        self.assertEqual([row["messages"] for row in rows], [0, 0, 0])

    def test_the_places_of_ranks_are_those_of_the_command(self):
        trisweep = find_trisweep(BINARY)
        matrix = self.folder / "a.mtx"
        trisweep.run(["gallery", "s2d9", "--n", "4", "-o", str(matrix)])
        grid = Grid(3, 2, 2)
        map_ = heatmap.at_place(list(range(grid.ranks)), grid)
        for rank in trisweep.plan(matrix, grid)["ranks"]:
            self.assertEqual(map_[rank["x"], rank["z"] * grid.py + rank["y"]], rank["rank"])

    def test_an_earlier_result_is_drawn_again(self):
        self.result("trees", "--grid", "1x1x1", "--matrix", "s2d9:4")
        drawn = (self.folder / "trees.png").read_bytes()
        again = self.folder / "again"
        status, _, err = self.bench("trees", "--redraw", self.folder / "trees.json", "-o", again, TRISWEEP_BINARY="")
        self.assertEqual(status, 0, err)
        self.assertEqual((again / "trees.png").read_bytes(), drawn)
        self.assertEqual((again / "trees.md").read_text(), (self.folder / "trees.md").read_text())

    def test_the_list_needs_nothing(self):
        status, out, _ = self.bench("--list", TRISWEEP_BINARY="nowhere", PATH="")
        self.assertEqual((status, [line.split()[0] for line in out.splitlines()]), (0, list(EXPERIMENTS)))


if __name__ == "__main__":
    unittest.main()
