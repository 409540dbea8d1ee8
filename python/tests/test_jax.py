"""trisweep.jax against finite differences. Runs where JAX is: `.venv/bin/pip install jax` has a CPU wheel."""

import unittest

import numpy as np
from extras import require, unsymmetric
from scipy import sparse

import trisweep


class Jax(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require("jax")

    def setUp(self):
        import jax

        from trisweep.jax import solve

        jax.config.update("jax_enable_x64", True)
        self.jax, self.solve = jax, solve
        rng = np.random.default_rng(3)
        self.a = unsymmetric(9)
        self.plan = trisweep.analyze(self.a)
        self.values = self.a.data * (1 + 0.1 * rng.random((3, self.a.nnz)))
        self.b = rng.random((3, 9))

    def test_gradients_of_every_op_and_shape(self):
        from jax.test_util import check_grads

        for trans in "NT":
            for b in (self.b[0], np.stack(self.b[:2], axis=1)):
                with self.subTest(trans=trans, shape=b.shape):
                    f = lambda v, b, t=trans: self.solve(self.plan, v, b, t)  # noqa: E731
                    check_grads(f, (self.values[0], b), order=2, modes=["rev"])

    def test_gradients_of_complex_systems(self):
        from jax.test_util import check_grads

        plan = trisweep.analyze(self.a.astype(complex))
        f = lambda v, b: self.solve(plan, v, b)  # noqa: E731
        check_grads(f, (self.values[0] + 0.3j, self.b[0] - 0.2j), order=1, modes=["rev"])

    def test_solves_as_the_solver_does_compiled_too(self):
        expected = self.plan.factorize(self.values[0]).solve(self.b[0])
        for solve in (self.solve, self.jax.jit(self.solve, static_argnums=0)):
            np.testing.assert_array_equal(solve(self.plan, self.values[0], self.b[0]), expected)

    def test_the_gradient_uses_the_same_factors(self):
        made = []
        factorize = self.plan.factorize
        self.plan.factorize = lambda v: made.append(1) or factorize(v)
        self.jax.grad(lambda v: self.solve(self.plan, v, self.b[0]).sum())(self.values[0]).block_until_ready()
        self.assertEqual(len(made), 1)

    def test_vmap_over_either_or_both(self):
        expected = [self.plan.factorize(v).solve(b) for v, b in zip(self.values, self.b, strict=True)]
        solve = lambda v, b: self.solve(self.plan, v, b)  # noqa: E731
        np.testing.assert_allclose(self.jax.vmap(solve)(self.values, self.b), expected, rtol=1e-12)
        by_b = self.jax.vmap(solve, (None, 0))(self.values[0], self.b)
        np.testing.assert_allclose(by_b[0], expected[0], rtol=1e-12)
        by_values = self.jax.vmap(solve, (0, None))(self.values, self.b[1])
        np.testing.assert_allclose(by_values[1], expected[1], rtol=1e-12)
        gradient = self.jax.vmap(self.jax.grad(lambda v, b: solve(v, b).sum()))(self.values, self.b)
        one = self.jax.grad(lambda v: solve(v, self.b[2]).sum())(self.values[2])
        np.testing.assert_allclose(gradient[2], one, rtol=1e-12)

    def test_takes_integers(self):
        plan = trisweep.analyze(sparse.csr_array([[2.0, 1.0], [0.0, 3.0]]))
        np.testing.assert_allclose(self.solve(plan, np.array([2, 1, 3]), np.array([1, 1])), [1 / 3, 1 / 3], rtol=1e-12)

    def test_refuses_what_does_not_fit(self):
        single = trisweep.analyze(self.a.astype(np.float32))
        for plan, values, b in (
            (self.plan, self.values[0] + 1j, self.b[0]),
            (single, self.values[0], self.b[0].astype(np.float32)),
            (single, self.values[0].astype(np.float32), self.b[0]),
        ):
            with self.assertRaisesRegex(ValueError, "does not hold"):
                self.solve(plan, values, b)
        with self.assertRaisesRegex(ValueError, "trans"):
            self.solve(self.plan, self.values[0], self.b[0], "H")
        with self.assertRaisesRegex(ValueError, "shape"):
            self.solve(self.plan, self.values[0][:-1], self.b[0])


if __name__ == "__main__":
    unittest.main()
