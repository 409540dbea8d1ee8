"""`trisweep.spsolve_triangular` beside SciPy's."""

import unittest

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from test_splu import DTYPES, largest, random_matrix, random_vectors

import trisweep


class Triangular(unittest.TestCase):
    def test_has_scipys_answers(self):
        for dtype in DTYPES:
            a = random_matrix(200, dtype)
            for lower in (True, False):
                triangle = sparse.csr_array(sparse.tril(a) if lower else sparse.triu(a))
                for unit in (False, True):
                    for shape in ((200,), (200, 3)):
                        with self.subTest((dtype, lower, unit, shape)):
                            b = random_vectors(shape, dtype)
                            x = trisweep.spsolve_triangular(triangle, b, lower, unit_diagonal=unit)
                            expected = linalg.spsolve_triangular(triangle, b, lower, unit_diagonal=unit)
                            self.assertEqual((x.dtype, x.shape), (np.dtype(dtype), shape))
                            self.assertLess(largest(x - expected), 1e3 * np.finfo(dtype).eps * largest(expected))

    def test_does_not_depend_on_threads(self):
        triangle = sparse.tril(random_matrix(2000)).tocsr()
        b = random_vectors((2000, 2))
        expected = trisweep.spsolve_triangular(triangle, b)
        np.testing.assert_array_equal(trisweep.spsolve_triangular(triangle, b, threads=2), expected)

    def test_takes_any_layout_and_type(self):
        triangle = sparse.tril(random_matrix()).tocsc()
        b = random_vectors((60, 2))
        expected = trisweep.spsolve_triangular(triangle, b)
        np.testing.assert_array_equal(trisweep.spsolve_triangular(triangle, np.ascontiguousarray(b)), expected)
        np.testing.assert_array_equal(trisweep.spsolve_triangular(triangle, sparse.csr_array(b)), expected)
        x = trisweep.spsolve_triangular(triangle, b[:, 0] + 1j * b[:, 1])
        np.testing.assert_allclose(x, expected[:, 0] + 1j * expected[:, 1], rtol=1e-12)
        before, data = b.copy(order="F"), triangle.data.copy()
        self.assertIs(trisweep.spsolve_triangular(triangle, before, overwrite_b=True), before)
        np.testing.assert_array_equal(before, expected)
        np.testing.assert_array_equal(triangle.data, data)

    def test_takes_zeros_stored_in_the_other_triangle(self):
        b = random_vectors(60)
        for lower in (True, False):
            a = random_matrix()
            row, column = a.nonzero()
            a.data[(row < column) if lower else (row > column)] = 0
            nnz = a.nnz
            for unit in (False, True):
                x = trisweep.spsolve_triangular(a, b, lower, unit_diagonal=unit)
                dense = a.toarray() + unit * np.diag(1 - a.diagonal())
                self.assertLess(largest(x - np.linalg.solve(dense, b)), 1e-12 * largest(x))
            self.assertEqual(a.nnz, nnz)

    def test_takes_flags_and_numbers_of_any_kind(self):
        triangle = sparse.tril(random_matrix())
        b = random_vectors(60)
        for kind in (bool, int, np.bool_):
            for lower, unit in ((True, False), (True, True)):
                np.testing.assert_array_equal(
                    trisweep.spsolve_triangular(
                        triangle, b, kind(lower), unit_diagonal=kind(unit), threads=np.int64(1)
                    ),
                    trisweep.spsolve_triangular(triangle, b, lower, unit_diagonal=unit),
                )
        with self.assertRaisesRegex(TypeError, "threads is 2.0"):
            trisweep.spsolve_triangular(triangle, b, threads=2.0)
        with self.assertRaisesRegex(ValueError, "0 threads"):
            trisweep.spsolve_triangular(triangle, b, threads=0)

    def test_refuses_what_has_no_answer(self):
        a = random_matrix()
        with self.assertRaisesRegex(np.linalg.LinAlgError, "row 0, column .* above"):
            trisweep.spsolve_triangular(a + sparse.eye_array(60, k=5), np.ones(60))
        with self.assertRaisesRegex(np.linalg.LinAlgError, "below"):
            trisweep.spsolve_triangular(a, np.ones(60), lower=False)
        triangle = sparse.tril(a).tolil()
        triangle[7, 7] = 0
        with self.assertRaisesRegex(trisweep.NumericalError, "row 7"):
            trisweep.spsolve_triangular(triangle, np.ones(60))
        with self.assertRaisesRegex(ValueError, "rows are needed"):
            trisweep.spsolve_triangular(sparse.tril(a), np.ones(59))
        with self.assertRaisesRegex(TypeError, "longdouble|float128"):
            trisweep.spsolve_triangular(sparse.tril(a), np.ones(60, np.longdouble))
