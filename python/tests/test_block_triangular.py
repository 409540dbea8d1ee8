"""Matrices whose block triangular form is factored, against the same matrices factored as a whole."""

import pickle
import tempfile
import unittest
from pathlib import Path

import numpy as np
from scipy import sparse
from test_factors import permutations
from test_splu import DTYPES, largest

import trisweep


def with_given_values(n=64, dtype=np.float64):
    """The Laplacian of an n x n grid, with equations x = b for the unknowns of its boundary, whose columns stay."""
    line = sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    one = sparse.eye_array(n)
    x, y = np.divmod(np.arange(n * n), n)
    inner = (np.minimum(x, y) > 0) & (np.maximum(x, y) < n - 1)
    keep = sparse.diags_array(inner.astype(float))
    laplacian = sparse.kron(line, one) + sparse.kron(one, line)
    return sparse.csr_array(keep @ laplacian + sparse.eye_array(n * n) - keep).astype(dtype)


class BlockTriangularForm(unittest.TestCase):
    def test_given_values_leave_a_symmetric_matrix_to_factor(self):
        for dtype in DTYPES:
            a = with_given_values(dtype=dtype)
            b = np.random.default_rng(3).standard_normal((a.shape[0], 3)).astype(dtype)
            lu, whole = trisweep.splu(a), trisweep.splu(a, block_triangular="off")
            factor = lu.report()["factor"]
            self.assertEqual((factor["kind"], factor["block_stages"]), ("cholesky", 2))
            self.assertEqual(factor["nonzeros_off_diagonal"], 4 * 62)
            self.assertEqual(whole.report()["factor"]["kind"], "lu")
            self.assertLess(factor["bytes"], 0.7 * whole.report()["factor"]["bytes"])
            for op in "NTH":
                x, expected = lu.solve(b, trans=op), whole.solve(b, trans=op)
                self.assertLess(largest(x - expected), 1e4 * np.finfo(dtype).eps * largest(expected), (dtype, op))

    def test_is_chosen_by_name(self):
        a = with_given_values(10)
        stages = [
            trisweep.splu(a, block_triangular=choice).report()["factor"]["block_stages"]
            for choice in ("auto", "on", "off")
        ]
        self.assertEqual(stages, [1, 2, 1])
        for kind in ("cholesky", "ldlt"):  # of the matrix, which is not symmetric
            with self.assertRaises(ValueError):
                trisweep.splu(a, kind=kind, block_triangular="on")
        with self.assertRaisesRegex(ValueError, "block_triangular is 'yes'"):
            trisweep.splu(a, block_triangular="yes")

    def test_what_is_said_of_the_matrix_is_of_the_whole(self):
        a = with_given_values(12)
        b = np.arange(a.shape[0], dtype=float)
        lu = trisweep.splu(a, block_triangular="on")
        expected = lu.solve(b)
        sign, logarithm = np.linalg.slogdet(a.toarray())
        found = lu.slogdet()
        self.assertEqual(found.sign, sign)
        self.assertAlmostEqual(found.logabsdet, logarithm)
        with self.assertRaises(ValueError):
            lu.inertia()
        rows, columns = permutations(lu)
        scaled = sparse.diags_array(lu.row_scale) @ a @ sparse.diags_array(lu.col_scale)
        self.assertLess(largest((rows @ scaled @ columns - lu.L @ lu.U).toarray()), 1e-13)
        again = pickle.loads(pickle.dumps(lu))
        self.assertLess(largest(again.solve(b) - expected), 1e-12 * largest(expected))
        with tempfile.TemporaryDirectory() as folder:
            lu.save(Path(folder) / "a.factors")
            loaded = trisweep.load(Path(folder) / "a.factors")
            self.assertLess(largest(loaded.solve(b) - expected), 1e-12 * largest(expected))

    def test_other_values_are_followed(self):
        a = with_given_values(12)
        lu = trisweep.splu(a, block_triangular="on")
        other = a.copy()
        other.data *= np.where(np.diff(a.indptr).repeat(np.diff(a.indptr)) > 1, 3, 1)
        b = np.ones(a.shape[0])
        lu.refactor(other)
        self.assertEqual(lu.report()["factor"]["block_stages"], 2)
        self.assertLess(largest(other @ lu.solve(b) - b), 1e-12)


if __name__ == "__main__":
    unittest.main()
