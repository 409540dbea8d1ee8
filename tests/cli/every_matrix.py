"""Every real matrix and every gallery kind is solved on one grid, as well as on one rank:

    python3 tests/cli/every_matrix.py 2x3x2
"""
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from command import DOUBLE, GOOD, SINGLE, CommandTest, matrices_folder, ranks_of, read_dense

GRID = "1x1x4"

# Small members of every kind: name, N, further arguments.
GALLERY = [("s2d9", 16), ("poisson3d", 8), ("convection3d", 8), ("elasticity3d", 5), ("maxwell3d", 6),
           ("maxwell3d", 6, "--complex"), ("kkt3d", 5), ("cage", 8), ("dense-blocks3d", 8), ("fusion", 4),
           ("random", 400), ("graph", 500), ("graph-road", 1000)]

# Well-conditioned only once scaled: solutions of equal backward error differ by far more than the estimate says.
BADLY_SCALED = {"bayer10.mtx.gz", "fidapex6.mtx.gz", "nnc1374.mtx.gz", "random"}

# Real, complex, Hermitian, and unsymmetric in values and pattern.
VARIED = ["bcsstk14.mtx.gz", "young1c.mtx.gz", "mhd1280b.mtx.gz", "west0479.mtx.gz", "orsirr_1.mtx.gz"]


def largest(columns):
    return max(abs(v) for column in columns for v in column)


class EveryMatrix(CommandTest):
    def solve_on(self, matrix, grid):
        """The record and the solution, or the message of a structurally singular matrix."""
        result = self.run_here("solve", matrix, "--grid", grid, "--json", f"{grid}.json", "-o", f"{grid}.mtx",
                               ranks=ranks_of(grid))
        if result.status != 0:
            self.assertEqual(result.status, 1, result)
            self.assertEqual(len(result.messages()), 1, result)
            self.assertIn("structurally singular", result.messages()[0], result)
            return None, result.messages()[0]
        record = self.record(f"{grid}.json")
        self.assertLessEqual(record["solve"]["backward_error"], GOOD, result)
        self.assertEqual(record["plan"]["grid"], list(map(int, grid.split("x"))))
        sent, received = (sum(rank[what] for rank in record["ranks"]) for what in ("bytes_sent", "bytes_received"))
        self.assertEqual(sent, received)
        return record, read_dense(self.path(f"{grid}.mtx"))

    def check(self, matrix, name):
        if GRID == "1x1x1":
            self.solve_on(matrix, GRID)
            return
        with ThreadPoolExecutor() as both:
            on_grid, on_one_rank = (both.submit(self.solve_on, matrix, grid) for grid in (GRID, "1x1x1"))
        (record, found), (alone, expected) = on_grid.result(), on_one_rank.result()
        if alone is None:
            self.assertEqual(found, expected)
            return
        for field in ("kind", "nonzeros_l", "nonzeros_u", "bytes", "supernodes", "perturbed_pivots"):
            self.assertEqual(record["factor"][field], alone["factor"][field], field)
        if name in BADLY_SCALED:
            return
        difference = largest([[a - b for a, b in zip(x, y)] for x, y in zip(expected, found)])
        allowed = 1e4 * DOUBLE * alone["factor"]["condition_estimate"]
        self.assertLessEqual(difference, allowed * largest(expected))

    def test_gallery(self):
        for kind, n, *more in GALLERY:
            with self.subTest(kind=kind, more=more):
                self.succeed("gallery", kind, "--n", n, *more, "-o", "gallery.mtx")
                self.check("gallery.mtx", kind)

    def test_gallery_is_complete(self):
        listed = self.succeed("gallery", "--help").out.split("Kinds:")[1].splitlines()
        kinds = {line.split()[0] for line in listed if line.strip()}
        self.assertEqual(kinds, {kind for kind, *_ in GALLERY})

    def test_real_matrices(self):
        matrices = sorted(p for p in matrices_folder().iterdir() if p.name.endswith((".mtx.gz", ".rua")))
        self.assertTrue(matrices)
        for matrix in matrices:
            with self.subTest(matrix=matrix.name):
                self.check(matrix, matrix.name)

    def test_ops_and_right_hand_sides(self):
        for matrix in self.varied():
            for op in "TH":
                with self.subTest(matrix=matrix.name, op=op):
                    record = self.solve_well(matrix, "--op", op, "--nrhs", 7, grid=GRID)
                    self.assertEqual((record["solve"]["nrhs"], record["solve"]["op"]), (7, op))

    def test_precisions(self):
        for matrix in self.varied():
            with self.subTest(matrix=matrix.name):
                self.solve_well(matrix, "--precision", "mixed", grid=GRID)
                record = self.solve(matrix, "--precision", "float", grid=GRID)
                self.assertLessEqual(record["solve"]["backward_error"], GOOD / DOUBLE * SINGLE)

    def test_schedules_and_trees(self):
        matrix = self.varied()[-1]
        for schedule, inter_grid, tree in (("level-sync", "sparse", "binary"), ("single-sync", "per-node", "flat"),
                                           ("single-sync", "sparse", "auto")):
            with self.subTest(schedule=schedule, inter_grid=inter_grid, tree=tree):
                plan = self.solve_well(matrix, "--schedule", schedule, "--inter-grid", inter_grid, "--tree", tree,
                                       grid=GRID)["plan"]
                self.assertEqual((plan["schedule"], plan["inter_grid"], plan["tree"]), (schedule, inter_grid, tree))

    @staticmethod
    def varied():
        return [matrices_folder() / name for name in VARIED if (matrices_folder() / name).exists()]


if __name__ == "__main__":
    GRID = sys.argv.pop(1)
    unittest.main()
