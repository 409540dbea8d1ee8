"""`trisweep.splu` beside SciPy's, and what only ours promises."""

import gc
import os
import subprocess
import sys
import threading
import time
import unittest
import warnings
from fractions import Fraction
from io import StringIO
from pathlib import Path

import numpy as np
from scipy import io, sparse
from scipy.sparse import linalg

import trisweep

ROOT = Path(__file__).resolve().parents[2]
DTYPES = ("float32", "float64", "complex64", "complex128")
OPS = {"N": lambda a: a, "T": lambda a: a.T, "H": lambda a: a.conj().T}
FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")


def real_matrices():
    """Name and matrix of all that are square."""
    places = (os.environ.get("TRISWEEP_MATRICES"), ROOT.parent / "shared/matrices", ROOT / "examples/matrices")
    folder = next(Path(place) for place in places if place and Path(place).is_dir())
    for file in sorted(folder.iterdir()):
        a = sparse.csc_array(io.hb_read(without_right_hand_sides(file)) if file.suffix == ".rua" else io.mmread(file))
        if a.shape[0] == a.shape[1]:
            yield file.name, a.astype(np.result_type(a.dtype, np.float64))


def without_right_hand_sides(file):
    """A Harwell-Boeing file as SciPy reads it."""
    lines = file.read_text().splitlines()
    cards = [int(lines[1][begin : begin + 14]) for begin in range(0, 56, 14)]
    counts = "".join(f"{count:14d}" for count in (sum(cards[1:]), *cards[1:], 0))
    return StringIO("\n".join([lines[0], counts, lines[2], lines[3][:52], *lines[5 : 5 + sum(cards[1:])]]) + "\n")


def random_matrix(n=60, dtype="float64", seed=1):
    random = np.random.default_rng(seed)
    a = sparse.random_array((n, n), density=4 / n, rng=random, dtype=np.float64) + 4 * sparse.eye_array(n)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * sparse.random_array((n, n), density=4 / n, rng=random)
    return sparse.csr_array(a.astype(dtype))


def random_vectors(shape, dtype="float64", seed=2):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    return (values + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def largest(values):
    """NaN where one is."""
    return float(np.max(np.abs(values), initial=0))


class Answers(unittest.TestCase):
    def assert_solves(self, a, x, b, trans="N"):
        op = OPS[trans](sparse.csr_array(a))
        scale = abs(op) @ np.abs(x) + np.abs(b)
        error = largest((b - op @ x) / np.where(scale > 0, scale, 1))
        self.assertLessEqual(error, 20 * np.finfo(x.dtype).eps)

    def test_deterministic_solves_repeat(self):
        """Also the first, and where corrections are needed in some columns alone."""
        for seed in range(6):
            rng = np.random.default_rng(seed)
            a, b = sparse.csr_array(rng.standard_normal((100, 100))), rng.standard_normal((100, 15))
            lu = trisweep.splu(a, deterministic=True, threads=1)
            x = lu.solve(b)
            for _ in range(3):
                np.testing.assert_array_equal(lu.solve(b), x)

    def test_are_scipys_on_every_real_matrix(self):
        compared = 0
        for name, a in real_matrices():
            with self.subTest(name):
                compared += self.compare_with_scipy(a)
        self.assertGreaterEqual(compared, 2)

    def compare_with_scipy(self, a):
        """Whether SciPy has digits to compare with: its factors are not scaled."""
        try:
            with warnings.catch_warnings(action="ignore"):
                theirs = linalg.splu(a)
        except RuntimeError:
            with self.assertRaisesRegex(trisweep.NumericalError, "singular"):
                trisweep.splu(a)
            return False
        inverse = linalg.LinearOperator(a.shape, theirs.solve, lambda v: theirs.solve(v, "H"), dtype=a.dtype)
        comparable = linalg.norm(a, 1) * linalg.onenormest(inverse) < 1e18
        ours = trisweep.splu(a)
        b = random_vectors((a.shape[0], 2), a.dtype)
        for trans, op in OPS.items():
            x = ours.solve(b, trans)
            self.assert_solves(a, x, b, trans)
            y = theirs.solve(b, trans)
            y += theirs.solve(b - op(a) @ y, trans)
            if comparable:
                self.assertLess(largest(x - y), 1e-9 * largest(y), trans)
        return comparable

    def test_of_every_dtype_and_op(self):
        for dtype in DTYPES:
            a = random_matrix(dtype=dtype)
            lu = trisweep.splu(a)
            for trans, op in OPS.items():
                for shape in ((60,), (60, 1), (60, 7)):
                    with self.subTest((dtype, trans, shape)):
                        b = random_vectors(shape, dtype)
                        x = lu.solve(b, trans=trans)
                        self.assertEqual((x.shape, x.dtype), (shape, np.dtype(dtype)))
                        self.assert_solves(a, x, b, trans)
                        expected = np.linalg.solve(op(a).toarray(), b)
                        self.assertLess(largest(x - expected), 100 * np.finfo(dtype).eps * largest(expected))

    def test_of_every_format(self):
        a = random_matrix()
        b = random_vectors(60)
        expected = trisweep.splu(a).solve(b)
        for name in FORMATS:
            for kind in ("array", "matrix"):
                with self.subTest((name, kind)):
                    other = getattr(sparse, f"{name}_{kind}")(a)
                    np.testing.assert_array_equal(trisweep.splu(other).solve(b), expected)

    def test_of_every_type_of_indices(self):
        a = random_matrix()
        b = random_vectors(60)
        expected = trisweep.splu(a).solve(b)
        for dtype in ("int32", "int64"):
            other = a.copy()
            other.indices, other.indptr = a.indices.astype(dtype), a.indptr.astype(dtype)
            np.testing.assert_array_equal(trisweep.splu(other).solve(b), expected)

    def test_of_unsorted_rows_and_repeated_entries(self):
        a = random_matrix()
        coo = a.tocoo()
        order = np.random.default_rng(3).permutation(coo.nnz)
        row, col, half = coo.row[order], coo.col[order], coo.data[order] / 2
        repeated = sparse.coo_array((np.tile(half, 2), (np.tile(row, 2), np.tile(col, 2))), shape=a.shape)
        b = random_vectors(60)
        expected = trisweep.splu(a).solve(b)
        unsorted = sparse.csr_array((a.data.copy(), a.indices.copy(), a.indptr), shape=a.shape)
        for begin, end in zip(a.indptr[:-1], a.indptr[1:], strict=True):
            unsorted.indices[begin:end] = a.indices[begin:end][::-1]
            unsorted.data[begin:end] = a.data[begin:end][::-1]
        before = unsorted.indices.copy()
        for other in (repeated, unsorted):
            np.testing.assert_array_equal(trisweep.splu(other).solve(b), expected)
        np.testing.assert_array_equal(unsorted.indices, before)

    def test_of_integers(self):
        a = sparse.csr_array(np.array([[2, 1], [0, 4]]))
        x = trisweep.splu(a).solve([4, 4])
        self.assertEqual((x.tolist(), x.dtype), ([1.5, 1.0], np.float64))

    def test_of_any_layout(self):
        lu = trisweep.splu(random_matrix())
        self.assertEqual((lu.shape, lu.dtype), ((60, 60), np.float64))
        b = random_vectors((60, 6))
        expected = lu.solve(b)
        wide = np.zeros((60, 12))
        wide[:, ::2] = b
        tall = np.zeros((90, 6), order="F")
        tall[20:80] = b
        unaligned = np.zeros(b.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(60, 6, order="F")
        unaligned[:] = b
        frozen = b.copy(order="F")
        frozen.flags.writeable = False
        layouts = {
            "C": np.ascontiguousarray(b),
            "Fortran": np.asfortranarray(b),
            "columns apart": np.asfortranarray(wide)[:, ::2],
            "rows of a larger one": tall[20:80],
            "entries apart": wide[:, ::2],
            "backwards": np.asfortranarray(b[:, ::-1])[:, ::-1],
            "unaligned": unaligned,
            "another byte order": b.astype(">f8"),
            "read-only": frozen,
            "lists": b.tolist(),
        }
        for name, other in layouts.items():
            with self.subTest(name):
                x = lu.solve(other)
                self.assertTrue(x.flags.f_contiguous)
                np.testing.assert_array_equal(x, expected)
                np.testing.assert_array_equal(np.asarray(other, np.float64), b)

    def test_of_no_right_hand_side(self):
        x = trisweep.splu(random_matrix()).solve(np.zeros((60, 0)))
        self.assertEqual(x.shape, (60, 0))

    def test_of_one_equation(self):
        lu = trisweep.splu(sparse.csr_array([[4.0]]))
        self.assertEqual(lu.solve([2.0]).tolist(), [0.5])
        self.assertEqual(lu.solve([[2.0, 4.0]]).tolist(), [[0.5, 1.0]])

    def test_in_the_matrix_dtype(self):
        x = trisweep.splu(random_matrix(dtype="float32")).solve(random_vectors(60, "float64"))
        self.assertEqual(x.dtype, np.float32)
        self.assertEqual(trisweep.splu(random_matrix(dtype="complex128")).solve(np.ones(60)).dtype, np.complex128)

    def test_of_complex_right_hand_sides_of_real_matrices(self):
        for dtype, of_x in (("float32", "complex64"), ("float64", "complex128")):
            a = random_matrix(dtype=dtype)
            lu = trisweep.splu(a)
            for trans, op in OPS.items():
                for shape in ((60,), (60, 3)):
                    with self.subTest((dtype, trans, shape)):
                        b = random_vectors(shape, of_x)
                        x = lu.solve(b, trans)
                        self.assertEqual((x.shape, x.dtype), (shape, np.dtype(of_x)))
                        expected = np.linalg.solve(op(a).toarray(), b)
                        self.assertLess(largest(x - expected), 100 * np.finfo(dtype).eps * largest(expected))

    def test_of_sparse_right_hand_sides(self):
        a = random_matrix()
        b = sparse.random_array((60, 4), density=0.1, rng=np.random.default_rng(4))
        np.testing.assert_array_equal(trisweep.splu(a).solve(b), trisweep.splu(a).solve(b.toarray()))

    def test_go_where_they_are_wanted(self):
        lu = trisweep.splu(random_matrix())
        for b in (random_vectors((60, 5)), random_vectors(60), random_vectors((60, 2), "complex128")):
            expected = lu.solve(b)
            outs = {
                "Fortran": np.empty(b.shape, b.dtype, order="F"),
                "C": np.empty(b.shape, b.dtype),
                "entries apart": np.empty((120, *b.shape[1:]), b.dtype)[::2],
                "b": b.copy(order="F"),
            }
            for name, out in outs.items():
                with self.subTest(name, shape=b.shape, dtype=b.dtype):
                    self.assertIs(lu.solve(out if name == "b" else b, out=out), out)
                    np.testing.assert_array_equal(out, expected)
        frozen = np.empty(60)
        frozen.flags.writeable = False
        for out in (np.empty(59), np.empty((60, 1)), np.empty(60, np.float32), frozen):
            with self.assertRaisesRegex(ValueError, "float64 of .60,. is needed"):
                lu.solve(np.ones(60), out=out)
        with self.assertRaisesRegex(TypeError, "out is list"):
            lu.solve(np.ones(60), out=[0.0] * 60)

    def test_of_new_values(self):
        for dtype in DTYPES:
            old, new = random_matrix(dtype=dtype), random_matrix(dtype=dtype)
            new.data *= np.linspace(0.5, 2, new.nnz).astype(dtype)
            b = random_vectors(60, dtype)
            for values in (new, new.data, new.tocsc()):
                lu = trisweep.splu(old)
                before = lu.solve(b)
                lu.refactor(values)
                self.assert_solves(new, lu.solve(b), b)
                lu.refactor(old)
                np.testing.assert_allclose(lu.solve(b), before, rtol=100 * np.finfo(dtype).eps)

    def test_of_new_values_whose_pivots_are_delayed(self):
        """After a few factorizations pivots are planned where they are eliminated, and none is delayed."""
        for name, a in real_matrices():
            with self.subTest(name), warnings.catch_warnings(action="ignore"):
                try:
                    lu = trisweep.splu(a)
                except trisweep.NumericalError:
                    continue  # structurally singular
                b = np.ones(a.shape[0], lu.dtype)
                for _ in range(3):
                    lu.refactor(a)
                self.assertEqual(lu.report()["factor"]["delayed_pivots"], 0)
                self.assert_solves(a, lu.solve(b, on_doubt="ignore"), b)

    def test_with_threads(self):
        a = random_matrix(400)
        b = random_vectors((400, 3))
        for threads in (2, 0, None):
            self.assert_solves(a, trisweep.splu(a, threads=threads).solve(b), b)


class Errors(unittest.TestCase):
    def test_of_what_is_no_matrix(self):
        for a in (np.eye(3), [[1.0]], None, "a"):
            with self.subTest(repr(a)), self.assertRaisesRegex(TypeError, "not a sparse matrix"):
                trisweep.splu(a)

    def test_of_shapes(self):
        for shape in ((3, 4), (4, 3), (0, 0)):
            with self.subTest(shape), self.assertRaisesRegex(ValueError, "square"):
                trisweep.splu(sparse.csr_array(shape))
        lu = trisweep.splu(random_matrix())
        for shape in ((59,), (61, 2), (60, 2, 1), ()):
            with self.subTest(shape), self.assertRaisesRegex(ValueError, "60 rows"):
                lu.solve(np.ones(shape))

    def test_of_dtypes(self):
        for dtype in (np.longdouble, np.clongdouble):
            with self.assertRaisesRegex(TypeError, "float64"):
                trisweep.splu(random_matrix().astype(dtype))
        lu = trisweep.splu(random_matrix())
        for b in (np.full(60, "1"), np.full(60, None)):
            with self.assertRaisesRegex(TypeError, "b is"):
                lu.solve(b)
        with self.assertRaisesRegex(TypeError, "values is complex128"):
            lu.refactor(random_matrix().data + 1j)

    def test_of_indices_outside(self):
        a = random_matrix()
        a.indices[5] = 60
        with self.assertRaises(ValueError):
            trisweep.splu(a)

    def test_of_new_values(self):
        a = random_matrix()
        lu = trisweep.splu(a)
        x = lu.solve(np.ones(60))
        other = a.copy()
        other.indices[0] = 59 - other.indices[0]
        with self.assertRaisesRegex(ValueError, "another pattern"):
            lu.refactor(other)
        with self.assertRaisesRegex(ValueError, f"{a.nnz} entries"):
            lu.refactor(a.data[1:])
        with self.assertRaisesRegex(ValueError, "finite"):
            lu.refactor(np.full(a.nnz, np.nan))
        wider = sparse.csr_array((a.data, a.indices, a.indptr), shape=(60, 65))
        self.assertFalse(lu.has_pattern_of(wider))
        with self.assertRaisesRegex(ValueError, "another pattern"):
            lu.refactor(wider)
        np.testing.assert_array_equal(lu.solve(np.ones(60)), x)

    def test_of_options(self):
        a = random_matrix()
        for option, words in (
            ({"precision": "float"}, "'double', 'mixed'"),
            ({"refine": 3}, "'auto', 'best'"),
            ({"compress": 1.0}, "from 0 to 1"),
            ({"compress": "much"}, "from 0 to 1"),
            ({"ordering": "alphabetical"}, "metis"),
            ({"device": "abacus"}, "native"),
        ):
            with self.subTest(option), self.assertRaisesRegex(ValueError, words):
                trisweep.splu(a, **option)
        with self.assertRaisesRegex(ValueError, "lowest precision"):
            trisweep.splu(a.astype(np.float32), precision="mixed")
        for option in ({"threads": 2.0}, {"compress": None}, {"compress": 1j}, {"ordering": None}, {"device": None}):
            (name,) = option
            with self.subTest(option), self.assertRaisesRegex(TypeError, f"{name} is .*: give a "):
                trisweep.splu(a, **option)

    def test_of_words(self):
        with self.assertRaisesRegex(ValueError, "'C', not one of"):
            trisweep.splu(random_matrix()).solve(np.ones(60), trans="C")
        for threads in (-1, 1025, 2**40):
            with self.assertRaisesRegex(ValueError, f"{threads} threads: give a number from 1 to 1024, or 0"):
                trisweep.splu(random_matrix(), threads=threads)

    def test_of_what_is_no_number(self):
        for value in (np.nan, np.inf):
            a = random_matrix()
            a.data[7] = value
            with self.subTest(value), self.assertRaisesRegex((trisweep.NumericalError, ValueError), "finite|number"):
                trisweep.splu(a)
            for dtype in DTYPES:
                lu = trisweep.splu(random_matrix(dtype=dtype))
                b = np.ones((60, 3), dtype)
                b[7, 1] = value
                for wrong, place in ((b, "row 7, column 1"), (b[:, 1], "row 7, column 0")):
                    with (
                        self.subTest(value, dtype=dtype),
                        self.assertRaisesRegex(ValueError, place + " .counting from 0"),
                    ):
                        lu.solve(wrong)
                lu.solve(np.ones(60, dtype))
                self.assertFalse(lu.report()["factor"]["second_try"])

    def test_of_singular_matrices(self):
        empty_row = sparse.csr_array(np.diag([1.0, 0.0, 1.0]))
        dependent = sparse.csr_array(np.array([[1.0, 2.0], [2.0, 4.0]]))
        for a in (empty_row, dependent, sparse.csr_array((3, 3))):
            with self.assertRaisesRegex(trisweep.NumericalError, "singular"):
                trisweep.splu(a).solve(np.arange(a.shape[0]) + 1.0)
        self.assertTrue(issubclass(trisweep.NumericalError, ArithmeticError))
        self.assertTrue(issubclass(trisweep.NumericalError, np.linalg.LinAlgError))

    def test_accepted_answers_that_the_last_digits_decide_come_with_a_warning(self):
        a = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(4600, 4600)).tocsr().astype(np.float32)
        lu = trisweep.splu(a)
        said = "x satisfies its equations, but the condition number of the matrix is about 1"
        with self.assertWarnsRegex(trisweep.NumericalWarning, said):
            lu.solve(np.ones(4600, np.float32))
        self.assertTrue(lu.report()["solve"]["solved"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lu.solve(np.ones(4600, np.float32), on_doubt="ignore")


class Options(unittest.TestCase):
    def test_lead_to_the_same_answers(self):
        a = sparse.csr_array(sparse.kron(random_matrix(200), sparse.eye_array(3)) + random_matrix(600, seed=5))
        b = random_vectors((600, 2))
        expected = trisweep.splu(a).solve(b)
        for options in (
            {"precision": "mixed"},
            {"compress": 1e-4},
            {"compress": "auto"},
            {"ordering": "amd"},
            {"ordering": "metis"},
            {"refine": "best"},
            {"deterministic": True, "threads": 2},
        ):
            with self.subTest(options):
                x = trisweep.splu(a, **options).solve(b)
                self.assertLess(largest(x - expected), 1e-11 * largest(expected))

    def test_are_numbers_and_strings_of_numpy(self):
        a, b = random_matrix(), random_vectors(60)
        text = {"ordering": "amd", "kind": "lu", "device": "native", "precision": "double", "refine": "best"}
        for options in (
            {"threads": 2, "deterministic": True, "compress": 1e-3},
            {"compress": "off", **text},
        ):
            of_numpy = {name: np.array(value)[()] for name, value in options.items()}
            np.testing.assert_array_equal(trisweep.splu(a, **of_numpy).solve(b), trisweep.splu(a, **options).solve(b))

    def test_reach_the_factors(self):
        a = random_matrix(600)
        double, mixed = (trisweep.splu(a, precision=p).report()["factor"]["bytes"] for p in ("double", "mixed"))
        self.assertEqual(double, 2 * mixed)


class DropIns(unittest.TestCase):
    def test_of_spsolve_has_the_dtype_that_scipy_gives_it(self):
        for of_a in DTYPES:
            a = random_matrix(dtype=of_a)
            for of_b in (*DTYPES, "int32"):
                b = np.arange(60.0).astype(of_b)
                with self.subTest(a=of_a, b=of_b):
                    x = trisweep.spsolve(a, b)
                    expected = linalg.spsolve(a.tocsc(), b)
                    self.assertEqual(x.dtype, expected.dtype)
                    self.assertLess(largest(x - expected), 1e4 * np.finfo(x.dtype).eps * largest(expected))

    def test_of_spsolve_and_factorized(self):
        a, b = random_matrix(), random_vectors((60, 2))
        expected = trisweep.splu(a).solve(b)
        np.testing.assert_array_equal(trisweep.spsolve(a, b), expected)
        np.testing.assert_array_equal(trisweep.factorized(a)(b), expected)

    def test_precondition_and_invert_for_eigenvalues(self):
        a = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(400, 400), format="csr")
        inverse = trisweep.splu(a).aslinearoperator()
        x, info = linalg.gmres(a, np.ones(400), M=inverse, rtol=1e-12, maxiter=3)
        self.assertEqual(info, 0)
        self.assertLess(largest(a @ x - 1), 1e-9)
        values = linalg.eigsh(a, 3, sigma=0, OPinv=inverse, return_eigenvectors=False)
        exact = 2 - 2 * np.cos(np.arange(3, 0, -1) * np.pi / 401)
        np.testing.assert_allclose(np.sort(values), np.sort(exact), rtol=1e-10)
        b = random_vectors(400)
        np.testing.assert_allclose(inverse.rmatvec(b), inverse.matvec(b), rtol=1e-9)


class ForwardErrors(unittest.TestCase):
    def test_of_a_solution_that_is_its_right_hand_side(self):
        lu = trisweep.splu(sparse.eye_array(3, format="csr"))
        v = np.ones(3)
        self.assertLess(lu.forward_error(lu.solve(v, out=v), v)[0].bound, 1e-14)

    def test_bound_the_errors(self):
        n = 10
        hilbert = 1 / (np.arange(n)[:, None] + np.arange(n)[None, :] + 1)
        b = np.column_stack([np.ones(n), np.arange(n) - 3.0])
        lu = trisweep.splu(sparse.csr_array(hilbert))
        with self.assertRaisesRegex(ValueError, "solve"):
            lu.forward_error(b, b)
        x = lu.solve(b, on_doubt="ignore")
        true = rational_solution(hilbert, b)
        for column, estimate in enumerate(lu.forward_error(b, x)):
            error = largest(x[:, column] - true[:, column]) / largest(true[:, column])
            self.assertGreater(estimate.bound, error)
            self.assertLess(estimate.bound, 1e5 * error + 1e-12)
            self.assertGreater(estimate.solution_condition, 1)

    def test_do_not_certify_what_is_zero(self):
        for dtype in (np.float64, np.complex128):
            lu = trisweep.splu(2 * sparse.eye_array(3, format="csr", dtype=dtype))
            b = np.array([1 + 1j, 2 + 2j, 0])
            lu.solve(b.real)
            self.assertEqual(lu.forward_error(b.real, np.zeros(3))[0].bound, np.inf)
            self.assertEqual(lu.forward_error(np.zeros(3), np.zeros(3))[0].bound, 0)
            for x in (b.real / 2 + 0j, b.imag * 0.5j):
                for bound in (lu.forward_error(b, x)[0].bound, lu.forward_error(b[:, None], x[:, None])[0].bound):
                    self.assertTrue(0.99 < bound < 1.5, bound)
                self.assertLess(lu.forward_error(2 * x, x)[0].bound, 1e-14)

    def test_take_what_solves_take(self):
        a = random_matrix()
        lu = trisweep.splu(a)
        b = sparse.random_array((60, 3), density=0.1, rng=np.random.default_rng(4))
        x = lu.solve(b)
        self.assertEqual(lu.forward_error(b, x), lu.forward_error(b.toarray(), x))
        self.assertEqual(lu.forward_error(np.ones((60, 0)), np.ones((60, 0))), [])
        b = random_vectors((60, 3), "complex128")
        b.imag[:, 1] = b.real[:, 2] = 0
        exact = trisweep.splu(a.astype("complex128"))
        for columns in (np.s_[:], np.s_[:, 0]):
            x = lu.solve(b[columns])
            exact.solve(b[columns])
            found = lu.forward_error(b[columns], x)
            for real, other in zip(found, exact.forward_error(b[columns], x), strict=True):
                for name in ("solution_condition", "bound"):
                    self.assertLess(abs(np.log(getattr(real, name) / getattr(other, name))), np.log(3))
                self.assertGreater(3 * real.componentwise_bound, other.componentwise_bound)
        # The real part of the last unknown comes out as zero: it is 1e-30, and its imaginary part 9e-16.
        a = sparse.csr_array([[1.0, -0.3, 0.4], [0.7, 0.6000000000000001, 0.1], [0.5, 0.4, 0.20000000000000004]])
        b = np.array([4e-31 + 1.7j, 1e-31 + 2j, 2.0000000000000006e-31 + 1.4j])
        lu = trisweep.splu(a)
        self.assertGreater(lu.forward_error(b, lu.solve(b))[0].componentwise_bound, 1e13)


def rational_solution(a, b):
    """Gauss-Jordan elimination in rational arithmetic."""
    rows = [[Fraction(float(v)) for v in (*row, *right)] for row, right in zip(a, b, strict=True)]
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [v - rows[i][k] * w for v, w in zip(rows[i], rows[k], strict=True)]
    return np.array([[float(v) for v in row[n:]] for row in rows])


class Verdicts(unittest.TestCase):
    def test_accept_zeros_and_decay(self):
        """x has zeros, or falls off to nothing: columns of an inverse, point sources."""
        a = (sparse.random(30, 30, 4 / 30, random_state=3) + 5 * sparse.eye(30)).tocsr()
        e16 = np.zeros(30)
        e16[16] = 1
        x = trisweep.splu(a).solve(a[:, [16]].toarray().ravel())
        np.testing.assert_allclose(x, e16, atol=1e-15)
        for dtype in DTYPES:
            spline = sparse.diags([1, 4, 1], [-1, 0, 1], (2000, 2000), dtype=dtype, format="csr")
            lu = trisweep.splu(spline)
            b = np.ones((2000, 3), dtype)
            b[:, 1] = 0
            b[1000, 1] = 1
            for trans in OPS:
                x = lu.solve(b, trans)
                self.assertLess(largest(b - OPS[trans](spline) @ x), 10 * np.finfo(dtype).eps)
                self.assertEqual(lu.report()["solve"]["solved_columns"], [True, True, True])

    def test_come_with_x(self):
        """Nothing holds the chain: x is one of many, and there all the same."""
        chain = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (50, 50)).tolil()
        chain[0, 0] = chain[49, 49] = 1
        chain = chain.tocsr()
        b = np.zeros(50)
        b[0], b[-1] = 1, -1
        lu = trisweep.splu(chain)
        with self.assertRaisesRegex(trisweep.NumericalError, "one of many") as caught:
            lu.solve(b)
        self.assertLess(largest(chain @ caught.exception.x - b), 1e-13)
        self.assertFalse(caught.exception.report["solve"]["solved"])
        with self.assertWarns(trisweep.NumericalWarning):
            np.testing.assert_array_equal(lu.solve(b, on_doubt="warn"), caught.exception.x)
        with warnings.catch_warnings(action="error"):
            np.testing.assert_array_equal(lu.solve(b, on_doubt="ignore"), caught.exception.x)
        with self.assertRaisesRegex(ValueError, "on_doubt"):
            lu.solve(b, on_doubt="maybe")


class Objects(unittest.TestCase):
    def test_work_at_the_same_time_and_let_the_interpreter_go_on(self):
        matrices = [random_matrix(3000, seed=seed) for seed in range(2)]
        answers = [None, None]

        def work(k):
            lu = trisweep.splu(matrices[k])
            answers[k] = [lu.solve(np.full(3000, 1.0 + turn)) for turn in range(20)]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for a, xs in zip(matrices, answers, strict=True):
            for turn, x in enumerate(xs):
                self.assertLess(largest(a @ x - (1.0 + turn)), 1e-10)

    def test_serve_several_threads_in_turn(self):
        a = random_matrix(1000)
        lu = trisweep.splu(a)
        errors = []

        def work(k):
            for _ in range(20):
                b = np.full((1000, k), float(k))
                errors.append(largest(a @ lu.solve(b) - b))

        threads = [threading.Thread(target=work, args=(k,)) for k in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(errors), 60)
        self.assertLess(largest(errors), 1e-10)

    def test_tell_errors_of_their_own(self):
        """Another thread may solve between the verdict and the report of it."""
        lu = trisweep.splu(sparse.csr_array(np.ones((3, 3))))

        class Shared(trisweep.Solver):
            def report(self):
                trisweep.Solver.solve(self, np.ones((3, 7)), on_doubt="ignore")
                return super().report()

        lu.__class__ = Shared
        with self.assertRaises(trisweep.NumericalError) as caught:
            lu.solve(np.ones(3))
        self.assertEqual(caught.exception.report["solve"]["solved_columns"], [False])

    def test_name_the_range_that_a_system_leaves(self):
        lu = trisweep.splu(1e-10 * sparse.csc_array([[2.0, 1.0], [0.0, 4.0]]))
        with self.assertRaisesRegex(trisweep.NumericalError, r"b or x is out of 2.2e-308 to 1.8e\+308"):
            lu.solve(np.full(2, 1e308))

    def test_end_at_any_time(self):
        kept = [trisweep.splu(random_matrix(seed=seed)) for seed in range(6)]
        del kept[::2]
        gc.collect()
        x = kept[0].solve(np.ones(60))
        del kept
        self.assertTrue(np.isfinite(x).all())

    def test_outlive_the_matrix(self):
        a = random_matrix()
        lu = trisweep.splu(a)
        before = lu.solve(np.ones(60))
        a.data[:] = np.nan
        del a
        gc.collect()
        np.testing.assert_array_equal(lu.solve(np.ones(60)), before)


SOLVE = """
import numpy, trisweep
from scipy import sparse
lu = trisweep.splu(sparse.eye_array(5, format='csr') * 2)
assert abs(lu.solve(numpy.ones(5)) - 0.5).max() < 1e-15
"""
MPI4PY = "from mpi4py import MPI\nassert MPI.COMM_SELF.allreduce(1) == 1\n"


AFTER_MPI = """
MPI.Finalize()
try:
    lu.solve(numpy.ones(5))
except RuntimeError as e:
    assert "finalized" in str(e)
else:
    raise AssertionError
del lu
"""


# A child has none of the threads, and starts its own: what it inherits works as what it makes itself, and both can end.
FORK = """
import os, signal, numpy, trisweep
from scipy import sparse
a = sparse.eye_array(500, format='csr') * 2
lu, alone = trisweep.splu(a, threads=2), trisweep.splu(a, threads=1)
lu.solve(numpy.ones(500))
def work():
    signal.alarm(60)
    for solver in lu, alone, trisweep.splu(a, threads=2):
        assert abs(solver.solve(numpy.ones(500)) - 0.5).max() < 1e-15
"""
FORKED = """
child = os.fork()
if child == 0:
    work()
    del lu
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert abs(lu.solve(numpy.ones(500)) - 0.5).max() < 1e-15
"""
FORKED_BY_MULTIPROCESSING = """
import multiprocessing
child = multiprocessing.get_context("fork").Process(target=work)
child.start()
child.join()
assert child.exitcode == 0
"""

# A child that ends as programs do leaves MPI to its parent, and to the parent's other children.
FORKED_AND_ENDED = """
import sys
if os.fork() == 0:
    sys.exit()
assert os.wait()[1] == 0
"""

# A solver that another thread was at work with is refused, and not waited for.
FORKED_BESIDE_A_SOLVE = """
import threading
ended = False
b = numpy.ones((500, 500), order="F")
def solve():
    while not ended:
        lu.solve(b)
other = threading.Thread(target=solve)
other.start()
def is_refused():
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            lu.solve(b)
        except ValueError as error:
            os._exit(7 if "when this process was forked" in str(error) else 1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 7), status
    return status == 7
while not is_refused():
    pass
ended = True
other.join()
"""

# Handlers of signals run in the main thread, here while it factors or solves: the third one ends that. One more may
# run when the work has returned, but not three.
INTERRUPTED = """
import os, signal, threading, numpy, trisweep
from scipy import sparse
n = 32
t = sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(n, n))
a = sparse.csr_array(sparse.kron(sparse.kron(t, sparse.eye_array(n)), sparse.eye_array(n))
                     + sparse.kron(sparse.kron(sparse.eye_array(n), t), sparse.eye_array(n))
                     + sparse.kron(sparse.eye_array(n * n), t) + sparse.eye_array(n**3, k=1) * 1e-3)
handled, begun, ended = threading.Semaphore(0), threading.Event(), False
runs = 0
def handle(*_):
    global runs
    runs += 1
    handled.release()
    if runs == 3:
        raise KeyboardInterrupt
signal.signal(signal.SIGINT, handle)
def interrupt():
    begun.wait()
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGINT)
        handled.acquire()
def work(call):
    global runs, ended
    runs, ended = 0, False
    begun.clear()
    other = threading.Thread(target=interrupt)
    other.start()
    try:
        begun.set()
        call()
        ended = True
        other.join()
    except KeyboardInterrupt:
        pass
    other.join()
    assert runs == 3 and not ended
"""
INTERRUPTED_FACTORIZATION = """
for threads in 1, 2:
    work(lambda: trisweep.splu(a, threads=threads))
lu = trisweep.splu(sparse.eye_array(5, format='csr') * 2)
assert abs(lu.solve(numpy.ones(5)) - 0.5).max() < 1e-15
"""
INTERRUPTED_SOLVE = """
lu = trisweep.splu(a, threads=2)
b = numpy.ones((n**3, 50), order="F")
work(lambda: [lu.solve(b) for _ in range(100)])
try:
    x = lu.solve(b)
    assert abs(a @ x - b).max() < 1e-8
except RuntimeError as e:
    assert "a signal has ended" in str(e) and "remedy" in str(e)
del lu
"""

# A handler that calls the very solver at work is refused, and leaves it at work.
REENTERED = """
import signal, numpy, trisweep
from scipy import sparse
n = 24
t = sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(n, n))
a = sparse.csr_array(sparse.kron(sparse.kron(t, sparse.eye_array(n)), sparse.eye_array(n))
                     + sparse.kron(sparse.eye_array(n * n), t))
lu = trisweep.splu(a)
refused = []
def handle(*_):
    try:
        lu.report()
    except ValueError as error:
        refused.append("at work" in str(error))
signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
while not any(refused):
    lu.refactor(a)
signal.setitimer(signal.ITIMER_REAL, 0)
assert all(refused)
assert abs(a @ lu.solve(numpy.ones(n**3)) - 1).max() < 1e-10
"""

# Where MPI serves one thread at a time: a kernel may free a solver, and is refused another.
SERIALIZED = """
import mpi4py, numpy
mpi4py.rc.thread_level = "serialized"
from mpi4py import MPI
from scipy import sparse
import trisweep
assert MPI.Query_thread() < MPI.THREAD_MULTIPLE
a = sparse.eye_array(5, format="csr")
kept = [trisweep.splu(a)]
points = numpy.arange(600.0).reshape(200, 3)
def frees(i, j):
    kept.clear()
    return 1 / (1 + abs(i - j))
assert trisweep.hmatrix(points, frees, threads=2).shape == (200, 200) and not kept
def solves(i, j):
    return trisweep.splu(a).solve(numpy.ones(5))[0] / (1 + abs(i - j))
try:
    trisweep.hmatrix(points, solves, threads=2)
except ValueError as error:
    assert "MPI_THREAD_MULTIPLE" in str(error)
else:
    raise AssertionError
x, info = trisweep.gmres(sparse.linalg.LinearOperator((5, 5), lambda v: trisweep.splu(a).solve(v)), numpy.ones(5))
assert info == 0
"""

GROWTH = """
import gc, numpy, trisweep
from pathlib import Path
from scipy import sparse
t = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(30, 30))
a = (sparse.kron(t, sparse.eye_array(30)) + sparse.kron(sparse.eye_array(30), t)).tocsr()
b = numpy.ones(900)
kept = trisweep.splu(a)
def use(count):
    for k in range(count):
        trisweep.splu(a).solve(b)
        kept.refactor(a)
        kept.solve(sparse.csc_array(([1.0], ([4], [0])), shape=(900, 1)), rows=[k % 900])
    gc.collect()
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])
before = use(60)
growth = use(200) - before
assert growth < 3e6, growth
"""


class Processes(unittest.TestCase):
    """Each a Python of its own: who begins MPI, who ends it, and what is left at the end."""

    def assert_runs(self, program):
        environment = {**os.environ, "MPI4PY_MPIABI": "openmpi"}
        result = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=100
        )
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_end_with_solvers_alive(self):
        self.assert_runs(SOLVE)
        self.assert_runs(SOLVE + "import builtins; builtins.kept = lu\n")

    def test_live_with_mpi4py_after_us(self):
        self.assert_runs(SOLVE + MPI4PY)

    def test_live_with_mpi4py_before_us(self):
        self.assert_runs(MPI4PY + SOLVE)

    def test_live_without_threads_of_mpi(self):
        before = "import mpi4py; mpi4py.rc.thread_level = 'single'\n"
        self.assert_runs(before + MPI4PY + SOLVE + "assert MPI.Query_thread() == MPI.THREAD_SINGLE\n")

    def test_outlive_mpi(self):
        self.assert_runs(MPI4PY + SOLVE + AFTER_MPI)

    def test_fork(self):
        self.assert_runs(FORK + FORKED)
        self.assert_runs(FORK + FORKED_BY_MULTIPROCESSING)
        self.assert_runs(FORK + FORKED_AND_ENDED + FORKED)
        self.assert_runs(FORK + FORKED_BESIDE_A_SOLVE)

    def test_do_not_grow_with_200_factorizations(self):
        self.assert_runs(GROWTH)

    def test_are_interrupted(self):
        self.assert_runs(INTERRUPTED + INTERRUPTED_FACTORIZATION)
        self.assert_runs(INTERRUPTED + INTERRUPTED_SOLVE)

    def test_are_not_entered_again_by_handlers_of_signals(self):
        self.assert_runs(REENTERED)

    def test_whose_mpi_serves_one_thread_at_a_time(self):
        self.assert_runs(SERIALIZED)

    def test_that_only_draw_need_no_mpi(self):
        self.assert_runs("import sys, trisweep, trisweep.bench\nassert 'trisweep._core' not in sys.modules\n")


class Reports(unittest.TestCase):
    def test_say_what_is_known(self):
        lu = trisweep.splu(random_matrix())
        self.assertNotIn("solve", lu.report())
        self.assertEqual(lu.report()["threads"], 1)  # of a small system
        self.assertEqual(trisweep.splu(random_matrix(), threads=2).report()["threads"], 2)
        self.assertGreaterEqual(lu.nnz, random_matrix().nnz)
        self.assertEqual(lu.report()["factor"]["kind"], "lu")
        lu.solve(np.ones(60))
        answer = lu.report()["solve"]
        self.assertTrue(answer["solved"])
        self.assertFalse(answer["ill_conditioned"])
        self.assertLess(answer["componentwise_backward_error"], 2.3e-15)
        self.assertEqual(answer["solved_columns"], [True])

    def test_estimate_the_condition_where_it_is_in_doubt_or_asked_for(self):
        a = sparse.csr_array(sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(60, 60)))
        lu = trisweep.splu(a)
        lu.solve(np.ones(60))
        self.assertIsNone(lu.report()["solve"]["condition_estimate"])
        true = np.linalg.cond(a.toarray(), 1)
        self.assertLess(abs(np.log(lu.condition_estimate() / true)), np.log(3))
        lu.solve(np.ones(60))
        self.assertEqual(lu.report()["solve"]["condition_estimate"], lu.condition_estimate())
        lu.refactor(2 * a)
        lu.solve(np.ones(60))
        self.assertIsNone(lu.report()["solve"]["condition_estimate"])

        epsilon = np.finfo(float).eps
        lu = trisweep.splu(sparse.csr_array([[1, 1], [1, 1 + epsilon]]))
        lu.solve(np.ones(2), on_doubt="ignore")
        answer = lu.report()["solve"]
        self.assertTrue(answer["ill_conditioned"])
        self.assertGreater(answer["condition_estimate"], 1 / epsilon)


class Costs(unittest.TestCase):
    def test_of_a_call_beside_the_solve(self):
        lu = trisweep.splu(random_matrix())
        b = np.ones(60)
        own = []
        for _ in range(2000):
            start = time.perf_counter()
            lu.solve(b)
            own.append(time.perf_counter() - start - lu.report()["solve"]["seconds"])
        own.sort()
        print(f"\nlu.solve beside the solve itself: {own[len(own) // 2] * 1e6:.1f} us")
        self.assertLess(own[len(own) // 2], 100e-6)
