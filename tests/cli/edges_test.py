"""Legal but extreme systems: each is solved, and what is small enough is checked apart from the command."""
import random
import unittest
from math import comb

from command import GOOD, CommandTest, backward_error, dense_text, matrix_text, read_dense

GRIDS = ["1x1x1", "2x3x2"]
LARGE_GRIDS = ["4x4x1", "1x1x16", "2x2x4"]  # one for each system, in turn

TWO = {(0, 0): 4.0, (0, 1): 1.0, (1, 0): 1.0, (1, 1): 3.0}

SYSTEMS = {
    "one row": (1, {(0, 0): 5.0}),
    "two rows": (2, TWO),
    "diagonal": (30, {(i, i): float(i + 1) for i in range(30)}),
    "pairs that nothing joins": (31, {(0, 0): 1.0, **{(i, i): 3.0 for i in range(1, 31)},
                                      **{(i, i + 1 if i % 2 else i - 1): 1.0 for i in range(1, 31)}}),
    "zero diagonal": (6, {(i, (i + 1) % 6): 2.0 for i in range(6)}),
    "stored zeros off the diagonal": (3, {(i, j): 7.0 if i == j else 0.0 for i in range(3) for j in range(3)}),
    "lower triangle": (40, {(i, j): 1.0 + i * (i == j) for i in range(40) for j in range(i + 1)}),
    "arrow": (50, {**{(i, i): 4.0 for i in range(50)}, **{(i, 49): 1.0 for i in range(49)},
                   **{(49, i): -0.1 for i in range(49)}}),
}


class Edges(CommandTest):
    def check_answers(self, n, entries, columns):
        """That x.mtx solves A x = b for every right-hand side."""
        answers = read_dense(self.path("x.mtx"))
        self.assertEqual(len(answers), len(columns))
        for x, b in zip(answers, columns):
            self.assertLessEqual(backward_error(n, entries, x, b), GOOD)

    def test_files_that_all_ranks_read(self):
        """Large enough for a part on each rank: the same system, and generated right-hand sides, as on one."""
        self.succeed("gallery", "convection3d", "--n", 14, "-o", "a.mtx")
        for op in "NT":
            answers = []
            for ranks in (0, 4):
                self.succeed("solve", "a.mtx", "--op", op, "--nrhs", 2, "-o", "x.mtx", "--json", "run.json", ranks=ranks)
                run = self.record("run.json")
                self.assertLess(run["solve"]["componentwise_backward_error"], GOOD)
                answers.append((run["matrix"], read_dense(self.path("x.mtx"))))
            (matrix, x), (again, y) = answers
            self.assertEqual(matrix, again)
            for one, other in zip(x, y, strict=True):
                self.assertLess(max(abs(a - b) for a, b in zip(one, other, strict=True)), 1e-10)
                self.assertTrue(all(1 <= value < 2 for value in (round(v, 9) for v in one)))

    def test_small_systems_on_many_ranks(self):
        """Most ranks own nothing, and the tree has fewer levels than the grid has layers."""
        for k, (name, (n, entries)) in enumerate(SYSTEMS.items()):
            values = random.Random(n)
            columns = [[values.uniform(-1, 1) for _ in range(n)] for _ in range(3)]
            self.write("a.mtx", matrix_text(n, entries))
            self.write("b.mtx", dense_text(columns))
            for grid in (*GRIDS, LARGE_GRIDS[k % len(LARGE_GRIDS)]):
                with self.subTest(name, grid=grid):
                    record = self.solve_well("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", grid=grid)
                    self.assertEqual(record["solve"]["nrhs"], 3)
                    self.check_answers(n, entries, columns)

    def test_complex_systems(self):
        entries = {(0, 0): 2j, (0, 1): 1 - 1j, (1, 0): 3 + 0j, (1, 1): 1 + 1j}
        for n, a in ((1, {(0, 0): 2j}), (2, entries)):
            self.write("a.mtx", matrix_text(n, a, field="complex"))
            columns = [[1 + 2j, -1j][:n]]
            self.write("b.mtx", dense_text(columns, field="complex"))
            conjugated = {(j, i): v.conjugate() for (i, j), v in a.items()}
            transposed = {(j, i): v for (i, j), v in a.items()}
            for op, solved in (("N", a), ("T", transposed), ("H", conjugated)):
                with self.subTest(n=n, op=op):
                    self.solve_well("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--op", op, grid="2x1x2")
                    self.check_answers(n, solved, columns)

    def test_complex_right_hand_side_of_a_real_matrix(self):
        self.write("a.mtx", matrix_text(2, TWO))
        self.write("b.mtx.gz", dense_text([[5 + 0j, 4 + 0j], [5j, 4j]], field="complex"))
        record = self.solve_well("a.mtx", "--rhs", "b.mtx.gz", "-o", "x.mtx", grid="2x1x2")
        self.assertEqual(record["solve"]["nrhs"], 2)
        for x, expected in zip(read_dense(self.path("x.mtx")), ([1, 1], [1j, 1j])):
            for value, wanted in zip(x, expected):
                self.assertAlmostEqual(value, wanted)

    def test_real_right_hand_side_of_a_complex_matrix(self):
        self.write("a.mtx", matrix_text(1, {(0, 0): 2j}, field="complex"))
        self.write("b.mtx", dense_text([[4.0]]))
        self.solve_well("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx")
        self.assertAlmostEqual(read_dense(self.path("x.mtx"))[0][0], -2j)

    def test_zero_right_hand_side(self):
        self.write("a.mtx", matrix_text(2, TWO))
        self.write("b.mtx", dense_text([[0.0, 0.0]]))
        for grid in ("1x1x1", "2x1x2"):
            with self.subTest(grid=grid):
                record = self.solve("a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", grid=grid)
                self.assertEqual(record["solve"]["backward_error"], 0)
                self.assertEqual(read_dense(self.path("x.mtx")), [[0.0, 0.0]])

    def test_huge_and_tiny_values(self):
        for scale in (1e-300, 1e-200, 1e200, 1e300):
            entries = {at: v * scale for at, v in TWO.items()}
            self.write("a.mtx", matrix_text(2, entries))
            for precision in ("double", "mixed"):
                with self.subTest(scale=scale, precision=precision):
                    self.solve_well("a.mtx", "--precision", precision, "-o", "x.mtx", grid="2x1x2")
                    self.assertTrue(all(1 - 1e-12 <= v < 2 + 1e-12 for v in read_dense(self.path("x.mtx"))[0]))

    def test_huge_and_tiny_rows(self):
        entries = {at: v * (1e200 if at[0] == 0 else 1e-200) for at, v in TWO.items()}
        self.write("a.mtx", matrix_text(2, entries))
        self.solve_well("a.mtx", grid="2x1x2")

    def test_outputs_may_be_streams(self):
        """The solution on standard output, with the summary out of its way."""
        self.write("a.mtx", matrix_text(2, TWO))
        self.write("b.mtx", dense_text([[5.0, 4.0]]))
        result = self.succeed("solve", "a.mtx", "--rhs", "b.mtx", "-o", "/dev/stdout")
        self.write("x.mtx", result.out)
        self.check_answers(2, TWO, [[5.0, 4.0]])
        self.assertIn("backward error", result.err)

    def test_a_condition_number_at_the_limit_is_a_warning(self):
        """A Pascal matrix, definite: an answer, but not without saying what it is worth."""
        n = 16
        self.write("a.mtx", matrix_text(n, {(i, j): comb(i + j, i) for i in range(n) for j in range(n)}))
        result = self.succeed("solve", "a.mtx", "--json", "run.json", "-o", "x.mtx")
        self.assertEqual((len(result.warnings()), result.messages()), (1, []), result)
        self.assertIs(self.record("run.json")["factor"]["numerically_singular"], False)


if __name__ == "__main__":
    unittest.main()
