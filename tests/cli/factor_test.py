"""trisweep factor, and trisweep solve --factors on other grids and numbers of ranks."""
import math
import os
import signal
import subprocess
import unittest

from command import BINARY, GOOD, CommandTest, matrices_folder


class Factor(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = str(matrices_folder() / "orsirr_1.mtx.gz")

    def factor(self, *arguments, matrix=None, ranks=0):
        return self.succeed("factor", matrix or self.matrix, "-o", "A.factors", *arguments, ranks=ranks)

    def refuse(self, part, *arguments, ranks=0):
        result = self.run_here(*arguments, ranks=ranks)
        self.assertEqual(result.status, 2, result)
        self.assertIn(part, result.err, result)

    def test_factors_solve_on_any_grid(self):
        self.factor("--json", "factor.json")
        made = self.record("factor.json")
        for ranks, *arguments in ((0,), (4, "--grid", "2x2x1"), (4, "--grid", "1x1x4"), (3, "--mapping", "proportional"),
                                  (2, "--op", "T", "--nrhs", 3)):
            with self.subTest(ranks=ranks, arguments=arguments):
                self.succeed("solve", "--factors", "A.factors", "--json", "run.json", *arguments, ranks=ranks)
                run = self.record("run.json")
                self.assertLess(run["solve"]["componentwise_backward_error"], GOOD)
                self.assertEqual(run["factor"]["nonzeros_l"], made["factor"]["nonzeros_l"])
                self.assertEqual(run["factor"]["seconds"], 0)

    def test_all_ranks_factor_and_write(self):
        self.succeed("gallery", "poisson3d", "--n", 12, "-o", "a.mtx")
        logs = []
        for ranks in (1, 3):
            self.factor("--kind", "ldlt", "--json", "factor.json", matrix="a.mtx", ranks=ranks)
            logs.append(self.record("factor.json")["factor"]["log_determinant"])
            self.assertEqual(len(list(self.path("A.factors").glob("panels-*.h5"))), ranks)
            for others in (1, 2):
                self.succeed("solve", "--factors", "A.factors", "--json", "run.json", ranks=others)
                run = self.record("run.json")
                self.assertLess(run["solve"]["componentwise_backward_error"], GOOD)
                logs.append(run["factor"]["log_determinant"])
        for log in logs:
            self.assertAlmostEqual(log / logs[0], 1, delta=1e-12)

    def test_all_ranks_order_and_factor(self):
        self.succeed("gallery", "convection3d", "--n", 12, "-o", "a.mtx")
        self.factor("--ordering", "ptscotch", matrix="a.mtx", ranks=4)
        for command in (("--factors", "A.factors"), ("a.mtx", "--ordering", "ptscotch")):
            self.succeed("solve", *command, "--op", "T", "--json", "run.json", ranks=3)
            self.assertLess(self.record("run.json")["solve"]["componentwise_backward_error"], GOOD)

    def test_a_damaged_index_ends_all_ranks(self):
        self.factor()
        index = self.path("A.factors") / "index.h5"
        whole = index.read_bytes()
        # `info` reads it on rank 0 alone, whose error must not leave the other rank waiting.
        for at in range(1, 6):
            damaged = bytearray(whole)
            begin = len(whole) * at // 6
            damaged[begin:begin + 64] = bytes(255 - byte for byte in damaged[begin:begin + 64])
            index.write_bytes(damaged)
            for command in ("info", "solve"):
                result = self.run_here(command, "--factors", "A.factors", ranks=2, timeout=60)
                if result.status:
                    self.assertEqual(result.status, 2, result)
                    self.assertEqual(len(result.messages()), 1, result)

    def test_entries_may_be_near_the_largest_number(self):
        self.write("large.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n"
                   "1 1 4e307\n2 1 -1e307\n2 2 4e307\n3 2 -1e307\n3 3 4e307\n")
        for ranks in (1, 2):
            self.factor("--json", "factor.json", matrix="large.mtx", ranks=ranks)
            made = self.record("factor.json")["factor"]["log_determinant"]
            self.assertAlmostEqual(made, math.log(56) + 3 * 307 * math.log(10), delta=1e-9)
            self.succeed("solve", "--factors", "A.factors", "--json", "run.json", ranks=ranks)
            run = self.record("run.json")
            self.assertEqual((run["solve"]["refinement_steps"], run["factor"]["second_try"]), (0, False))
            self.assertAlmostEqual(run["factor"]["log_determinant"], made, delta=1e-9)

    def test_they_keep_their_precision_and_kind(self):
        self.succeed("gallery", "maxwell3d", "--n", 3, "--complex", "-o", "complex.mtx")
        self.succeed("gallery", "poisson3d", "--n", 6, "-o", "definite.mtx")
        for matrix, precision, kind in (("complex.mtx", "mixed", "ldlt"), ("definite.mtx", "float", "cholesky"),
                                        ("definite.mtx", "double", "cholesky")):
            with self.subTest(matrix=matrix, precision=precision):
                self.factor("--precision", precision, "--diagonal", "separators", matrix=matrix)
                self.succeed("solve", "--factors", "A.factors", "--json", "run.json", ranks=2)
                run = self.record("run.json")
                self.assertEqual((run["solve"]["precision"], run["factor"]["kind"], run["plan"]["diagonal"]),
                                 (precision, kind, "separators"))

    def test_info_says_what_they_are(self):
        made = self.factor("--json", "factor.json", "--precision", "mixed", "--diagonal", "separators")
        out = self.succeed("info", "--factors", "A.factors").out
        factor = self.record("factor.json")["factor"]
        self.assertIn(f"{factor['nonzeros_l']} of L, {factor['nonzeros_u']} of U", out, made)
        self.assertRegex(out, f"supernodes +{factor['supernodes']},")
        self.assertRegex(out, "in single precision\n")
        self.assertRegex(out, "inverted +separators")
        self.refuse("none/index.h5", "info", "--factors", "none")
        self.refuse("--ranks", "info", self.matrix, "--ranks", 4, "--factorization", "own")

    def test_the_matrix_beside_them_is_theirs(self):
        self.factor()
        for ranks in (0, 3):
            self.succeed("solve", self.matrix, "--factors", "A.factors", ranks=ranks)
        self.succeed("gallery", "poisson3d", "--n", 5, "-o", "other.mtx")
        for ranks in (0, 3):
            self.refuse("A.factors has the factors of another matrix than other.mtx",
                        "solve", "other.mtx", "--factors", "A.factors", ranks=ranks)

    def test_what_they_decide_is_refused(self):
        self.factor()
        for option in (("--precision", "mixed"), ("--ordering", "metis"), ("--diagonal", "supernodes"),
                       ("--method", "bicgstab")):
            self.refuse("--factors", "solve", "--factors", "A.factors", *option)

    def test_wrong_folders(self):
        self.refuse("none/index.h5", "solve", "--factors", "none")
        self.write("file", "text")
        self.refuse("file", "solve", "--factors", "file")
        self.refuse("file", "factor", self.matrix, "-o", "file")
        self.refuse("matrix or --factors", "solve")

    def test_folders_of_anything_else_are_kept(self):
        self.factor()
        self.factor("--kind", "lu")  # in place of the older ones
        for command in (("factor", self.matrix, "-o"), ("bem", "--object", "sphere", "--n", 300, "--save")):
            with self.subTest(command[0]):
                self.succeed("bem", "--object", "sphere", "--n", 300, "--save", "matrix")
                self.factor()
                self.write("A.factors/letter.txt", "of somebody")
                self.write("matrix/letter.txt", "of somebody")
                self.path("mine").mkdir(exist_ok=True)
                self.write("mine/index.h5", "of somebody")
                for folder in ("A.factors", "matrix", "mine"):
                    before = {path: path.read_bytes() for path in self.path(folder).iterdir()}
                    self.refuse("which would be lost", *command, folder)
                    self.assertEqual({path: path.read_bytes() for path in self.path(folder).iterdir()}, before)
                self.path("A.factors/letter.txt").unlink()
                self.path("matrix/letter.txt").unlink()
        self.refuse("which would be lost", "factor", self.matrix, "-o", "matrix")
        self.refuse("which would be lost", "bem", "--object", "sphere", "--n", 300, "--save", "A.factors")
        for output in ("A.factors/index.h5", "A.factors/new.json", "./A.factors/../A.factors/new.json"):
            self.refuse("is in the folder of --factors", "solve", "--factors", "A.factors", "-o", output)
        self.refuse("is in the folder of --load", "bem", "--object", "sphere", "--n", 300, "--load", "matrix", "--json",
                    "matrix/run.json")
        self.succeed("solve", "--factors", "A.factors")

    def test_a_missing_file_is_named(self):
        for file, says in (("panels-0.h5", "it is missing"), ("rows-1.h5", "No such file")):
            self.factor(ranks=2)
            self.path(f"A.factors/{file}").unlink()
            for command in ("info", "solve"):
                for ranks in (0, 3):
                    self.refuse(f"A.factors/{file}: {says}", command, "--factors", "A.factors", ranks=ranks)

    def test_what_a_killed_run_leaves_is_removed_by_the_next(self):
        """It is killed when its folder is there, which is before it reads the matrix, from a pipe."""
        os.mkfifo(self.path("a.mtx"))
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            process = subprocess.Popen([BINARY, "factor", "a.mtx", "-o", "A.factors", "--json", "factor.json"],
                                       cwd=self.folder)
            with self.path("a.mtx").open("w"):  # which waits until the command opens it, too
                process.send_signal(signal_number)
                process.wait(timeout=60)
            left = [name for name in self.files() if name.endswith(".part")]
            self.assertEqual(len(left), 2, left)
            self.factor("--json", "factor.json")
            self.assertEqual([name for name in self.files() if name.endswith(".part")], [])

    def test_any_number_of_ranks_will_solve(self):
        self.succeed("gallery", "poisson3d", "--n", 5, "-o", "a.mtx")
        self.factor("--ranks", 2**20, matrix="a.mtx")
        self.succeed("predict", "a.mtx", "--machine", "generic", "--ranks", 300000, "--mapping", "proportional",
                     "--no-floors")

    def test_a_structurally_singular_matrix_leaves_no_folder(self):
        self.write("singular.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 1\n")
        result = self.run_here("factor", "singular.mtx", "-o", "A.factors")
        self.assertEqual(result.status, 1, result)
        self.assertFalse(self.path("A.factors").exists())


if __name__ == "__main__":
    unittest.main()
