"""trisweep solve --factorization superlu-dist."""
import unittest

from command import GOOD, CommandTest, matrices_folder, run

ENGINE = ("--factorization", "superlu-dist")
WITHOUT = "this build of trisweep has no SuperLU_DIST"


class SuperluDist(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = str(matrices_folder() / "orsirr_1.mtx.gz")
        tried = run("solve", self.matrix, *ENGINE)
        if WITHOUT in tried.err:
            self.assertEqual(tried.status, 2)
            self.assertIn("install libsuperlu-dist-dev", tried.err)
            self.skipTest(WITHOUT)

    def test_all_ranks_factor_for_any_grid(self):
        for ranks, *arguments in ((0,), (4, "--grid", "2x2x1"), (4, "--grid", "1x1x4"), (3, "--mapping", "proportional"),
                                  (6, "--op", "T", "--nrhs", 3), (4, "--compress", "1e-6"), (2, "--method", "gmres")):
            with self.subTest(ranks=ranks, arguments=arguments):
                self.succeed("solve", self.matrix, *ENGINE, "--json", "run.json", *arguments, ranks=ranks)
                run_record = self.record("run.json")
                self.assertEqual(run_record["factor"]["factorization"], "superlu-dist")
                if "gmres" not in arguments:
                    self.assertLess(run_record["solve"]["componentwise_backward_error"], GOOD)

    def test_what_it_decides_is_refused(self):
        for option in (("--precision", "mixed"), ("--precision", "float"), ("--kind", "ldlt"), ("--diagonal", "separators"), ("--factors", "A.factors"),
                       ("--method", "gmres", "--preconditioner", "ilu0")):
            result = self.run_here("solve", self.matrix, *ENGINE, *option)
            self.assertEqual(result.status, 2, result)
            self.assertRegex(result.err, "--factorization|no factors in single precision")

    def test_info_says_what_came_in(self):
        for ranks in (1, 4):
            out = self.succeed("info", self.matrix, *ENGINE, ranks=ranks).out
            self.assertRegex(out, f"made by +superlu-dist on {ranks} rank")
            self.assertRegex(out, r"distribution +\S+ on \dx\dx\d: .* MB on the fullest rank")

    def test_wrong_matrices_end_in_one_error_of_all_ranks(self):
        self.write("rectangular.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 1\n")
        self.write("singular.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 2 1\n")
        for matrix, part, status in (("rectangular.mtx", "not square", 2), ("singular.mtx", "singular", 1)):
            for ranks in (1, 4):
                with self.subTest(matrix=matrix, ranks=ranks):
                    result = self.run_here("solve", matrix, *ENGINE, ranks=ranks)
                    self.assertEqual(len(result.messages()), 1, result)
                    self.assertIn(part, result.messages()[0])
                    self.assertEqual(result.status, status, result)


if __name__ == "__main__":
    unittest.main()
