"""trisweep solve --factorization distributed."""
import unittest

from command import GOOD, CommandTest, matrices_folder, run

ENGINE = ("--factorization", "distributed")


class Distributed(CommandTest):
    def setUp(self):
        super().setUp()
        self.matrix = str(matrices_folder() / "orsirr_1.mtx.gz")
        self.definite = str(matrices_folder() / "662_bus.mtx.gz")

    def test_all_ranks_factor_for_any_grid(self):
        for matrix, kind, ranks, *arguments in (
            (self.matrix, "lu", 0), (self.definite, "cholesky", 4, "--grid", "2x2x1"), (self.matrix, "lu", 4, "--grid", "1x1x4"),
            (self.definite, "ldlt", 3, "--kind", "ldlt", "--mapping", "proportional"), (self.matrix, "lu", 6, "--op", "T", "--nrhs", "3"),
            (self.definite, "lu", 4, "--kind", "lu", "--compress", "1e-6"), (self.matrix, "lu", 2, "--method", "gmres"),
            (self.matrix, "lu", 4, "--precision", "mixed")):
            with self.subTest(ranks=ranks, arguments=arguments):
                self.succeed("solve", matrix, *ENGINE, "--json", "run.json", *arguments, ranks=ranks)
                run_record = self.record("run.json")
                self.assertEqual(run_record["factor"]["factorization"], "distributed")
                self.assertEqual(run_record["factor"]["kind"], kind)
                if "gmres" not in arguments:
                    self.assertLess(run_record["solve"]["componentwise_backward_error"], GOOD)

    def test_what_it_decides_is_refused(self):
        for option in (("--diagonal", "separators"), ("--factors", "A.factors")):
            result = run("solve", self.matrix, *ENGINE, *option)
            self.assertEqual(result.status, 2, result)
            self.assertIn("--factorization", result.err)

    def test_info_says_what_came_in(self):
        out = self.succeed("info", self.definite, *ENGINE, ranks=4).out
        self.assertRegex(out, "made by +distributed on 4 rank")


if __name__ == "__main__":
    unittest.main()
