"""Sparse right-hand sides, and some rows of the solution."""

import unittest

import numpy as np
from scipy import sparse

import trisweep

N = 9


def poisson(dtype=np.float64, shift=0.0):
    line = sparse.diags_array([-1.0, 2.5, -1.2], offsets=[-1, 0, 1], shape=(N, N))
    eye = sparse.eye_array(N)
    a = sum(sparse.kron(sparse.kron(p, q), r) for p, q, r in ((line, eye, eye), (eye, line, eye), (eye, eye, line)))
    return (a + shift * sparse.eye_array(N**3)).astype(dtype).tocsr()


def sources(dtype=np.float64, count=20):
    row = (np.arange(count) * 37) % N**3
    return sparse.csc_array((np.arange(1, count + 1).astype(dtype), (row, np.arange(count))), shape=(N**3, count))


class Sparse(unittest.TestCase):
    def test_give_what_dense_ones_do(self):
        for dtype in (np.float32, np.float64, np.complex64, np.complex128):
            lu = trisweep.splu(poisson(dtype, 0.3j if np.issubdtype(dtype, np.complexfloating) else 0.1))
            b = sources(dtype)
            rows = np.array([700, 3, 37, 37])
            for trans in "NTH":
                with self.subTest(dtype=dtype, trans=trans):
                    whole = lu.solve(b.toarray(), trans)
                    bound = 100 * np.finfo(dtype).eps * np.abs(whole).max()
                    self.assertLessEqual(np.abs(lu.solve(b, trans) - whole).max(), bound)
                    self.assertFalse(lu.report()["solve"]["of_sample"])
                    some = lu.solve(b, trans, rows=rows)
                    self.assertEqual((some.dtype, some.shape), (np.dtype(dtype), (4, 20)))
                    self.assertLessEqual(np.abs(some - whole[rows]).max(), bound)
                    self.assertTrue(lu.report()["solve"]["of_sample"])

    def test_of_dense_ones_in_every_dtype_and_of_none(self):
        for precision in ("double", "mixed"):
            lu = trisweep.splu(poisson(), precision=precision)
            b = np.ones(lu.shape[0])
            expected = lu.solve(b)[[5]]
            for dtype in (">f8", "f2", "i8", bool):
                np.testing.assert_allclose(lu.solve(b.astype(dtype), rows=[5]), expected, rtol=1e-13)
            self.assertEqual(lu.solve(b[:, None][:, :0], rows=[5, 7]).shape, (2, 0))

    def test_read_less_of_the_factors(self):
        lu = trisweep.splu(poisson())
        one = sources(count=1)
        shares = []
        for rows in (None, [0]):
            lu.solve(one, rows=rows)
            shares.append(lu.report()["solve"]["panel_share"])
        lu.solve(one.toarray())
        self.assertEqual(lu.report()["solve"]["panel_share"], 1)
        self.assertLess(shares[0], 0.9)
        self.assertLess(shares[1], shares[0] - 0.1)

    def test_of_any_form(self):
        lu = trisweep.splu(poisson())
        b = sources(count=2)
        whole = lu.solve(b.toarray())
        for given in (b, b.tocsr(), b.toarray(), sparse.csc_matrix(b)):
            np.testing.assert_allclose(lu.solve(given, rows=[5, 6]), whole[[5, 6]], rtol=1e-12)
        self.assertEqual(lu.solve(b.toarray()[:, 0], rows=[5, 6]).shape, (2,))
        self.assertEqual(lu.solve(b, rows=[]).shape, (0, 2))
        complex_b = b + 2j * b
        for rows in (None, [8, 5]):
            x = lu.solve(complex_b, rows=rows)
            expected = (1 + 2j) * (whole if rows is None else whole[rows])
            np.testing.assert_allclose(x, expected, rtol=1e-12)

    def test_are_refined_where_sweeps_are_not_enough(self):
        lu = trisweep.splu(poisson(), precision="mixed")
        b = sources(count=3)
        some = lu.solve(b, rows=[1, 2])
        self.assertFalse(lu.report()["solve"]["of_sample"])
        np.testing.assert_allclose(some, lu.solve(b.toarray())[[1, 2]], rtol=1e-12)

    def test_of_singular_matrices(self):
        line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(N, N)).tolil()
        line[0, 0] = line[-1, -1] = 1  # no boundary value anywhere: constants are in the kernel
        lu = trisweep.splu(sparse.kron(line, sparse.eye_array(N)) + sparse.kron(sparse.eye_array(N), line))
        one = sparse.csc_array(([1.0], ([4], [0])), shape=(N * N, 1))
        with self.assertRaises(trisweep.NumericalError):
            lu.solve(one, rows=[4])

    def test_refuse_what_does_not_fit(self):
        lu = trisweep.splu(poisson())
        b = sources(count=1)
        for rows in ([N**3], [-1], 3, [0.5]):
            with self.assertRaisesRegex(ValueError, "rows"):
                lu.solve(b, rows=rows)
        with self.assertRaisesRegex(ValueError, "b has the shape"):
            lu.solve(b[:-1], rows=[0])
        with self.assertRaisesRegex(ValueError, "out"):
            lu.solve(b, rows=[0], out=np.empty((1, 1)))
        with self.assertRaisesRegex(ValueError, "not finite"):
            lu.solve(b * np.inf, rows=[0])
        with self.assertRaisesRegex(TypeError, "b is"):
            lu.solve(np.array(["x"] * N**3), rows=[0])


if __name__ == "__main__":
    unittest.main()
