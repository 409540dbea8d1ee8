"""Grids, tables, facets and output files."""

import tempfile
import unittest
from pathlib import Path

from trisweep import plots
from trisweep.errors import UserError
from trisweep.grids import Grid, layered_grids, parse_grid, square_grid
from trisweep.outputs import Outputs
from trisweep.runs import read_traffic
from trisweep.tables import Column, Spread, Table, pivot, spread


class Grids(unittest.TestCase):
    def test_are_read_and_written(self):
        self.assertEqual(parse_grid("3x2x4"), Grid(3, 2, 4))
        self.assertEqual((str(Grid(3, 2, 4)), Grid(3, 2, 4).ranks), ("3x2x4", 24))

    def test_that_are_none_are_refused(self):
        for text in ("", "2", "2x2", "2x2x0", "2x2x3", "2x2x2x2", "axbxc", "-2x1x1", "2x2x1 "):
            with self.subTest(text), self.assertRaises(UserError):
                parse_grid(text)

    def test_are_as_square_as_can_be(self):
        self.assertEqual(
            [str(square_grid(p)) for p in (1, 2, 7, 12, 16)], ["1x1x1", "2x1x1", "7x1x1", "4x3x1", "4x4x1"]
        )
        self.assertEqual([str(g) for g in layered_grids(12)], ["4x3x1", "3x2x2", "3x1x4"])


class Tables(unittest.TestCase):
    def test_markdown(self):
        columns = [Column("name", "name"), Column("ratio", "ratio", ".2f"), Column("count", "count", "d")]
        rows = [{"name": "a", "ratio": spread([1.0, 4.0, 2.0]), "count": 3, "unseen": 5}, {"name": "b", "ratio": None}]
        self.assertEqual(
            Table(columns, rows, ["A note."]).markdown().splitlines(),
            [
                "| name | ratio | count |",
                "| --- | ---: | ---: |",
                "| a | 2.00 (1.00 to 4.00) | 3 |",
                "| b |  |  |",
                "",
                "A note.",
            ],
        )

    def test_a_single_measurement_has_no_spread(self):
        self.assertEqual(Column("x", "x", ".1f").text(Spread(2.0, 2.0, 2.0)), "2.0")

    def test_groups_keep_the_order_of_rows(self):
        table = Table([], [{"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 3}])
        self.assertEqual(
            {key: [row["b"] for row in rows] for key, rows in table.groups("a").items()}, {(2,): [1, 3], (1,): [2]}
        )

    def test_a_pivot_table_has_none_where_there_is_no_row(self):
        rows = [{"grid": g, "tree": t, "ratio": r} for g, t, r in (("b", 1, 0.5), ("a", 1, 2.0), ("b", 0, 1.0))]
        self.assertEqual(pivot(rows, "grid", "tree", "ratio"), (["b", "a"], {1: [0.5, 2.0], 0: [1.0, None]}))
        self.assertEqual(pivot(rows, "grid", "tree", "ratio", [0, 2])[1], {0: [1.0, None], 2: [None, None]})


class Facets(unittest.TestCase):
    def test_are_titled_by_their_group_and_fill_lines(self):
        rows = [{"matrix": "a", "nrhs": nrhs, "x": x} for nrhs in (1, 2, 3) for x in (4, 5)]
        figure, facets = plots.facets(Table([], rows), "matrix", "nrhs", columns=2)
        self.assertEqual([[row["x"] for row in group] for _, group in facets], 3 * [[4, 5]])
        titles = [axes.get_title() for axes in figure.axes]
        self.assertEqual(titles, ["a, 1 right-hand side", "a, 2 right-hand sides", "a, 3 right-hand sides", ""])
        self.assertEqual([axes.get_visible() for axes in figure.axes], [True, True, True, False])


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_appear_when_all_is_done(self):
        with Outputs(self.folder / "new", "trees") as outputs:
            outputs.write("md", "text")
            self.assertFalse((self.folder / "new/trees.md").exists())
        self.assertEqual((self.folder / "new/trees.md").read_text(), "text")
        self.assertEqual({f.name for f in (self.folder / "new").iterdir()}, {"trees.json", "trees.md", "trees.png"})

    def test_a_failure_changes_nothing(self):
        (self.folder / "trees.md").write_text("old")
        with self.assertRaises(KeyError), Outputs(self.folder, "trees") as outputs:
            outputs.write("md", "new")
            raise KeyError
        self.assertEqual([(f.name, f.read_text()) for f in self.folder.iterdir()], [("trees.md", "old")])

    def test_a_folder_that_cannot_be_is_refused_at_once(self):
        (self.folder / "file").write_text("")
        for place in ("file", "file/under", "/proc/nothing"):
            with self.subTest(place), self.assertRaisesRegex(UserError, "cannot write into"):
                Outputs(self.folder / place, "trees")
        (self.folder / "trees.md").mkdir()
        with self.assertRaisesRegex(UserError, "is a folder"):
            Outputs(self.folder, "trees")
        self.assertEqual({f.name for f in self.folder.iterdir()}, {"file", "trees.md"})

    def test_traffic_adds_up_all_kinds(self):
        file = self.folder / "traffic.csv"
        file.write_text("from,to,kind,messages,bytes\n0,1,broadcast,3,24\n0,1,reduction,2,16\n1,2,exchange,1,800\n")
        traffic = read_traffic(file, 4)
        self.assertEqual(traffic.per_rank(traffic.messages).tolist(), [5, 6, 1, 0])
        self.assertEqual(traffic.matrix(traffic.bytes)[:2].tolist(), [[0, 40, 0, 0], [0, 0, 800, 0]])
        file.write_text("from,to,kind,messages,bytes\n")
        traffic = read_traffic(file, 2)
        self.assertEqual(traffic.per_rank(traffic.messages).tolist(), [0, 0])


if __name__ == "__main__":
    unittest.main()
