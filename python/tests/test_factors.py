"""Analysis, factors by their entries, and what follows from them."""

import gc
import pickle
import unittest

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from test_splu import DTYPES, largest, random_matrix, random_vectors

import trisweep


def hermitian(a):
    return sparse.csr_array(a + a.conj().T + 8 * sparse.eye_array(a.shape[0], dtype=a.dtype))


def permutations(lu):
    """As SciPy's documentation of SuperLU makes them."""
    n = lu.shape[0]
    rows = sparse.csc_array((np.ones(n), (lu.perm_r, np.arange(n))))
    columns = sparse.csc_array((np.ones(n), (np.arange(n), lu.perm_c)))
    return rows, columns


class Triangles(unittest.TestCase):
    def assert_factors(self, lu, a):
        rows, columns = permutations(lu)
        scaled = sparse.diags_array(lu.row_scale) @ a @ sparse.diags_array(lu.col_scale)
        error = largest((rows @ scaled @ columns - lu.L @ lu.U).toarray())
        self.assertLess(error, 100 * np.finfo(lu.dtype).eps * largest(scaled.data))

    def test_have_scipys_meaning(self):
        for dtype in DTYPES:
            for a in (random_matrix(dtype=dtype), hermitian(random_matrix(dtype=dtype))):
                with self.subTest(dtype):
                    lu = trisweep.splu(a)
                    self.assertEqual((lu.L.dtype, lu.U.dtype), (a.dtype, a.dtype))
                    self.assertEqual((lu.L.format, lu.U.format), ("csc", "csc"))
                    np.testing.assert_array_equal(lu.L.diagonal(), np.ones(60))
                    self.assertEqual(sparse.triu(lu.L, 1).nnz + sparse.tril(lu.U, -1).nnz, 0)
                    self.assertTrue(lu.L.has_sorted_indices)
                    self.assert_factors(lu, a)

    def test_of_rows_that_must_be_exchanged_and_scaled(self):
        a = sparse.csr_array(np.array([[0, 1e9, 0, 2], [3e-7, 0, 0, 0], [0, 1, 1e-5, 0], [4, 0, 7, 0]]))
        lu = trisweep.splu(a)
        self.assert_factors(lu, a)
        self.assertNotEqual(lu.perm_r.tolist(), lu.perm_c.tolist())
        self.assertTrue(all(np.frexp(lu.row_scale)[0] == 0.5))

    def test_are_solved_with_one_at_a_time(self):
        for dtype in DTYPES:
            lu = trisweep.splu(random_matrix(dtype=dtype))
            matrices = {"L": lu.L, "U": lu.U, "D": sparse.diags_array(lu.U.diagonal())}
            for system, matrix in matrices.items():
                for trans, op in (("N", matrix), ("T", matrix.T), ("H", matrix.conj().T)):
                    for b in (random_vectors((60,), dtype), random_vectors((60, 3), dtype)):
                        with self.subTest((dtype, system, trans, b.shape)):
                            x = lu.solve(b, trans, system=system)
                            self.assertEqual((x.dtype, x.shape), (b.dtype, b.shape))
                            bound = largest((abs(op) @ abs(x)) + abs(b))
                            self.assertLess(largest(op @ x - b), 100 * np.finfo(dtype).eps * bound)

    def test_make_whole_solves_together(self):
        a, b = random_matrix(), random_vectors((60,))
        lu = trisweep.splu(a)
        right = np.empty(60)
        right[lu.perm_r] = lu.row_scale * b
        y = lu.solve(lu.solve(right, system="L"), system="U")
        np.testing.assert_allclose(lu.col_scale * y[lu.perm_c], lu.solve(b), rtol=1e-10)
        lu.refactor(2 * a)  # other factors
        z = lu.solve(lu.solve(right, system="L"), system="U")
        np.testing.assert_allclose(lu.col_scale * z[lu.perm_c], lu.solve(b), rtol=1e-10)

    def test_take_what_whole_solves_take(self):
        lu = trisweep.splu(random_matrix())
        b = random_vectors((60, 2))
        expected = lu.solve(b, system="L")
        np.testing.assert_array_equal(lu.solve(sparse.csr_array(b), system="L"), expected)
        x = lu.solve(b[:, 0] + 1j * b[:, 1], system="L")
        np.testing.assert_allclose(x, expected[:, 0] + 1j * expected[:, 1], rtol=1e-10)
        self.assertIs(lu.solve(b, system="L", out=b), b)
        np.testing.assert_array_equal(b, expected)
        for wrong in ({"system": "P"}, {"system": "L", "trans": "C"}, {"system": "L", "rows": [1]}):
            with self.assertRaises(ValueError):
                lu.solve(b, **wrong)

    def test_are_the_callers_own(self):
        lu = trisweep.splu(random_matrix())
        b = np.ones(lu.shape[0])
        expected = lu.solve(b, system="L")
        lu.L.data[:] = 0
        np.testing.assert_array_equal(lu.solve(b, system="L"), expected)
        for numbers in (lu.perm_r, lu.perm_c, lu.row_scale, lu.col_scale):
            with self.assertRaises(ValueError):
                numbers[:] = 0
        with self.assertRaisesRegex(ValueError, "on_doubt"):
            lu.solve(b, system="L", on_doubt="never")

    def test_follow_new_values(self):
        a = random_matrix()
        for precision in ("double", "mixed"):
            lu = trisweep.splu(a, precision=precision)
            self.assert_factors(lu, a)
            lu.refactor(3 * a)
            self.assert_factors(lu, 3 * a)

    def test_are_none_of_values_that_cannot_be_factored(self):
        a, b = random_matrix(), random_vectors(60)
        for kind in ("lu", "auto"):
            for matrix in (a, hermitian(a)):
                lu = trisweep.splu(matrix, kind=kind)
                x = lu.solve(b)
                determinant = lu.slogdet()
                self.assertGreater(lu.L.nnz, 0)
                with self.assertRaisesRegex(trisweep.NumericalError, "structurally singular"):
                    lu.refactor(0 * matrix)
                for call in (
                    lambda lu=lu: lu.L,
                    lambda lu=lu: lu.perm_r,
                    lambda lu=lu: lu.solve(b),
                    lambda lu=lu: lu.solve(b, system="L"),
                    lambda lu=lu: lu.solve(b, rows=[1]),
                    lambda lu=lu, x=x: lu.forward_error(b, x),
                    lambda lu=lu: lu.save("never"),
                    lambda lu=lu: pickle.dumps(lu),
                    lu.slogdet,
                    lu.inertia,
                    lu.condition_estimate,
                    lu.report,
                ):
                    with self.assertRaisesRegex(trisweep.NumericalError, "last factorization.*\n.*other values"):
                        call()
                lu.refactor(matrix)
                np.testing.assert_allclose(lu.solve(b), x, rtol=1e-12)
                np.testing.assert_allclose(lu.slogdet(), determinant, rtol=1e-12)
                self.assert_factors(lu, matrix)

    def test_of_values_before_do_not_stay(self):
        """As when another thread gives new values while they are made."""
        a = random_matrix()
        lu = trisweep.splu(a)
        compiled = lu._solver

        class Meanwhile:
            def __getattr__(self, name):
                return getattr(compiled, name)

            def explicit_factors(self):
                made = compiled.explicit_factors()
                lu._solver = compiled
                lu.refactor(2 * a)
                return made

        lu._solver = Meanwhile()
        self.assertEqual(lu.L.shape, (60, 60))
        self.assert_factors(lu, 2 * a)

    def test_give_the_determinant(self):
        for dtype in DTYPES:
            for seed in range(4):
                a = random_matrix(dtype=dtype, seed=seed)[np.random.default_rng(seed).permutation(60)]
                sign, logarithm = trisweep.splu(a).slogdet()
                expected = np.linalg.slogdet(a.toarray())
                tolerance = 1000 * np.finfo(dtype).eps
                self.assertAlmostEqual(sign, expected.sign, delta=tolerance)
                self.assertAlmostEqual(logarithm, expected.logabsdet, delta=tolerance * abs(logarithm))
                self.assertEqual(sign.dtype, a.dtype)

    def test_of_perturbed_pivots_tell_a_determinant_that_is_not_zero(self):
        n = 30
        for exponent in (38, 40):
            diagonal = np.r_[1 + 2.0**-exponent, np.full(n - 2, 2.0), 1]
            lower, upper = np.full(n - 1, -1.0), np.full(n - 1, -1.0)
            a = sparse.diags_array([lower, diagonal, upper], offsets=[-1, 0, 1]).tocsr()
            exact = exponent * -np.log(2)  # of the determinant: the same for all n
            for options in ({"kind": "lu"}, {"precision": "mixed"}):
                lu = trisweep.splu(a, **options)
                self.assertGreater(lu.report()["factor"]["perturbed_pivots"], 0)
                sign, logarithm = lu.slogdet()
                self.assertEqual(sign, 1)
                self.assertAlmostEqual(logarithm, exact, delta=1e-3)
        singular = sparse.diags_array([lower, np.r_[1, np.full(n - 2, 2.0), 1], upper], offsets=[-1, 0, 1])
        for options in ({}, {"kind": "lu"}, {"precision": "mixed"}):
            self.assertEqual(trisweep.splu(singular.tocsr(), **options).slogdet(), (0, -np.inf))

    def test_of_entries_near_the_largest_number(self):
        """The library solves in other units, which the scales tell."""
        a = sparse.csr_array(np.diag([1e308, 2e307, 1e300]))
        self.assert_factors(trisweep.splu(a), a)
        logarithm = trisweep.splu(a).slogdet().logabsdet
        self.assertAlmostEqual(logarithm, np.log([1e308, 2e307, 1e300]).sum(), delta=1e-10)


class Analyses(unittest.TestCase):
    def test_serve_independent_solvers(self):
        a = random_matrix()
        b = random_vectors(60)
        plan = trisweep.analyze(a, refine="best")
        self.assertEqual((plan.shape, plan.dtype, plan.local_rows), ((60, 60), np.dtype("float64"), 60))
        values = [a.data, 2 * a.data, np.random.default_rng(5).permutation(a.data)]
        solvers = [plan.factorize(v) for v in values]
        del plan
        gc.collect()
        for lu, v in zip(solvers, values, strict=True):
            other = sparse.csr_array((v, a.indices, a.indptr))
            np.testing.assert_allclose(lu.solve(b), linalg.spsolve(other.tocsc(), b), rtol=1e-10)
            self.assertEqual(lu.report()["factor"]["analysis_seconds"], 0)
        solvers[0].refactor(3 * a)
        np.testing.assert_allclose(solvers[1].solve(b) * 2 / 3, solvers[0].solve(b), rtol=1e-12)

    def test_are_those_of_splu(self):
        a = random_matrix(300)
        b = random_vectors(300)
        np.testing.assert_array_equal(trisweep.analyze(a).factorize(a).solve(b), trisweep.splu(a).solve(b))

    def test_need_not_be_of_the_same_kind(self):
        """Of a definite matrix, for one that is not."""
        a = hermitian(random_matrix())
        plan = trisweep.analyze(a)
        self.assertEqual(plan.factorize(a).report()["factor"]["kind"], "cholesky")
        shifted = a - 12 * sparse.eye_array(60)
        b = random_vectors(60)
        np.testing.assert_allclose(plan.factorize(shifted).solve(b), np.linalg.solve(shifted.toarray(), b), rtol=1e-9)

    def test_refuse_what_does_not_fit(self):
        a = random_matrix()
        plan = trisweep.analyze(a)
        with self.assertRaisesRegex(ValueError, "another pattern"):
            plan.factorize(a[::-1])
        with self.assertRaisesRegex(ValueError, "entries"):
            plan.factorize(a.data[1:])
        with self.assertRaisesRegex(TypeError, "complex128"):
            plan.factorize(1j * a)
        with self.assertRaisesRegex(ValueError, "not finite"):
            plan.factorize(np.nan * a.data)
        with self.assertRaisesRegex(trisweep.NumericalError, "singular"):
            trisweep.analyze(0 * a)
