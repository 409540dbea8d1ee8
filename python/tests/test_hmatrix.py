"""`trisweep.hmatrix` beside the dense matrix."""

import unittest

import numpy as np
from test_splu import largest

import trisweep

N = 700
POINTS = np.random.default_rng(1).random((N, 2))


def real(i, j):
    return np.exp(-np.linalg.norm(POINTS[i] - POINTS[j], axis=-1)) + POINTS[i, 0] + np.equal(i, j)


def complex_valued(i, j):
    distance = np.linalg.norm(POINTS[i] - POINTS[j], axis=-1)
    return np.exp((2j - 1) * distance) + 1j * POINTS[j, 1]


def dense(kernel):
    return np.array([kernel(i, np.arange(N)) for i in range(N)])


class HMatrices(unittest.TestCase):
    def test_multiply_as_the_dense_matrix(self):
        for kernel, dtype in ((real, "float64"), (real, "float32"), (complex_valued, "complex128")):
            a = dense(kernel)
            h = trisweep.hmatrix(POINTS, kernel, eps=1e-5, dtype=dtype)
            self.assertEqual((h.shape, h.dtype), ((N, N), np.dtype(dtype)))
            self.assertLess(h.nbytes, 0.8 * a.astype(dtype).nbytes)
            for shape in ((N,), (N, 3), (N, 0)):
                x = np.random.default_rng(2).standard_normal(shape).astype(dtype)
                with self.subTest((kernel.__name__, dtype, shape)):
                    for ours, exact in ((h @ x, a @ x), (h.H @ x, a.conj().T @ x)):
                        self.assertEqual((ours.dtype, ours.shape), (np.dtype(dtype), shape))
                        if exact.size:
                            self.assertLess(largest(ours - exact), 1e-4 * np.linalg.norm(a))
        x = np.random.default_rng(2).standard_normal((N, 2))
        product = trisweep.hmatrix(POINTS, real) @ (x[:, 0] + 1j * x[:, 1])
        self.assertLess(largest(product - dense(real) @ (x[:, 0] + 1j * x[:, 1])), 1e-4)

    def test_find_the_corners_of_kernels_of_compact_support(self):
        points = np.random.default_rng(0).random((600, 2))

        def spherical(i, j):
            r = np.minimum(1, np.linalg.norm(points[i] - points[j], axis=-1) / 0.2)
            return 1 - 1.5 * r + 0.5 * r**3

        a = np.array([spherical(i, np.arange(600)) for i in range(600)])
        h = trisweep.hmatrix(points, spherical)
        self.assertLess(np.linalg.norm(h @ np.eye(600) - a), 1e-5 * np.linalg.norm(a))
        self.assertLess(h.sampled_error(600), 1e-5)

    def test_find_the_edge_of_a_support_that_most_of_a_block_is_within(self):
        random = np.random.default_rng(207)
        points = random.random((600, 2))
        radius = random.uniform(0.1, 0.6)

        def hat(i, j):
            return np.maximum(1 - np.linalg.norm(points[i] - points[j], axis=-1) / radius, 0)

        a = np.array([hat(i, np.arange(600)) for i in range(600)])
        h = trisweep.hmatrix(points, hat, eps=1e-8)
        self.assertLess(np.linalg.norm(h @ np.eye(600) - a), 1e-7 * np.linalg.norm(a))

    def test_find_kinks_that_cross_blocks_anywhere(self):
        points = np.random.default_rng(3).random((600, 2))

        def brownian_sheet(i, j):
            return np.minimum(points[i, 0], points[j, 0]) * np.minimum(points[i, 1], points[j, 1])

        def crossed(i, j):
            return np.abs(points[i, 0] - points[j, 1] - 0.3)

        for kernel in (brownian_sheet, crossed):
            a = np.array([kernel(i, np.arange(600)) for i in range(600)])
            h = trisweep.hmatrix(points, kernel, eps=1e-8)
            self.assertLess(np.linalg.norm(h @ np.eye(600) - a), 1e-7 * np.linalg.norm(a))

    def test_find_what_is_beside_points_that_are_repeated(self):
        grid = np.linspace(0, 1, 20)
        on_grid = np.array(np.meshgrid(grid, grid)).reshape(2, -1).T
        for points in (np.repeat(np.random.default_rng(2).random((120, 2)), 5, axis=0), on_grid):

            def smooth(i, j, points=points):
                return np.exp(-2 * np.linalg.norm(points[i] - points[j], axis=-1))

            n = len(points)
            a = np.array([smooth(i, np.arange(n)) for i in range(n)])
            for eps in (1e-8, 0):
                error = np.linalg.norm(trisweep.hmatrix(points, smooth, eps=eps) @ np.eye(n) - a) / np.linalg.norm(a)
                self.assertLess(error, eps or 1e-14)

    def test_kernels_may_keep_what_they_get(self):
        kept = []

        def kernel(i, j):
            kept.extend((k, np.copy(k)) for k in (i, j))
            return real(i, j)

        trisweep.hmatrix(POINTS, kernel)
        for indices, copy in kept:
            np.testing.assert_array_equal(indices, copy)

    def test_sampled_error_is_that_of_products(self):
        constant = trisweep.hmatrix(POINTS, lambda i, j: np.full(np.broadcast(i, j).shape, 0.1))
        self.assertLess(constant.sampled_error(), 1e-6)
        for eps in (1e-3, 1e-7):
            h = trisweep.hmatrix(POINTS, complex_valued, eps=eps, dtype=complex)
            for rows in (1, 100, 10 * N):
                self.assertLess(h.sampled_error(rows), 10 * eps)
            self.assertGreater(h.sampled_error(N), 1e-4 * eps)
        self.assertEqual(trisweep.hmatrix(POINTS, lambda i, j: np.zeros(np.broadcast(i, j).shape)).sampled_error(), 0)
        for unit in (1e-165, 1e200):  # whose squares are no numbers
            h = trisweep.hmatrix(POINTS, lambda i, j, unit=unit: unit * real(i, j), eps=1e-4)
            self.assertTrue(1e-7 < h.sampled_error() < 1e-3, h.sampled_error())
        with self.assertRaisesRegex(ValueError, "rows"):
            h.sampled_error(0)

    def test_do_not_depend_on_threads(self):
        x = np.random.default_rng(2).standard_normal(N)
        one, two = (trisweep.hmatrix(POINTS, real, threads=threads) @ x for threads in (1, 2))
        np.testing.assert_array_equal(one, two)

    def test_raise_what_the_kernel_raises(self):
        def broken(i, j):
            raise KeyError("no entry")

        with self.assertRaisesRegex(KeyError, "no entry"):
            trisweep.hmatrix(POINTS, broken)
        with self.assertRaisesRegex(ValueError, "broadcast"):
            trisweep.hmatrix(POINTS, lambda i, j: np.ones(7777))
        with self.assertRaisesRegex(TypeError, "complex"):
            trisweep.hmatrix(POINTS, lambda i, j: 1j * real(i, j))
        with self.assertRaisesRegex(ValueError, "finite"):
            trisweep.hmatrix(POINTS, lambda i, j: np.full(np.broadcast(i, j).shape, np.nan))

    def test_refuse_what_makes_no_matrix(self):
        for points in (np.ones(5), np.ones((5, 4)), np.empty((0, 2)), np.full((5, 2), np.inf)):
            with self.assertRaisesRegex(ValueError, "points"):
                trisweep.hmatrix(points, real)
        for wrong in ({"eps": 1.5}, {"leaf_size": 0}, {"eta": 0}):
            with self.assertRaisesRegex(ValueError, "eps"):
                trisweep.hmatrix(POINTS, real, **wrong)
        with self.assertRaisesRegex(ValueError, "threads"):
            trisweep.hmatrix(POINTS, real, threads=0)
        for wrong in ({"leaf_size": 1.5}, {"threads": 1.5}, {"eta": None}):
            (name,) = wrong
            with self.assertRaisesRegex(TypeError, f"{name} is"):
                trisweep.hmatrix(POINTS, real, **wrong)
        trisweep.hmatrix(POINTS[:9], real, leaf_size=np.int64(2**40), threads=np.int32(1), eps=np.float32(1e-3))
        with self.assertRaisesRegex(TypeError, "longdouble|float128"):
            trisweep.hmatrix(POINTS, real, dtype=np.longdouble)
