"""trisweep solve with sparse right-hand sides, and for some rows of the solution."""
import unittest
from pathlib import Path

from command import GOOD, CommandTest

B = "%%MatrixMarket matrix coordinate real general\n512 2 2\n100 1 1.0\n500 2 2.0\n"


def values(path):
    lines = [line for line in Path(path).read_text().splitlines() if not line.startswith("%")]
    rows, columns = map(int, lines[0].split())
    numbers = [float(word) for word in lines[1:]]
    assert len(numbers) == rows * columns
    return [numbers[c * rows:(c + 1) * rows] for c in range(columns)]


class Sparse(CommandTest):
    def setUp(self):
        super().setUp()
        self.succeed("gallery", "poisson3d", "--n", 8, "-o", "A.mtx")
        self.write("b.mtx", B)
        self.write("rows", "100\n99\n\n500\n")

    def refuse(self, part, *arguments):
        result = self.run_here(*arguments)
        self.assertEqual(result.status, 2, result)
        self.assertIn(part, result.err, result)

    def test_rows_are_those_of_the_solution(self):
        self.succeed("solve", "A.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--json", "run.json")
        record = self.record("run.json")["solve"]
        self.assertLess(record["panel_share"], 1)
        self.assertEqual((record["rows"], record["of_sample"]), (0, False))
        self.assertLess(record["componentwise_backward_error"], GOOD)
        whole = values(self.folder / "x.mtx")
        for ranks, *options in ((0,), (4, "--grid", "2x1x2"), (3, "--mapping", "proportional"), (2, "--op", "T"),
                                (0, "--precision", "mixed")):
            with self.subTest(ranks=ranks, options=options):
                self.succeed("solve", "A.mtx", "--rhs", "b.mtx", "--rows", "rows", "-o", "some.mtx", "--json",
                             "some.json", *options, ranks=ranks)
                some = self.record("some.json")["solve"]
                self.assertEqual((some["rows"], some["of_sample"]), (3, "mixed" not in options))
                for one, all_of_it in zip(values(self.folder / "some.mtx"), whole, strict=True):
                    for number, row in zip(one, (99, 98, 499), strict=True):
                        self.assertAlmostEqual(number, all_of_it[row], delta=1e-14)

    def test_wrong_rows_are_refused(self):
        self.write("beyond", "3\n513\n")
        self.refuse("beyond:2", "solve", "A.mtx", "--rows", "beyond")
        self.write("pair", "1 2\n")
        self.refuse("expected the number of a row of the solution, from 1 to 512, found '1 2'", "solve", "A.mtx", "--rows",
                    "pair")
        self.write("empty", "% none\n")
        self.refuse("there is no row", "solve", "A.mtx", "--rows", "empty")
        self.refuse("--rows cannot be combined with", "solve", "A.mtx", "--rows", "rows", "--method", "bicgstab")


if __name__ == "__main__":
    unittest.main()
