"""Many matrices of one pattern."""

import signal
import threading
import unittest

import numpy as np
from scipy import sparse
from test_splu import DTYPES, largest, random_matrix, random_vectors

import trisweep
from trisweep.batch import side_by_side


def values_of(a, members):
    random = np.random.default_rng(4)
    return a.data * (1 + 0.2 * random.random((members, a.nnz)).astype(a.data.real.dtype))


class Batches(unittest.TestCase):
    def test_are_their_members_solvers(self):
        for dtype in DTYPES:
            a = random_matrix(dtype=dtype)
            values = values_of(a, 7)
            plan = trisweep.analyze(a)
            batch = plan.factorize_batch(values, threads=2)
            self.assertEqual(len(batch), 7)
            for trans in "NTH":
                for shape in ((7, 60), (7, 60, 3)):
                    b = random_vectors(shape, dtype)
                    x, solved = batch.solve(b, trans)
                    self.assertEqual((x.shape, x.dtype, solved.tolist()), (shape, a.dtype, [True] * 7))
                    for k in range(7):
                        np.testing.assert_array_equal(x[k], plan.factorize(values[k]).solve(b[k], trans))
                    np.testing.assert_array_equal(plan.solve_batch(values, b, trans, threads=2).x, x)

    def test_do_not_depend_on_threads(self):
        """Bit for bit, with pivots that must be delayed in some members."""
        a = random_matrix(400)
        values = np.random.default_rng(6).permuted(values_of(a, 20), axis=1)
        b = random_vectors((20, 400))
        expected = trisweep.analyze(a).factorize_batch(values, threads=1).solve(b)
        for threads in (2, 5):
            plan = trisweep.analyze(a)
            backwards = plan.solve_batch(values[::-1], b[::-1], threads=threads)
            for x, solved in (
                plan.factorize_batch(values, threads=threads).solve(b),
                plan.solve_batch(values, b, threads=threads),
                (backwards.x[::-1], backwards.solved[::-1]),
            ):
                np.testing.assert_array_equal(x, expected.x)
                np.testing.assert_array_equal(solved, expected.solved)
        self.assertGreater(np.count_nonzero(expected.solved), 10)

    def test_flag_singular_members(self):
        chain = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(50, 50)).tocsr()
        free = chain.copy()
        free[0, 0] = free[49, 49] = 1  # nothing holds it
        values = np.array([chain.data, free.data, 2 * chain.data, 0 * chain.data])
        b = np.ones((4, 50))
        batch = trisweep.analyze(chain).factorize_batch(values)
        x, solved = batch.solve(b)
        self.assertEqual(solved.tolist(), [True, False, True, False])
        self.assertIsNone(batch.members[3])
        self.assertTrue(np.isnan(x[3]).all())
        for threads in (1, 2):
            again = trisweep.analyze(chain).solve_batch(values, b, threads=threads)
            np.testing.assert_array_equal(again.x, x)
            np.testing.assert_array_equal(again.solved, solved)
        for k, factor in ((0, 1), (2, 2)):
            self.assertLess(largest(factor * chain @ x[k] - 1), 1e-11)

    def test_have_the_dtype_of_solutions(self):
        for dtype, of_x in (("float32", "complex64"), ("complex64", "complex64"), ("float64", "complex128")):
            a = random_matrix(dtype=dtype)
            plan = trisweep.analyze(a)
            for values in ([a.data, a.data], [0 * a.data] * 2, np.empty((0, a.nnz), dtype)):
                for b, expected in ((np.ones((2, 60)), dtype), (np.ones((2, 60), "complex128"), of_x)):
                    for answer in (
                        plan.factorize_batch(values).solve(b[: len(values)]),
                        plan.solve_batch(values, b[: len(values)]),
                    ):
                        self.assertEqual(answer.x.dtype, np.dtype(expected))

    def test_of_no_right_hand_side(self):
        a = random_matrix()
        plan = trisweep.analyze(a)
        b = np.empty((2, 60, 0))
        for x, solved in (plan.factorize_batch([a.data] * 2).solve(b), plan.solve_batch([a.data] * 2, b)):
            self.assertEqual((x.shape, solved.tolist()), (b.shape, [True, True]))

    def test_end_when_they_are_interrupted(self):
        """All members take seconds."""
        # A shell starts what is in the background with interrupts ignored.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        a, b, count = random_matrix(), np.ones(60), 100_000
        lu = trisweep.splu(a)
        taken = []

        def work(k):
            taken.append(k)
            lu.solve(b)
            if k == 10:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            side_by_side(work, count, threads=2)
        self.assertLess(len(taken), count)

    def test_take_complex_right_hand_sides(self):
        a = random_matrix()
        b = random_vectors((3, 60), "complex128")
        x, solved = trisweep.analyze(a).factorize_batch(values_of(a, 3)).solve(b)
        self.assertEqual((x.dtype, solved.all()), (np.dtype("complex128"), True))

    def test_refuse_what_does_not_fit(self):
        a = random_matrix()
        plan = trisweep.analyze(a)
        with self.assertRaisesRegex(ValueError, "row for each"):
            plan.factorize_batch(a.data)
        with self.assertRaisesRegex(ValueError, "entries"):
            plan.factorize_batch(np.ones((3, 5)))
        for use in plan.factorize_batch, lambda values: plan.solve_batch(values, np.ones((2, 60)), threads=1):
            with self.assertRaisesRegex(ValueError, "member 1: .*not finite"):
                use(np.array([a.data, np.nan * a.data]))
        b = np.ones((2, 60))
        b[1, 3] = np.nan
        with self.assertRaisesRegex(ValueError, "member 1: .*not finite"):
            plan.solve_batch([a.data, a.data], b)
        with self.assertRaisesRegex(TypeError, "threads is 1.5"):
            plan.factorize_batch([a.data], threads=1.5)
        with self.assertRaisesRegex(ValueError, "'C', not one of"):
            plan.solve_batch([0 * a.data], np.ones((1, 60)), trans="C")
        with self.assertRaisesRegex(ValueError, "2 right-hand sides are"):
            plan.factorize_batch(np.array([a.data, a.data])).solve(np.ones((3, 60)))
        self.assertEqual(len(plan.factorize_batch(np.empty((0, a.nnz)))), 0)
