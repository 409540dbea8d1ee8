"""Inertia and determinant of symmetric and Hermitian systems, against dense eigenvalues."""

import sys
import unittest
from pathlib import Path

import numpy as np
from scipy import sparse
from test_splu import DTYPES, largest, random_matrix

import trisweep

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "hard"))
from systems import SYSTEMS


def hard_systems():
    """Those that are symmetric or Hermitian."""
    for name, make in SYSTEMS.items():
        n, entries, *_ = make()
        if all(entries.get((j, i), 0) == np.conj(v) for (i, j), v in entries.items()):
            rows, columns = zip(*entries, strict=True)
            yield name, sparse.csr_array((list(entries.values()), (rows, columns)), shape=(n, n))


def indefinite(dtype, n=60):
    a = random_matrix(n, dtype=dtype)
    signs = np.where(np.arange(n) % 3 == 0, -1, 1).astype(dtype)
    return sparse.csr_array(a + a.conj().T + 8 * sparse.diags_array(signs))


def dense_inertia(a):
    values = np.linalg.eigvalsh(a)
    return int((values > 0).sum()), int((values < 0).sum())


class Inertia(unittest.TestCase):
    def test_of_every_hard_system(self):
        seen = 0
        for name, a in hard_systems():
            with self.subTest(name):
                d = trisweep.splu(a)
                values = np.linalg.eigvalsh(equilibrated(a.toarray()))
                near_zero = np.abs(values) < 1e-13 * np.abs(values).max() * len(values)
                positive, negative, zero = d.inertia()
                self.assertEqual(positive + negative + zero, len(values))
                for found, sure in ((positive, values > 0), (negative, values < 0)):
                    self.assertGreaterEqual(found, (sure & ~near_zero).sum())
                    self.assertLessEqual(found, (sure | near_zero).sum())
                seen += not near_zero.any()
        self.assertGreater(seen, 15)

    def test_is_not_told_by_pivots_that_single_precision_has_rounded(self):
        line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(400, 400)).tocsr()
        nearly = line - (np.linalg.eigvalsh(line.toarray())[4] + 1e-9) * sparse.eye_array(400)
        self.assertEqual(trisweep.splu(nearly).inertia(), (395, 5, 0))
        with self.assertRaisesRegex(ValueError, "condition number.*precision='double'"):
            trisweep.splu(nearly, precision="mixed").inertia()
        a = indefinite(np.float64)
        self.assertEqual(trisweep.splu(a, precision="mixed").inertia(), (*dense_inertia(a.toarray()), 0))
        with self.assertRaisesRegex(ValueError, "kind 'lu' tell no inertia"):
            trisweep.splu(nearly, kind="lu").inertia()

    def test_and_determinant_in_all_types(self):
        for dtype in DTYPES:
            a = indefinite(dtype)
            with self.subTest(dtype):
                lu = trisweep.splu(a)
                self.assertEqual(lu.inertia()[:2], dense_inertia(a.toarray()))
                sign, logarithm = np.linalg.slogdet(a.toarray().astype(np.complex128))
                found = lu.slogdet()
                self.assertEqual(found.sign.dtype, a.dtype)
                self.assertLess(abs(found.sign - sign), 100 * np.finfo(dtype).eps)
                self.assertLess(abs(found.logabsdet - logarithm), 1000 * np.finfo(dtype).eps * abs(logarithm))

    def test_the_determinant_of_complex_symmetric_systems(self):
        a = random_matrix(60, dtype=np.complex128)
        a = sparse.csr_array(a + a.T + 8 * sparse.eye_array(60))
        lu = trisweep.splu(a)
        self.assertEqual(lu.report()["factor"]["kind"], "ldlt")
        with self.assertRaisesRegex(ValueError, "inertia"):
            lu.inertia()
        sign, logarithm = np.linalg.slogdet(a.toarray())
        self.assertLess(abs(lu.slogdet().sign - sign), 1e-12)
        self.assertLess(abs(lu.slogdet().logabsdet - logarithm), 1e-10)

    def test_and_determinant_of_singular_matrices(self):
        a = sparse.csr_array(np.ones((2, 2)))
        for precision in ("double", "mixed"):
            lu = trisweep.splu(a, precision=precision)
            for _ in range(2):
                self.assertEqual((lu.slogdet(), lu.inertia()), ((0, -np.inf), (1, 0, 1)))
                lu.solve(np.ones(2), on_doubt="ignore")  # which factors once more, as LU
            self.assertTrue(lu.report()["factor"]["second_try"])
        for singular in (a, sparse.csr_array([[1.0, 2, 0], [2, 4, 0], [1, 0, 1]])):
            lu = trisweep.splu(singular, kind="lu")
            for _ in range(2):
                self.assertEqual(lu.slogdet(), (0, -np.inf))
                lu.solve(np.ones(singular.shape[0]), on_doubt="ignore")

    def test_the_determinant_of_precision_mixed(self):
        a = indefinite(np.float64)
        sign, logarithm = np.linalg.slogdet(a.toarray())
        for kind in ("lu", "ldlt"):
            found = trisweep.splu(a, kind=kind, precision="mixed").slogdet()
            self.assertEqual(found.sign, sign)
            self.assertAlmostEqual(found.logabsdet, logarithm, delta=1e-12 * abs(logarithm))

    def test_the_kind_is_as_it_is_asked_for(self):
        a = indefinite(np.float64)
        self.assertEqual(trisweep.splu(a).report()["factor"]["kind"], "ldlt")
        lu = trisweep.splu(a, kind="lu")
        self.assertEqual(lu.report()["factor"]["kind"], "lu")
        with self.assertRaisesRegex(ValueError, "inertia"):
            lu.inertia()
        b = np.ones(60)
        self.assertLess(largest(lu.solve(b) - trisweep.splu(a, kind="ldlt").solve(b)), 1e-13)
        with self.assertRaisesRegex(ValueError, "Hermitian"):
            trisweep.splu(a, kind="cholesky")
        with self.assertRaisesRegex(ValueError, "kind"):
            trisweep.splu(a, kind="qr")

    def test_cholesky_is_asked_for_whatever_the_values_before_were(self):
        definite, indefinite, negative = (sparse.csr_array(np.array(m, float)) for m in (
            [[2, 1], [1, 2]], [[1, 2], [2, 1]], [[-2, 1], [1, -2]]))  # fmt: skip
        lu = trisweep.splu(definite, kind="cholesky")
        lu.refactor(indefinite)
        self.assertEqual(lu.report()["factor"]["kind"], "ldlt")
        with self.assertRaisesRegex(ValueError, "Hermitian"):
            lu.refactor(negative)
        lu.refactor(definite)
        self.assertEqual(lu.report()["factor"]["kind"], "cholesky")


def equilibrated(a):
    """D A D, which has the same inertia and eigenvalues that can be told from zero."""
    for _ in range(20):
        scale = 1 / np.sqrt(np.abs(a).max(axis=0))
        a = scale[:, None] * a * scale
    return a


if __name__ == "__main__":
    unittest.main()
