"""Solvers that begin with the factors of SciPy's SuperLU, or with our own by their entries."""

import types
import unittest

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from test_splu import DTYPES, OPS, largest, random_matrix, random_vectors

import trisweep


def factors(a, **changes):
    lu = linalg.splu(sparse.csc_array(a))
    parts = {"L": lu.L, "U": lu.U, "perm_r": lu.perm_r, "perm_c": lu.perm_c}
    return types.SimpleNamespace(**{**parts, **changes})


class GivenFactors(unittest.TestCase):
    def test_give_scipys_solutions(self):
        for dtype in DTYPES:
            a = random_matrix(n=200, dtype=dtype)
            theirs = linalg.splu(sparse.csc_array(a))
            with trisweep.from_factors(a, theirs) as lu:
                report = lu.report()["factor"]
                self.assertEqual((report["kind"], report["seconds"]), ("lu", 0))
                for trans in OPS:
                    for b in (random_vectors(200, dtype), random_vectors((200, 5), dtype)):
                        with self.subTest(dtype=dtype, trans=trans, shape=b.shape):
                            expected = theirs.solve(b, trans)
                            error = largest(lu.solve(b, trans) - expected)
                            self.assertLess(error, 200 * np.finfo(dtype).eps * largest(expected))
                            self.assertFalse(lu.report()["factor"]["second_try"])

    def test_of_rows_that_were_exchanged(self):
        """Columns in their own order, pivots anywhere; without a diagonal."""
        a = sparse.csr_array(random_matrix(n=100)[np.random.default_rng(5).permutation(100)])
        theirs = linalg.splu(sparse.csc_array(a), permc_spec="NATURAL")
        self.assertTrue(np.any(theirs.perm_r != np.arange(100)))
        b = random_vectors(100)
        error = largest(trisweep.from_factors(a, theirs, threads=2).solve(b) - theirs.solve(b))
        self.assertLess(error, 1e-10)

    def test_of_a_solver_of_ours_have_its_scales(self):
        a = sparse.csr_array(np.array([[0, 1e9, 0, 2], [3e-7, 0, 0, 0], [0, 1, 1e-5, 0], [4, 0, 7, 0]]))
        lu = trisweep.from_factors(a, trisweep.splu(a))
        np.testing.assert_allclose(lu.solve(a @ np.arange(1.0, 5)), np.arange(1.0, 5), rtol=1e-12)

    def test_are_replaced_by_new_values(self):
        a, b = random_matrix(), random_vectors(60)
        lu = trisweep.from_factors(a, factors(a))
        x = lu.solve(b)
        lu.refactor(4 * a)
        self.assertGreater(lu.report()["factor"]["seconds"], 0)
        np.testing.assert_allclose(4 * lu.solve(b), x, rtol=1e-9)
        self.assertEqual(lu.L.shape, a.shape)

    def test_of_another_matrix_are_refined_or_replaced(self):
        a, b = random_matrix(), random_vectors(60)
        lu = trisweep.from_factors(a, factors(3 * a + sparse.eye_array(60)))
        np.testing.assert_allclose(a @ lu.solve(b), b, rtol=1e-9, atol=1e-9)

    def test_that_are_wrong_are_refused(self):
        a = random_matrix()
        good = factors(a)
        nan = good.U.copy()
        nan.data[7] = np.nan
        for words, changes in (
            ("L has an entry", {"L": good.U}),
            ("U has an entry", {"U": good.L}),
            ("permutations of 60", {"L": good.L[:59, :59]}),
            ("no permutation", {"perm_r": np.zeros(60, int)}),
            ("60 rows and 59 columns", {"perm_c": good.perm_c[1:]}),
            ("not finite", {"U": nan}),
            ("scale", {"row_scale": np.zeros(60)}),
        ):
            with self.subTest(words), self.assertRaisesRegex(ValueError, words):
                trisweep.from_factors(a, factors(a, **changes))
        with self.assertRaisesRegex(ValueError, "None"):
            trisweep.from_factors(a, None)
        with self.assertRaisesRegex(TypeError, "factors is str.*'L'"):
            trisweep.from_factors(a, "x")
        singular = sparse.csc_array(good.U - sparse.csc_array(([good.U[59, 59]], ([59], [59])), shape=(60, 60)))
        with self.assertRaisesRegex(trisweep.NumericalError, "zero at place 59"):
            trisweep.from_factors(a, factors(a, U=singular))
        with self.assertRaisesRegex(ValueError, "60 rows for a matrix of 61"):
            trisweep.from_factors(random_matrix(n=61), good)


if __name__ == "__main__":
    unittest.main()
