"""Bad input and failures of every kind, on one rank and on four: one clear message with a remedy, the exit status
of CONTRIBUTING.md (1 numerical, 2 wrong use or bad input), no hang, and nothing written."""
import random
import shlex
import unittest

from command import BINARY, MPIRUN, CommandTest, dense_text, grid_laplacian, matrix_text

BANNER = "%%MatrixMarket matrix coordinate real general\n"
GOOD = BANNER + "2 2 4\n1 1 4\n1 2 1\n2 1 1\n2 2 3\n"
ARRAY = "%%MatrixMarket matrix array real general\n"

# What the file holds, and a word of the message.
UNREADABLE = {
    "empty": ("", "a.mtx"),
    "garbage": ("hello world\n", "a.mtx:1"),
    "binary garbage": (bytes(range(256)) * 20, "a.mtx"),
    "a banner alone": (BANNER, "a.mtx"),
    "truncated": (GOOD[:-8], "a.mtx"),
    "a line cut short": (BANNER + "2 2 4\n1 1 4\n1 2\n", "a.mtx:4"),
    "too many entries": (GOOD + "1 1 4\n", "a.mtx:7"),
    "not a number": (BANNER + "1 1 1\n1 1 NaN\n", "a.mtx:3"),
    "infinite": (BANNER + "1 1 1\n1 1 inf\n", "a.mtx:3"),
    "a word for a number": (BANNER + "1 1 1\n1 1 four\n", "a.mtx:3"),
    "row out of range": (BANNER + "2 2 1\n3 1 1.0\n", "a.mtx:3"),
    "column out of range": (BANNER + "2 2 1\n1 3 1.0\n", "a.mtx:3"),
    "row 0": (BANNER + "2 2 1\n0 1 1.0\n", "a.mtx:3"),
    "negative column": (BANNER + "2 2 1\n1 -1 1.0\n", "a.mtx:3"),
    "duplicate": (BANNER + "2 2 3\n1 1 1\n2 2 1\n1 1 2\n", "a.mtx:5"),
    "negative counts": (BANNER + "-2 2 1\n1 1 1\n", "a.mtx:2"),
    "absurd counts": (BANNER + "1000000 1000000 999999999999999\n1 1 1\n", "a.mtx"),
    "more entries than places": (BANNER + "2 2 5\n1 1 1\n", "a.mtx"),
    "empty matrix": (BANNER + "0 0 0\n", "a.mtx:2"),
    "not square": (BANNER + "2 3 2\n1 1 1\n2 2 1\n", "not square"),
    "truncated gzip": (b"\x1f\x8b\x08\x00\x00\x00", "a.mtx"),
    "entry above the diagonal of a symmetric matrix": (
        "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 1\n1 2 1\n2 2 1\n", "a.mtx:4"),
}


def duplicated_rows():
    """A random matrix of 60 rows, of which two are the same."""
    values = random.Random(1)
    entries = {(i, j): values.uniform(-1, 1) for i in range(60) for j in range(60)}
    for j in range(60):
        entries[40, j] = entries[7, j]
    return matrix_text(60, entries)


def dependent_columns():
    """A column that is the sum of two others, up to rounding."""
    values = random.Random(2)
    entries = {(i, j): values.uniform(-1, 1) for i in range(50) for j in range(50)}
    for i in range(50):
        entries[i, 3] = entries[i, 20] * 0.3 + entries[i, 44] * 0.7
    return matrix_text(50, entries)


STRUCTURALLY_SINGULAR = {
    "an empty column": BANNER + "2 2 2\n1 1 1\n2 1 1\n",
    "an empty row": BANNER + "3 3 2\n1 1 1\n2 2 1\n",
    "a zero": BANNER + "1 1 1\n1 1 0\n",
    "a row of stored zeros": BANNER + "2 2 3\n1 1 1\n2 1 0\n2 2 0\n",
    "two rows in one column": BANNER + "3 3 4\n1 1 1\n2 1 1\n3 2 1\n3 3 1\n",
}

NUMERICALLY_SINGULAR = {
    "a multiple of a row": BANNER + "2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n",
    "ones": matrix_text(12, {(i, j): 1.0 for i in range(12) for j in range(12)}),
    "duplicated rows": duplicated_rows(),
    "dependent columns": dependent_columns(),
    "a graph Laplacian": matrix_text(225, grid_laplacian(15)),
}

BAD_CALLS = {
    "no command": ([], "no command"),
    "unknown command": (["frobnicate"], "frobnicate"),
    "no matrix": (["solve"], "matrix"),
    "missing file": (["solve", "nowhere.mtx"], "nowhere.mtx"),
    "a folder": (["solve", "."], "folder"),
    "unknown option": (["solve", "good.mtx", "--frobnicate"], "--frobnicate"),
    "option without its value": (["solve", "good.mtx", "--json"], "--json"),
    "two matrices": (["solve", "good.mtx", "other.mtx"], "other.mtx"),
    "grid of letters": (["solve", "good.mtx", "--grid", "axbxc"], "PXxPYxPZ"),
    "grid of four numbers": (["solve", "good.mtx", "--grid", "2x2x2x2"], "PXxPYxPZ"),
    "grid with a zero": (["solve", "good.mtx", "--grid", "0x1x1"], "0x1x1"),
    "grid with a negative number": (["solve", "good.mtx", "--grid", "1x-1x1"], "1x-1x1"),
    "layers not a power of two": (["solve", "good.mtx", "--grid", "1x1x3"], "power of two"),
    "grid too large": (["solve", "good.mtx", "--grid", "5x5x1"], "mpirun -n 25"),
    "grid for one rank": (["solve", "good.mtx", "--grid", "2x1x1"], "needs 2 ranks, but there is 1"),
    "grid of other ranks than are given": (["tune", "good.mtx", "--machine", "generic", "--ranks", "7", "--grid",
                                            "2x2x1"], "give --ranks 4, or another --grid"),
    "no diagonal": (["solve", "zeros.mtx", "--method", "gmres", "--preconditioner", "ilut"],
                    "incomplete factorizations need a diagonal entry"),
    "grid beyond any machine": (["solve", "good.mtx", "--grid", "99999x99999x1024"], "99999x99999x1024"),
    "unknown tree": (["solve", "good.mtx", "--tree", "oak"], "oak"),
    "unknown schedule": (["solve", "good.mtx", "--schedule", "later"], "later"),
    "unknown precision": (["solve", "good.mtx", "--precision", "half"], "half"),
    "a device that this build has no kernels for": (["solve", "good.mtx", "--device", "hip"], "scripts/build --hip"),
    "a transport past a device": (["solve", "good.mtx", "--device", "emulated", "--transport", "two-sided"],
                                  "--transport cannot be combined with --device emulated"),
    "a device of another machine": (["predict", "good.mtx", "--device", "emulated"], "emulated"),
    "unknown op": (["solve", "good.mtx", "--op", "X"], "X"),
    "no right-hand sides": (["solve", "good.mtx", "--nrhs", "0"], "--nrhs"),
    "two sources of right-hand sides": (["solve", "good.mtx", "--nrhs", "2", "--rhs", "short.mtx"], "--nrhs"),
    "refine a word": (["solve", "good.mtx", "--refine", "often"], "often"),
    "no threads": (["solve", "good.mtx", "--threads", "0"], "--threads"),
    "patience that is no number": (["solve", "good.mtx", "--watchdog", "nan"], "takes a number above zero, not 'nan'"),
    "a goal without end": (["solve", "good.mtx", "--method", "bicgstab", "--tolerance", "inf"], "not 'inf'"),
    "a goal that is met from the start": (["solve", "good.mtx", "--method", "bicgstab", "--tolerance", "1"], "below one"),
    "noise that is no number": (["predict", "good.mtx", "--noise", "nan"], "takes a number from 0 to 3, not 'nan'"),
    "an error that is no number": (["bem", "--object", "sphere", "--eps", "nan"], "from 0 to 0.5, not 'nan'"),
    "right-hand side missing": (["solve", "good.mtx", "--rhs", "nowhere.mtx"], "nowhere.mtx"),
    "right-hand side too long": (["solve", "good.mtx", "--rhs", "long.mtx"], "long.mtx"),
    "right-hand side too short": (["solve", "good.mtx", "--rhs", "short.mtx"], "short.mtx"),
    "right-hand side not a number": (["solve", "good.mtx", "--rhs", "nan.mtx"], "nan.mtx"),
    "more right-hand sides than memory": (["solve", "good.mtx", "--rhs", "many.mtx"], "many.mtx:5: the file ends after"),
    "second right-hand side cut short": (["solve", "good.mtx", "--rhs", "cut.mtx"], "cut.mtx:5: the file ends after"),
    "record in a missing folder": (["solve", "good.mtx", "--json", "no/such/run.json"], "no/such/run.json"),
    "solution in a missing folder": (["solve", "good.mtx", "-o", "no/such/x.mtx"], "no/such/x.mtx"),
    "solution over a folder": (["solve", "good.mtx", "-o", "."], "folder"),
    "record below a file": (["solve", "good.mtx", "--json", "good.mtx/run.json"], "good.mtx/run.json"),
    "record where nobody may write": (["solve", "good.mtx", "--json", "/proc/run.json"], "/proc/run.json"),
    "both outputs to one file": (["solve", "good.mtx", "-o", "out", "--json", "./out"], "--json"),
    "unknown kind": (["gallery", "frobnicate", "--n", "3"], "poisson3d"),
    "no size": (["gallery", "poisson3d"], "--n"),
    "size out of range": (["gallery", "poisson3d", "--n", "-3"], "-3"),
    "size beyond a number": (["gallery", "poisson3d", "--n", "2147483648"], "2147483648 not in range 1 to 2147483647"),
    "size beyond an index": (["gallery", "poisson3d", "--n", "1000000"], "1000000"),
    "no complex variant": (["gallery", "poisson3d", "--n", "3", "--complex"], "complex"),
    "gallery into a missing folder": (["gallery", "poisson3d", "--n", "3", "-o", "no/such/a.mtx"], "no/such"),
    "info on nothing": (["info", "nowhere.mtx"], "nowhere.mtx"),
}

# A start of ranks takes half a second: of the above, one of each way to all ranks. What rank 0 alone sees (a file, a place
# to write to), what each sees (words), and what depends on their number.
SEVERAL = {
    "empty", "binary garbage", "truncated", "absurd counts", "not square", "truncated gzip",
    "unknown option", "missing file", "grid too large", "grid of letters", "unknown op", "right-hand side missing",
    "right-hand side too long", "second right-hand side cut short", "solution in a missing folder",
    "record where nobody may write", "both outputs to one file", "no size", "gallery into a missing folder",
    "info on nothing",
}


class Refusals(CommandTest):
    def expect_refusal(self, result, word, status, left):
        self.assertEqual(result.status, status, result)
        self.assertEqual(len(result.messages()), 1, result)
        self.assertIn(word, result.messages()[0], result)
        self.assertIn("\n  remedy: ", result.messages()[0], result)
        self.assertEqual(result.err.count("trisweep: "), 1, result)
        self.assertEqual(self.files(), sorted(left), "files left behind")

    def refuse(self, *arguments, word, status, left, several=4, **options):
        """Alone, and on several ranks if there are to be."""
        for ranks in (0, several) if several else (0,):
            with self.subTest(ranks=ranks):
                self.expect_refusal(self.run_here(*arguments, ranks=ranks, **options), word, status, left)

    def refuse_matrix(self, text, word, status, left=(), several=4):
        self.write("a.mtx", text)
        self.refuse("solve", "a.mtx", "-o", "x.mtx", "--json", "run.json", word=word, status=status,
                    left={"a.mtx", *left}, several=several)

    def test_unreadable_matrices(self):
        self.assertLessEqual(SEVERAL, UNREADABLE.keys() | BAD_CALLS.keys())
        for name, (text, word) in UNREADABLE.items():
            with self.subTest(name):
                self.refuse_matrix(text, word, 2, several=2 if name in SEVERAL else 0)

    def test_structurally_singular(self):
        for name, text in STRUCTURALLY_SINGULAR.items():
            with self.subTest(name):
                self.refuse_matrix(text, "structurally singular", 1)

    def test_numerically_singular(self):
        """The record says so; a solution appears where there is one: A times something is a right-hand side that has."""
        for name, text in NUMERICALLY_SINGULAR.items():
            with self.subTest(name):
                self.refuse_matrix(text, "one of many that satisfy the equations", 1, left={"run.json", "x.mtx"})
                record = self.record("run.json")
                self.assertIs(record["factor"]["numerically_singular"], True)
                self.assertLessEqual(record["solve"]["arioli_demmel_duff_backward_error"], 1e-13)
                self.path("run.json").unlink()
                self.path("x.mtx").unlink()

    def test_equations_that_contradict_each_other(self):
        self.write("a.mtx", NUMERICALLY_SINGULAR["a multiple of a row"])
        self.write("b.mtx", dense_text([[1.0, 0.0]]))
        self.refuse("solve", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", word="the solution does not satisfy its equations", status=1,
                    left={"a.mtx", "b.mtx", "x.mtx"})

    def test_singular_in_single_precision_only(self):
        self.write("a.mtx", matrix_text(225, grid_laplacian(15, shift=1e-9)))
        result = self.run_here("solve", "a.mtx", "--precision", "float")
        self.expect_refusal(result, "--precision double", 1, {"a.mtx"})
        self.succeed("solve", "a.mtx")

    def test_values_that_do_not_fit_single_precision(self):
        for value in (1e200, 1e-200):
            with self.subTest(value=value):
                self.write("a.mtx", matrix_text(2, {(0, 0): 4 * value, (0, 1): value, (1, 1): 3 * value}))
                self.refuse("solve", "a.mtx", "--precision", "float", word="single precision", status=2,
                            left={"a.mtx"})

    def test_a_solution_that_overflows(self):
        self.write("a.mtx", matrix_text(2, {(0, 0): 4e-10, (0, 1): 1.0, (1, 1): 3e-10}))
        self.write("b.mtx", dense_text([[1e308, 1e308]]))
        self.refuse("solve", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", word="range", status=1,
                    left={"a.mtx", "b.mtx", "x.mtx"})

    def test_too_few_refinement_steps(self):
        """Factors in single precision alone do not reach the accuracy of a double precision solve."""
        self.write("a.mtx", matrix_text(225, grid_laplacian(15, shift=0.1)))
        self.refuse("solve", "a.mtx", "--precision", "mixed", "--refine", 0, "-o", "x.mtx", word="backward error",
                    status=1, left={"a.mtx", "x.mtx"})

    def test_bad_calls(self):
        self.write("good.mtx", GOOD)
        self.write("long.mtx", ARRAY + "3 1\n1\n2\n3\n")
        self.write("short.mtx", ARRAY + "1 1\n1\n")
        self.write("nan.mtx", ARRAY + "2 1\n1\nnan\n")
        self.write("many.mtx", ARRAY + "2 2000000000\n1\n2\n3\n")
        self.write("cut.mtx", ARRAY + "2 2\n1\n2\n3\n")
        self.write("zeros.mtx", BANNER + "2 2 2\n1 2 1\n2 1 1\n")
        before = self.files()
        for name, (arguments, word) in BAD_CALLS.items():
            with self.subTest(name):
                self.refuse(*arguments, word=word, status=2, left=before, several=2 if name in SEVERAL else 0)

    def test_ranks_with_other_command_lines(self):
        self.write("a.mtx", matrix_text(9, grid_laplacian(3, 1.0)))
        solve = [BINARY, "solve", "a.mtx", "--quiet"]
        for other, says in (([*solve, "--nosuch"], "rank 1: .*--nosuch"), ([*solve, "--threads", "0"], "rank 1: --threads"),
                            ([*solve, "--method", "gmres"], "ranks differ in the command line"),
                            ([BINARY, "info", "a.mtx"], "ranks differ in the command line"),
                            ([BINARY, "--help"], "ranks differ in the command line")):
            with self.subTest(other[1:]):
                launcher = [*shlex.split(MPIRUN), "-n", "1", *other, ":", "-n", "1"]
                result = self.run_here(*solve[1:], launcher=launcher, timeout=60)
                self.assertEqual(result.status, 2, result)
                self.assertEqual(len(result.messages()), 1, result)
                self.assertRegex(result.messages()[0], says.replace("rank 1: ", ""))
                launcher = [*shlex.split(MPIRUN), "-n", "1", *solve, ":", "-n", "1"]
                result = self.run_here(*other[1:], launcher=launcher, timeout=60)
                self.assertEqual(result.status, 2, result)
                self.assertRegex("\n".join(result.messages()), says)

    def test_older_outputs_survive_a_failure(self):
        self.write("truncated.mtx", UNREADABLE["truncated"][0])
        self.write("singular.mtx", NUMERICALLY_SINGULAR["a multiple of a row"])
        self.write("b.mtx", dense_text([[1.0, 0.0]]))
        self.write("x.mtx", "precious")
        self.write("run.json", "precious")
        for matrix, survive in (("truncated.mtx", True), ("singular.mtx", False)):  # a numerical failure has outputs
            with self.subTest(matrix):
                self.run_here("solve", matrix, "--rhs", "b.mtx", "-o", "x.mtx", "--json", "run.json", ranks=4)
                for output in ("x.mtx", "run.json"):
                    self.assertEqual(self.path(output).read_text() == "precious", survive)

    def test_full_disk(self):
        """As far as a limit on the size of files is one: it lets the outputs be opened, but not written."""
        self.succeed("gallery", "poisson3d", "--n", 10, "-o", "a.mtx")
        result = self.run_here("solve", "a.mtx", "-o", "x.mtx", "--nrhs", 800, "--json", "run.json",
                               limits="ulimit -f 20000")
        self.expect_refusal(result, "x.mtx", 2, {"a.mtx"})

    def test_too_little_memory(self):
        """Enough to start and to read the matrix, but not for its factors, on rank 0 alone or on all ranks."""
        self.succeed("gallery", "poisson3d", "--n", 40, "-o", "a.mtx")
        self.refuse("solve", "a.mtx", "--json", "run.json", limits="ulimit -v 580000",
                    word="raise the limit on the memory of a process (ulimit -v)", status=2, left={"a.mtx"})

    def test_too_little_memory_to_start(self):
        """Not even for the threads of OpenBLAS, which ask for it for ever: the run ends all the same, if not always with a
        line of ours, for libraries crash."""
        self.succeed("gallery", "poisson3d", "--n", 30, "-o", "a.mtx")
        for limit in range(120000, 300000, 20000):
            with self.subTest(limit=limit):
                result = self.run_here("solve", "a.mtx", "--threads", 1, limits=f"ulimit -c 0 -v {limit}", timeout=60)
                self.assertNotIn("terminate called", result.err)

    def test_barely_enough_memory(self):
        """Whatever the limit, the run ends: with a solution or a refusal. Below what MPI itself needs to start, it
        may crash before our first line."""
        self.succeed("gallery", "poisson3d", "--n", 30, "-o", "a.mtx")
        limits = range(350000, 1150000, 50000)
        starts = next(limit for limit in limits if self.run_here("machines", limits=f"ulimit -v {limit}").status == 0)
        statuses = set()
        for limit in range(starts + 50000, limits.stop, limits.step):
            with self.subTest(limit=limit):
                result = self.run_here("solve", "a.mtx", "--json", "run.json", limits=f"ulimit -v {limit}")
                statuses.add(result.status)
                if result.status != 0:
                    self.expect_refusal(result, "memory", 2, {"a.mtx"})
                else:
                    self.path("run.json").unlink()
        self.assertEqual(statuses, {0, 2})

    def test_too_little_memory_for_the_right_hand_sides(self):
        self.write("a.mtx", matrix_text(400, grid_laplacian(20, shift=1.0)))
        self.refuse("solve", "a.mtx", "--nrhs", 500000, limits="ulimit -v 800000", word="memory", status=2,
                    left={"a.mtx"})


if __name__ == "__main__":
    unittest.main()
