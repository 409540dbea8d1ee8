"""trisweep.torch against finite differences. Runs where PyTorch is: `.venv/bin/pip install torch` takes minutes."""

import unittest

import numpy as np
from extras import require, unsymmetric

import trisweep


class Torch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        require("torch")

    def setUp(self):
        import torch

        from trisweep.torch import solve

        self.torch, self.solve = torch, solve

    def system(self, dtype=np.float64, shape=(6,), count=None):
        a = unsymmetric(6, dtype)
        rng = np.random.default_rng(5)
        front = () if count is None else (count,)
        values = a.data * (1 + 0.1 * rng.random((*front, a.nnz)))
        b = rng.random((*front, *shape)).astype(dtype)
        tensors = [self.torch.tensor(v, requires_grad=True) for v in (values, b)]
        return a, trisweep.analyze(a), *tensors

    def test_gradients_of_every_dtype_op_and_shape(self):
        for dtype in (np.float64, np.complex128):
            for trans in "NH":
                for shape in ((6,), (6, 2)):
                    for count in (None, 3):
                        with self.subTest(dtype=dtype, trans=trans, shape=shape, count=count):
                            _, plan, values, b = self.system(dtype, shape, count)
                            f = lambda v, b, p=plan, t=trans: self.solve(p, v, b, t)  # noqa: E731
                            self.assertTrue(self.torch.autograd.gradcheck(f, (values, b)))
                            if shape == (6,) and count is None:
                                self.assertTrue(self.torch.autograd.gradgradcheck(f, (values, b)))

    def test_solves_as_the_solver_does(self):
        _, plan, values, b = self.system()
        expected = plan.factorize(values.detach().numpy()).solve(b.detach().numpy())
        np.testing.assert_array_equal(self.solve(plan, values, b).detach().numpy(), expected)

    def test_the_gradient_uses_the_same_factors(self):
        _, plan, values, b = self.system()
        made = []
        factorize = plan.factorize
        plan.factorize = lambda v: made.append(1) or factorize(v)
        self.solve(plan, values, b).sum().backward()
        self.assertEqual(len(made), 1)

    def test_vmap_over_either_or_both(self):
        _, plan, values, b = self.system(count=3)
        one = self.torch.func.vmap(lambda v, b: self.solve(plan, v, b))
        expected = [self.solve(plan, v, c) for v, c in zip(values, b, strict=True)]
        for x, y in zip(one(values, b), expected, strict=True):
            self.torch.testing.assert_close(x, y)
        same_b = self.torch.func.vmap(lambda v: self.solve(plan, v, b[0]))(values)
        self.torch.testing.assert_close(same_b[2], self.solve(plan, values[2], b[0]))
        same_a = self.torch.func.vmap(lambda c: self.solve(plan, values[0], c))(b)
        self.torch.testing.assert_close(same_a[2], self.solve(plan, values[0], b[2]))

    def test_vmap_over_batches(self):
        _, plan, values, b = self.system(count=6)
        values, b = values.detach(), b.detach()
        vmap, solve = self.torch.func.vmap, lambda v, c: self.solve(plan, v, c)
        pairs, rights = values.reshape(3, 2, -1), b.reshape(3, 2, -1)
        expected = solve(values, b).reshape(3, 2, -1)
        self.torch.testing.assert_close(vmap(vmap(solve))(pairs, rights), expected)
        self.torch.testing.assert_close(vmap(solve)(pairs, rights), expected)
        self.torch.testing.assert_close(vmap(lambda c: solve(pairs[0], c))(rights)[0], expected[0])
        jacobian = self.torch.func.jacrev(lambda c: solve(pairs[0], c))(rights[0])
        self.torch.testing.assert_close((jacobian * rights[0]).sum((-2, -1)), expected[0])

    def test_takes_what_is_a_view_of_a_conjugate(self):
        _, plan, values, b = self.system()
        right = (b.detach() * 1j).conj().imag
        self.assertTrue(right.is_neg())
        self.torch.testing.assert_close(self.solve(plan, values, right), -self.solve(plan, values, b))

    def test_grad_of_functions(self):
        _, plan, values, b = self.system()
        values, b = values.detach(), b.detach()
        f = lambda v: self.solve(plan, v, b).square().sum()  # noqa: E731
        gradient = self.torch.func.grad(f)(values)
        values.requires_grad_(True)
        f(values).backward()
        self.torch.testing.assert_close(gradient, values.grad)

    def test_refuses_what_does_not_fit(self):
        _, plan, values, b = self.system()
        with self.assertRaisesRegex(TypeError, "float64"):
            self.solve(plan, values.float(), b)
        with self.assertRaisesRegex(ValueError, "shape"):
            self.solve(plan, values[:-1], b)
        with self.assertRaisesRegex(ValueError, "trans"):
            self.solve(plan, values, b, "T")
        with self.assertRaises(trisweep.NumericalError):
            self.solve(plan, 0 * values, b)
        many = self.torch.stack([values, 0 * values])
        with self.assertRaisesRegex(trisweep.NumericalError, r"\[1\]"):
            self.solve(plan, many, self.torch.stack([b, b]))


if __name__ == "__main__":
    unittest.main()
