"""Every gallery kind is solved on four grids, each with another plan, and as on one rank; every real matrix on two of
these, in turn:

    python3 tests/cli/every_matrix.py
"""
import unittest
from concurrent.futures import ThreadPoolExecutor

from command import DOUBLE, GOOD, SINGLE, CommandTest, largest, matrices_folder, ranks_of, read_dense

ALONE = "1x1x1"
# Grids, with the choices beside the usual ones that every matrix meets.
PROPORTIONAL = ("--mapping", "proportional")
PLANS = (("1x1x4",), ("3x2x1", *PROPORTIONAL, "--tree", "postal"), ("2x3x2",),
         ("2x2x1", *PROPORTIONAL, "--diagonal", "separators"))
# What test_solve_mpi tests on every grid is tried on one grid more, with layers and the least even.
UNEVEN = "2x3x2"

# Small members of every kind: name, N, further arguments.
GALLERY = [("s2d9", 16), ("poisson3d", 8), ("dirichlet3d", 17), ("convection3d", 8), ("transport3d", 17),
           ("elasticity3d", 5), ("plate", 8), ("maxwell3d", 6), ("maxwell3d", 6, "--complex"), ("kkt3d", 5), ("cage", 8), ("dense-blocks3d", 8),
           ("fusion", 4), ("random", 400), ("graph", 500), ("graph-road", 1000), ("tridiagonal", 500), ("banded", 400),
           ("block-diagonal", 40), ("arrow", 300)]

# Well-conditioned only once scaled: solutions of equal backward error differ by far more than the estimate says.
BADLY_SCALED = {"bayer10.mtx.gz", "fidapex6.mtx.gz", "nnc1374.mtx.gz", "random.mtx"}

# Real, complex, Hermitian, and unsymmetric in values and pattern.
VARIED = ["bcsstk14.mtx.gz", "young1c.mtx.gz", "mhd1280b.mtx.gz", "west0479.mtx.gz", "orsirr_1.mtx.gz"]


class EveryMatrix(CommandTest):
    def check_each(self, check, cases):
        """check(*case) of every case, two at a time: half of a run is the start of its ranks."""
        with ThreadPoolExecutor(2) as two:
            checks = [(case, two.submit(check, *case)) for case in cases]
        for case, done in checks:
            with self.subTest(case):
                done.result()

    def solve_on(self, grid, matrix, *arguments, good=GOOD):
        """The record and the solution, or the message of a structurally singular matrix."""
        name = "_".join((grid, matrix.name, *map(str, arguments)))
        result = self.run_here("solve", matrix, "--grid", grid, "--json", f"{name}.json", "-o", f"{name}.mtx",
                               *arguments, ranks=0 if grid == ALONE else ranks_of(grid))
        if result.status != 0:
            self.assertEqual(result.status, 1, result)
            self.assertEqual(len(result.messages()), 1, result)
            self.assertIn("structurally singular", result.messages()[0], result)
            return None, result.messages()[0]
        record = self.record(f"{name}.json")
        self.assertLessEqual(record["solve"]["componentwise_backward_error"], good, result)
        self.assertEqual(record["plan"]["grid"], list(map(int, grid.split("x"))))
        sent, received = (sum(rank[what] for rank in record["ranks"]) for what in ("bytes_sent", "bytes_received"))
        self.assertEqual(sent, received)
        return record, read_dense(self.path(f"{name}.mtx"))

    def check(self, matrix, plans=PLANS):
        alone, expected = self.solve_on(ALONE, matrix)
        first = None
        for grid, *choices in plans:
            # Of several ranks, whose order needs separators or not: one stores fewer zeros.
            record, found = self.solve_on(grid, matrix, *(choices or ("--ordering", "metis")))
            if alone is None:
                self.assertEqual(found, expected, grid)
                continue
            if not choices:  # of mappings by subtrees the dissection goes deeper, and inverted separators are whole
                first = first or record
                for field in ("kind", "nonzeros_l", "nonzeros_u", "bytes", "supernodes", "perturbed_pivots"):
                    self.assertEqual(record["factor"][field], first["factor"][field], f"{field} on {grid}")
            if matrix.name in BADLY_SCALED:
                continue
            self.assertEqual([len(x) for x in expected], [len(y) for y in found], grid)
            difference = largest(a - b for x, y in zip(expected, found) for a, b in zip(x, y))
            allowed = 1e4 * DOUBLE * alone["factor"]["condition_estimate"]
            self.assertLessEqual(difference, allowed * largest(v for x in expected for v in x), grid)

    def test_gallery(self):
        matrices = [self.path("_".join((kind, *more)) + ".mtx") for kind, _, *more in GALLERY]
        for matrix, (kind, n, *more) in zip(matrices, GALLERY):
            self.succeed("gallery", kind, "--n", n, *more, "-o", matrix)
        self.check_each(self.check, [(matrix,) for matrix in matrices])

    def test_gallery_is_complete(self):
        listed = self.succeed("gallery", "--help").out.split("Kinds:")[1].splitlines()
        kinds = {line.split()[0] for line in listed if line.strip()}
        self.assertEqual(kinds, {kind for kind, *_ in GALLERY})

    def test_real_matrices(self):
        matrices = sorted(p for p in matrices_folder().iterdir() if p.name.endswith((".mtx.gz", ".rua")))
        self.assertTrue(matrices)
        self.check_each(self.check, [(matrix, PLANS[i % 2::2]) for i, matrix in enumerate(matrices)])

    def test_ops_and_right_hand_sides(self):
        def check(grid, matrix, op):
            solved = self.solve_on(grid, matrix, "--op", op, "--nrhs", 7)[0]["solve"]
            self.assertEqual((solved["nrhs"], solved["op"]), (7, op))
        self.check_each(check, [(grid, matrix, op) for grid in (ALONE, UNEVEN) for matrix in varied() for op in "TH"])

    def test_precisions(self):
        def check(grid, matrix):
            self.solve_on(grid, matrix, "--precision", "mixed")
            self.solve_on(grid, matrix, "--precision", "float", good=GOOD / DOUBLE * SINGLE)
        self.check_each(check, [(grid, matrix) for grid in (ALONE, UNEVEN) for matrix in varied()])

    def test_schedules_and_trees(self):
        def check(schedule, inter_grid, tree):
            plan = self.solve_on(UNEVEN, varied()[-1], "--schedule", schedule, "--inter-grid", inter_grid,
                                 "--tree", tree)[0]["plan"]
            self.assertEqual((plan["schedule"], plan["inter_grid"], plan["tree"]), (schedule, inter_grid, tree))
        self.check_each(check, [("level-sync", "sparse", "binary"), ("single-sync", "per-node", "flat"),
                                ("single-sync", "sparse", "auto")])


def varied():
    return [matrices_folder() / name for name in VARIED if (matrices_folder() / name).exists()]


if __name__ == "__main__":
    unittest.main()
