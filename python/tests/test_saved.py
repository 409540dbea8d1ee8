"""Solvers that are saved, loaded and pickled solve as they did, and the command reads the same folders."""

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from scipy import io, sparse
from test_splu import DTYPES, random_matrix, random_vectors

import trisweep

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("TRISWEEP_BINARY", str(ROOT / "build/trisweep"))


def definite(dtype):
    a = random_matrix(dtype=dtype)
    return sparse.csr_array(a + a.conj().T + 8 * sparse.eye_array(a.shape[0], dtype=a.dtype))


def with_delayed_pivots(n=15, shift=3):
    """Poisson's equation, shifted to be indefinite."""
    line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    square = sparse.kron(line, sparse.eye_array(n)) + sparse.kron(sparse.eye_array(n), line)
    return sparse.csr_array(square - shift * sparse.eye_array(n * n))


def solved(work):
    lu, b = work
    return lu.solve(b)


class Folders(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.folder = self.place / "a.factors"

    def assert_same(self, lu, again):
        """Bit for bit."""
        self.assertEqual((lu.shape, lu.dtype, lu.nnz, lu.device), (again.shape, again.dtype, again.nnz, again.device))
        for trans in "NTH":
            b = random_vectors((lu.shape[0], 2), lu.dtype)
            np.testing.assert_array_equal(lu.solve(b, trans), again.solve(b, trans))
            mine, theirs = lu.report()["solve"], again.report()["solve"]
            for changes in (mine, theirs):
                changes.pop("seconds")
            self.assertEqual(mine, theirs)


class Saved(Folders):
    def test_solvers_answer_as_before(self):
        for dtype in DTYPES:
            for a in (random_matrix(dtype=dtype), definite(dtype)):
                is_single = np.finfo(dtype).eps > 1e-10
                for precision in ("double",) if is_single else ("double", "mixed"):
                    with self.subTest(dtype=dtype, precision=precision):
                        lu = trisweep.splu(a, precision=precision)
                        lu.save(self.folder)  # over the one before
                        again = trisweep.load(self.folder)
                        self.assertEqual(again.report()["factor"]["seconds"], 0)
                        self.assert_same(lu, again)

    def test_of_delayed_pivots(self):
        a = with_delayed_pivots()
        lu = trisweep.splu(a)
        self.assertGreater(lu.report()["factor"]["delayed_pivots"], 0)
        lu.save(self.folder)
        again = trisweep.load(self.folder)
        self.assert_same(lu, again)
        # Saved once more, pivots are eliminated at once where they were delayed to: the same to rounding.
        again.save(self.folder)
        third = trisweep.load(self.folder)
        b = random_vectors(225)
        np.testing.assert_allclose(third.solve(b), lu.solve(b), rtol=1e-10)
        self.assertEqual(third.nnz, lu.nnz)

    def test_of_new_values(self):
        a = with_delayed_pivots()
        lu = trisweep.splu(a)
        lu.refactor(a.data * (1 + np.arange(a.nnz) % 5))
        lu.save(self.folder)
        self.assert_same(lu, trisweep.load(self.folder))

    def test_after_a_second_try(self):
        """The folder has the precision of the factors that there are then."""
        a = random_matrix().toarray()
        a[3] = a[4]
        lu = trisweep.splu(sparse.csr_array(a), precision="mixed")
        single = lu.report()["factor"]["bytes"]
        x = lu.solve(np.ones(60), on_doubt="ignore")
        self.assertTrue(lu.report()["factor"]["second_try"])
        lu.save(self.folder)
        for again in (trisweep.load(self.folder), pickle.loads(pickle.dumps(lu))):
            self.assertGreater(again.report()["factor"]["bytes"], 1.5 * single)
            np.testing.assert_array_equal(again.solve(np.ones(60), on_doubt="ignore"), x)
            self.assertEqual(again.report()["solve"]["singular"], lu.report()["solve"]["singular"])

    def test_of_entries_near_the_largest_number(self):
        a = 1e307 * random_matrix()
        lu = trisweep.splu(a)
        lu.save(self.folder)
        again = trisweep.load(self.folder)
        self.assertTrue(again.has_pattern_of(a))
        b = 1e300 * random_vectors(60)
        np.testing.assert_array_equal(again.solve(b), lu.solve(b))

    def test_loaded_ones_do_all_that_solvers_do(self):
        a = random_matrix()
        b = random_vectors(60)
        trisweep.splu(a).save(self.folder)
        for options in (
            {},
            {"threads": 2},
            {"device": "emulated"},
            {"compress": 1e-4},
            {"compress": "auto"},
            {"refine": "best", "deterministic": True},
        ):
            with self.subTest(options):
                lu = trisweep.load(self.folder, **options)
                x = lu.solve(b)
                np.testing.assert_allclose(a @ x, b, rtol=0, atol=1e-13)
                self.assertLess(lu.forward_error(b, x)[0].bound, 1e-12)
                np.testing.assert_array_equal(lu.L.toarray(), trisweep.splu(a).L.toarray())
                lu.refactor(3 * a)
                self.assertGreater(lu.report()["factor"]["seconds"], 0)
                np.testing.assert_allclose(3 * lu.solve(b), x, rtol=1e-12)
                self.assertTrue(lu.has_pattern_of(a))

    def test_compressed_ones_are_saved_whole(self):
        a = random_matrix()
        lu = trisweep.splu(a, compress=1e-4)
        lu.save(self.folder)
        b = random_vectors(60)
        np.testing.assert_allclose(trisweep.load(self.folder, compress=1e-4).solve(b), lu.solve(b), rtol=1e-12)

    def test_the_command_reads_them(self):
        a = random_matrix(dtype="complex128")
        b = random_vectors((60, 1), "complex128")
        lu = trisweep.splu(a, precision="mixed")
        lu.save(self.folder)
        io.mmwrite(self.place / "b.mtx", b)
        self.command("solve", "--factors", "a.factors", "--rhs", "b.mtx", "-o", "x.mtx", "--json", "run.json")
        np.testing.assert_allclose(io.mmread(self.place / "x.mtx"), lu.solve(b), rtol=1e-12)
        run = json.loads((self.place / "run.json").read_text())
        self.assertEqual((run["solve"]["precision"], run["factor"]["seconds"]), ("mixed", 0))

    def test_the_commands_are_read(self):
        a = random_matrix()
        b = random_vectors(60)
        io.mmwrite(self.place / "a.mtx", a)
        for precision, dtype in (("double", "float64"), ("mixed", "float64"), ("float", "float32")):
            self.command("factor", "a.mtx", "--precision", precision, "--diagonal", "separators", "-o", "a.factors")
            lu = trisweep.load(self.folder)
            self.assertEqual(lu.dtype, dtype)
            x = lu.solve(b.astype(dtype))
            np.testing.assert_allclose(a @ x, b, rtol=0, atol=100 * np.finfo(dtype).eps)

    def command(self, *arguments):
        result = subprocess.run([BINARY, *arguments], cwd=self.place, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result)


class Refusals(Folders):
    def test_of_places(self):
        lu = trisweep.splu(random_matrix())
        for name in ("none/a.factors", "file", "folder"):
            with self.subTest(name):
                (self.place / "file").write_text("mine")
                (self.place / "folder").mkdir(exist_ok=True)
                (self.place / "folder/file").write_text("mine")
                before = sorted(self.place.rglob("*"))
                with self.assertRaisesRegex(OSError, name):
                    lu.save(self.place / name)
                self.assertEqual(sorted(self.place.rglob("*")), before)
        lu.save(str(self.folder))
        lu.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            lu.save(self.folder)
        self.assertEqual(trisweep.load(self.folder).shape, (60, 60))

    def test_of_what_is_no_folder_of_factors(self):
        with self.assertRaisesRegex(FileNotFoundError, r"a\.factors"):
            trisweep.load(self.folder)
        (self.place / "file").write_text("mine")
        for path in (self.place / "file", self.place):
            with self.assertRaisesRegex(ValueError, r"index\.h5"):
                trisweep.load(path)

    def test_of_damaged_files(self):
        lu = trisweep.splu(random_matrix())
        for name in ("index.h5", "panels-0.h5", "rows-0.h5"):
            lu.save(self.folder)
            file = self.folder / name
            whole = file.read_bytes()
            file.write_bytes(whole[: len(whole) // 2])
            with self.assertRaisesRegex(ValueError, name):
                trisweep.load(self.folder)

    def test_of_options(self):
        trisweep.splu(random_matrix()).save(self.folder)
        for option in ("precision", "ordering"):  # are the folder's
            with self.assertRaisesRegex(TypeError, option):
                trisweep.load(self.folder, **{option: "double"})
        with self.assertRaisesRegex(ValueError, "threads"):
            trisweep.load(self.folder, threads=-1)
        with self.assertRaisesRegex(ValueError, "rows"):
            trisweep.load(self.folder, rows=np.arange(60))


class Pickled(Folders):
    def test_solvers_answer_as_before(self):
        for dtype in DTYPES:
            a = random_matrix(dtype=dtype)
            for copied in (lambda lu: pickle.loads(pickle.dumps(lu)), copy.deepcopy):
                lu = trisweep.splu(a, threads=2, refine="best", ordering="natural", deterministic=True)
                again = copied(lu)
                self.assertEqual(again.report()["factor"]["seconds"], 0)
                self.assert_same(lu, again)
                again.refactor(2 * a)
                lu.refactor(2 * a)
                self.assert_same(lu, again)

    def test_of_precision_mixed(self):
        lu = trisweep.splu(random_matrix(), precision="mixed")
        again = pickle.loads(pickle.dumps(lu))
        self.assert_same(lu, again)
        self.assertEqual(again.report()["factor"]["bytes"], lu.report()["factor"]["bytes"])

    def test_copies_are_independent(self):
        a = random_matrix()
        lu = trisweep.splu(a)
        again = copy.deepcopy(lu)
        b = random_vectors(60)
        x = lu.solve(b)
        lu.close()
        np.testing.assert_array_equal(again.solve(b), x)

    def test_solve_in_other_processes(self):
        a = random_matrix()
        lu = trisweep.splu(a)
        b = random_vectors((60, 4))
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            answers = pool.map(solved, [(lu, column) for column in b.T])
        for column, x in zip(b.T, answers, strict=True):
            np.testing.assert_array_equal(x, lu.solve(column))

    def test_what_is_not_pickled(self):
        lu = trisweep.splu(random_matrix())
        lu.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            pickle.dumps(lu)


if __name__ == "__main__":
    unittest.main()
