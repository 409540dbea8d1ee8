"""`trisweep.gmres` and `bicgstab` as SciPy's."""

import traceback
import unittest
import warnings

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from test_splu import DTYPES, random_matrix, random_vectors

import trisweep

METHODS = (trisweep.gmres, trisweep.bicgstab)


class Methods(unittest.TestCase):
    def assert_solves(self, a, x, b, rtol=1e-5):
        self.assertLessEqual(np.linalg.norm(b - a @ x), 1.01 * rtol * np.linalg.norm(b))

    def test_solve_to_the_tolerance(self):
        for dtype in DTYPES:
            a = random_matrix(200, dtype)
            b = random_vectors(200, dtype)
            for method in METHODS:
                for rtol in (1e-2, 1e-5):
                    with self.subTest((method.__name__, dtype, rtol)):
                        x, info = method(a, b, rtol=rtol)
                        self.assertEqual((info, x.dtype, x.shape), (0, np.dtype(dtype), (200,)))
                        self.assert_solves(a, x, b, rtol)
                x, info = method(a, b, rtol=0, atol=1e-2)
                self.assertLessEqual(np.linalg.norm(b - a @ x), 1.01e-2)

    def test_solve_to_an_absolute_tolerance_at_any_size(self):
        a = random_matrix(200)
        for size in (1e-300, 1e-170, 1, 1e170):
            for dtype in ("float64", "complex128"):
                b = size * random_vectors(200, dtype)
                for method in METHODS:
                    with self.subTest((method.__name__, size, dtype)), warnings.catch_warnings(action="error"):
                        x, info = method(a, b, rtol=0, atol=1e3 * size)
                        self.assertEqual((info, np.abs(x).max()), (0, 0))
                        x, info = method(a, b, rtol=0, atol=1e-3 * size)
                        self.assertEqual(info, 0)
                        self.assertLessEqual(np.linalg.norm((b - a @ x) / size), 1.01e-3)

    def test_are_preconditioned(self):
        a = random_matrix(300) + 1e-3 * sparse.eye_array(300, k=7)
        b = random_vectors(300)
        factors = trisweep.splu(random_matrix(300))
        products = []

        def counted(v):
            products.append(1)
            return a @ v

        for method in METHODS:
            for m in (factors, factors.aslinearoperator(), linalg.LinearOperator(a.shape, factors.solve)):
                products.clear()
                x, info = method(linalg.LinearOperator(a.shape, counted, dtype=a.dtype), b, rtol=1e-12, M=m)
                self.assertEqual(info, 0)
                self.assert_solves(a, x, b, 1e-12)
                self.assertLess(len(products), 20)

    def test_say_when_they_fail(self):
        a = sparse.diags_array([1.0, 2.0], offsets=[1, -1], shape=(100, 100)).tocsr()
        b = np.ones(100)
        x, info = trisweep.gmres(a, b, maxiter=1, restart=5)
        self.assertEqual(info, 1)  # cycle
        self.assertGreater(np.linalg.norm(b - a @ x), 1e-5)
        x, info = trisweep.bicgstab(a, b, maxiter=2)
        self.assertNotEqual(info, 0)
        x, info = trisweep.bicgstab(a, 0 * b, x0=b)
        self.assertEqual((info, np.abs(x).max()), (0, 0))

    def test_begin_with_a_guess(self):
        a = random_matrix()
        x0 = random_vectors(60)
        kept = x0.copy()
        for method in METHODS:
            x, info = method(a, a @ x0, x0, maxiter=1)
            self.assertEqual(info, 0)
            np.testing.assert_allclose(x, x0, rtol=1e-12)
            np.testing.assert_array_equal(x0, kept)

    def test_operators_may_keep_what_they_get(self):
        a = random_matrix()
        for method in METHODS:
            kept = []

            def product(v, kept=kept):
                kept.append((v, v.copy()))
                return a @ v

            method(linalg.LinearOperator(a.shape, product, dtype=a.dtype), np.ones(60))
            self.assertGreater(len(kept), 2)
            for vector, copy in kept:
                np.testing.assert_array_equal(vector, copy)

    def test_pass_errors_of_operators_on(self):
        def fails(_):
            raise KeyError("mine")

        a = random_matrix()
        for method in METHODS:
            with self.assertRaisesRegex(KeyError, "mine"):
                method(linalg.LinearOperator(a.shape, fails, dtype=a.dtype), np.ones(60))
            with self.assertRaisesRegex(KeyError, "mine"):
                method(a, np.ones(60), M=linalg.LinearOperator(a.shape, fails, dtype=a.dtype))

    def test_leave_no_memory_of_theirs_in_tracebacks(self):
        def fails(_):
            raise KeyError("mine")

        a = random_matrix()
        try:
            METHODS[0](linalg.LinearOperator(a.shape, fails, dtype=a.dtype), np.ones(60))
        except KeyError as error:
            frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__) if frame.f_code.co_name == "write"]
            self.assertEqual(len(frames), 1)
            self.assertEqual({"v", "w"} & set(frames[0].f_locals), set())
        else:
            self.fail("the operator's error was lost")

    def test_refuse_what_is_not_finite(self):
        a = random_matrix(10, np.float64)
        bad = np.ones(10)
        bad[3] = np.nan
        for method in METHODS:
            with self.assertRaisesRegex(ValueError, r"^b is not finite in row 3 \(counting from 0\)"):
                method(a, bad)
            with self.assertRaisesRegex(ValueError, "^x0 is not finite in row 3 "):
                method(a, np.ones(10), bad)

    def test_refuse_what_does_not_fit(self):
        a = random_matrix()
        for method in METHODS:
            with self.assertRaisesRegex(ValueError, "rows are needed"):
                method(a, np.ones(59))
            with self.assertRaisesRegex(ValueError, "one right-hand side"):
                method(a, np.ones((60, 2)))
            with self.assertRaisesRegex(ValueError, "x0"):
                method(a, np.ones(60), np.ones(59))
            with self.assertRaisesRegex(ValueError, "square"):
                method(a[:10], np.ones(10))
            with self.assertRaisesRegex(ValueError, "maxiter is -5"):
                method(a, np.ones(60), maxiter=-5)
            with self.assertRaisesRegex(TypeError, "maxiter is 5.0"):
                method(a, np.ones(60), maxiter=5.0)
            for name in ("rtol", "atol"):
                for wrong in (-1, np.nan):
                    with self.assertRaisesRegex(ValueError, f"{name} is {wrong}"):
                        method(a, np.ones(60), **{name: wrong})
            with self.assertRaisesRegex(TypeError, "b is object: give numbers"):
                method(a, np.full(60, 1, object))
            with self.assertRaisesRegex(TypeError, "complex vectors"):
                method(a, np.ones(60), M=linalg.LinearOperator((60, 60), lambda v: 1j * v, dtype=np.complex128))
            with self.assertRaisesRegex(TypeError, "rtol is None"):
                method(a, np.ones(60), rtol=None)
            method(a, np.ones(60), maxiter=np.int64(5), rtol=np.float32(0.1), atol=np.float32(0))
        for restart in (-1, 0):
            with self.assertRaisesRegex(ValueError, f"restart is {restart}"):
                trisweep.gmres(a, np.ones(60), restart=restart)
        with self.assertRaisesRegex(TypeError, "restart is 5.0"):
            trisweep.gmres(a, np.ones(60), restart=5.0)
