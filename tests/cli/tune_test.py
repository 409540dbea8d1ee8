"""trisweep tune, and --grid auto of solve and predict: what is chosen, that it is what it is said to be, and repeats."""
import re
import unittest

from command import GOOD, CommandTest, grid_laplacian, matrix_text, ranks_of

AXES = ("mapping", "diagonal", "schedule", "inter_grid", "tree", "transport")


def plan_of(record):
    return {field: record[field] for field in ("grid", *AXES)}


def grid_text(grid):
    return "x".join(map(str, grid))


class Tune(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("definite.mtx", matrix_text(900, grid_laplacian(30, shift=0.5)))
        self.succeed("gallery", "convection3d", "--n", 7, "-o", "unsymmetric.mtx")

    def tune(self, matrix, ranks, *arguments, machine="cori-haswell"):
        self.result = self.succeed("tune", matrix, "--machine", machine, "--ranks", ranks, "--json", "tune.json",
                                   *arguments)
        return self.record("tune.json")

    def test_the_choice_is_the_fastest_candidate(self):
        for ranks in (1, 6, 16):
            for matrix in ("definite.mtx", "unsymmetric.mtx"):
                with self.subTest(matrix=matrix, ranks=ranks):
                    record = self.tune(matrix, ranks)
                    tune = record["tune"]
                    seconds = [c["predicted_seconds"] for c in tune["candidates"]]
                    answers = [c["answer_seconds"] for c in tune["candidates"]]
                    self.assertEqual(answers, sorted(answers))
                    self.assertEqual(tune["answer_seconds"], answers[0])
                    self.assertEqual(seconds, sorted(seconds))
                    self.assertEqual(tune["predicted_seconds"], seconds[0])
                    self.assertEqual(plan_of(record["plan"]), plan_of(tune["candidates"][0]))
                    self.assertEqual(ranks_of(grid_text(record["plan"]["grid"])), ranks)
                    self.assertEqual(tune["simulated"], len(seconds))
                    self.assertEqual(len(tune["reasons"]), 3)

    def test_predict_says_the_same_of_the_chosen_plan(self):
        for arguments in (("--nrhs", 8, "--op", "T"), ("--precision", "float")):
            tune = self.tune("unsymmetric.mtx", 12, *arguments)["tune"]
            self.succeed("predict", "unsymmetric.mtx", "--machine", "cori-haswell",
                         *tune["options"].split(), "--json", "predicted.json")
            self.assertEqual(self.record("predicted.json")["solve"]["seconds_min"], tune["predicted_seconds"])
            self.succeed("predict", "unsymmetric.mtx", "--machine", "cori-haswell", *arguments,
                         "--grid", "auto", "--ranks", 12, "--json", "auto.json")
            auto = self.record("auto.json")
            self.assertEqual(auto["plan"]["chosen_by"], "model")
            self.assertEqual(auto["solve"]["seconds_min"], tune["predicted_seconds"])

    def test_tuning_repeats(self):
        def timeless(record):
            for field in ("analysis_seconds", "search_seconds"):
                del record["tune"][field]
            return record
        self.assertEqual(timeless(self.tune("unsymmetric.mtx", 12)), timeless(self.tune("unsymmetric.mtx", 12)))

    def test_axes_that_are_given_are_kept(self):
        for option, field, value in (("--mapping", "mapping", "block-cyclic"), ("--diagonal", "diagonal", "supernodes"),
                                     ("--schedule", "schedule", "level-sync"), ("--inter-grid", "inter_grid", "per-node"),
                                     ("--tree", "tree", "flat"), ("--transport", "transport", "one-sided"),
                                     ("--grid", "grid", "1x4x2")):
            record = self.tune("unsymmetric.mtx", 8, option, value)
            expected = [1, 4, 2] if field == "grid" else value
            for candidate in record["tune"]["candidates"]:
                self.assertEqual(candidate[field], expected)

    def test_the_exhaustive_search_is_no_worse(self):
        record = self.tune("unsymmetric.mtx", 8, "--mapping", "block-cyclic", "--exhaustive")
        every = record["tune"]["every_plan"]
        self.assertGreater(every["plans"], 3 * record["tune"]["simulated"])
        self.assertEqual(record["tune"]["predicted_seconds"], every["predicted_seconds"])
        self.assertGreaterEqual(every["shortfall"], 1)
        self.assertLessEqual(every["shortfall"], 1.1)

    def test_saved_analyses_choose_the_same(self):
        for diagonal in ("supernodes", "separators"):
            self.succeed("predict", "unsymmetric.mtx", "--machine", "cori-haswell", "--ranks", 8, "--mapping", "proportional",
                         "--diagonal", diagonal, "--save-analysis", diagonal)
        tuned = self.tune("unsymmetric.mtx", 8)
        self.succeed("tune", "--analysis", "separators", "--analysis", "supernodes", "--machine", "cori-haswell",
                     "--ranks", 8, "--json", "saved.json")
        saved = self.record("saved.json")
        for field in ("matrix", "factor", "plan", "solve"):
            self.assertEqual(saved[field], tuned[field], field)
        self.assertEqual(saved["tune"]["candidates"], tuned["tune"]["candidates"])
        # One analysis leaves nothing to choose of the diagonal.
        self.succeed("tune", "--analysis", "supernodes", "--machine", "cori-haswell", "--ranks", 8, "--json", "saved.json")
        candidates = self.record("saved.json")["tune"]["candidates"]
        self.assertEqual({c["diagonal"] for c in candidates}, {"supernodes"})

    def test_the_factorization_is_that_of_the_plan(self):
        tune = self.tune("unsymmetric.mtx", 8)["tune"]
        self.succeed("predict", "unsymmetric.mtx", "--machine", "cori-haswell", "--ranks", 8, "--grid", "auto", "--json",
                     "predicted.json")
        self.assertEqual(tune["factorization"], self.record("predicted.json")["model"]["factorization"])

    def test_summary(self):
        record = self.tune("unsymmetric.mtx", 8)
        lines = self.result.out.splitlines()
        self.assertEqual([line.split()[0] for line in lines[:2]], ["matrix", "plan"])
        self.assertEqual([line.strip() for line in lines[2:5]], record["tune"]["reasons"])
        self.assertIn("factor", [line.split(" ")[0] for line in lines])
        self.assertEqual(lines[-1], "trisweep solve unsymmetric.mtx " + record["tune"]["options"])
        self.assertEqual(self.result.err, "")

    def test_the_suggestion_solves_with_the_plan_and_the_transport_of_the_place(self):
        tuned = self.tune("unsymmetric.mtx", 4, "--transport", "two-sided")
        self.succeed("solve", "unsymmetric.mtx", *tuned["tune"]["options"].split(), "--json", "run.json", ranks=4)
        self.assertEqual(plan_of(self.record("run.json")["plan"]), {**plan_of(tuned["plan"]), "transport": "shared"})

    def test_refusals(self):
        good = ("tune", "definite.mtx", "--machine", "cori-knl", "--ranks", 4)
        for arguments, word in ((good[:-2], "--ranks"), ((*good[:2], *good[4:]), "--machine"),
                                ((*good, "--grid", "2x2x2"), "2x2x2"), ((*good, "--grid", "2x"), "2x"),
                                (("tune", *good[2:]), "--analysis"),
                                (("tune", "--analysis", "definite.mtx", *good[2:]), "definite.mtx"),
                                ((*good, "--analysis", "definite.mtx"), "--analysis"),
                                (("tune", "nowhere.mtx", *good[2:]), "nowhere.mtx"),
                                (("tune", "definite.mtx", "--machine", "abacus", "--ranks", 4), "abacus"),
                                ((*good, "--json", "no/such/file"), "no/such/file")):
            with self.subTest(arguments=arguments):
                before = self.files()
                result = self.run_here(*arguments)
                self.assertEqual(result.status, 2, result)
                self.assertIn(word, result.messages()[0])
                self.assertEqual(self.files(), before)


class SolveAuto(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("definite.mtx", matrix_text(400, grid_laplacian(20, shift=0.5)))
        self.succeed("gallery", "convection3d", "--n", 6, "-o", "unsymmetric.mtx")

    def solve_auto(self, matrix, ranks, *arguments):
        self.result = self.succeed("solve", matrix, "--json", "run.json", *arguments, ranks=ranks)
        record = self.record("run.json")
        self.assertLessEqual(record["solve"]["backward_error"], GOOD)
        return record

    def test_it_solves_with_what_tune_chooses(self):
        for ranks in (1, 4, 6):
            for matrix, arguments in (("definite.mtx", ("--grid", "auto")), ("unsymmetric.mtx", ("--op", "T")),
                                      ("unsymmetric.mtx", ("--nrhs", 5, "--precision", "mixed"))):
                with self.subTest(ranks=ranks, matrix=matrix, arguments=arguments):
                    record = self.solve_auto(matrix, ranks, "--machine", "cori-knl", *arguments)
                    self.succeed("tune", matrix, "--machine", "cori-knl", "--ranks", ranks, "--json", "tune.json",
                                 *arguments)
                    tuned = self.record("tune.json")
                    chosen = plan_of(tuned["plan"])
                    # Ranks of one node share memory, which no machine description has a price for.
                    if ranks > 1:
                        chosen["transport"] = "shared"
                    self.assertEqual(plan_of(record["plan"]), chosen)
                    self.assertEqual(record["plan"]["chosen_by"], "model")
                    model = record["model"]
                    self.assertEqual(model["machine"], "cori-knl")
                    self.assertEqual(model["predicted_seconds"], tuned["tune"]["predicted_seconds"])
                    self.assertEqual(model["reasons"], tuned["tune"]["reasons"])
                    for reason in model["reasons"]:
                        self.assertIn(reason, self.result.out)

    def test_a_matrix_that_is_not_definite_gets_a_plan_for_its_other_factors(self):
        # Symmetric with a positive diagonal, so that Cholesky is tried; so small that pivots are pairs of rows, which
        # have another order and structure.
        entries = {(i, j): 1e-3 if i == j else v for (i, j), v in grid_laplacian(20).items()}
        self.write("indefinite.mtx", matrix_text(400, entries))
        found = self.solve_auto("indefinite.mtx", 4, "--machine", "cori-knl")
        self.assertEqual(found["factor"]["kind"], "ldlt")
        self.succeed("tune", "indefinite.mtx", "--machine", "cori-knl", "--ranks", 4, "--json", "tune.json")
        tuned = self.record("tune.json")
        self.assertEqual(tuned["factor"]["kind"], "cholesky")
        self.assertNotEqual(found["model"]["predicted_seconds"], tuned["tune"]["predicted_seconds"])
        for reason in found["model"]["reasons"]:
            self.assertIn(reason, self.result.out)
        # Nothing else is faster for those factors.
        for axes in (("--mapping", "proportional", "--grid", "square"), ("--grid", "1x1x4"), ("--grid", "2x2x1")):
            given = self.solve_auto("indefinite.mtx", 4, "--machine", "cori-knl", *axes)
            self.assertGreaterEqual(given["model"]["predicted_seconds"], 0.98 * found["model"]["predicted_seconds"])

    def test_without_a_machine_it_repeats(self):
        first = self.solve_auto("unsymmetric.mtx", 4)
        self.assertEqual(first["model"]["machine"], "generic")
        again = self.solve_auto("unsymmetric.mtx", 4)
        self.assertEqual(first["plan"], again["plan"])
        self.assertEqual(first["model"]["predicted_seconds"], again["model"]["predicted_seconds"])

    def test_what_is_given_is_kept(self):
        record = self.solve_auto("definite.mtx", 4, "--mapping", "block-cyclic", "--diagonal", "supernodes",
                                 "--tree", "flat", "--transport", "one-sided")
        self.assertEqual([record["plan"][f] for f in ("mapping", "diagonal", "tree", "transport")],
                         ["block-cyclic", "supernodes", "flat", "one-sided"])
        record = self.solve_auto("definite.mtx", 4, "--grid", "1x2x2")
        self.assertEqual((record["plan"]["grid"], record["plan"]["chosen_by"]), ([1, 2, 2], "user"))
        self.assertNotIn("model", record)
        record = self.solve_auto("definite.mtx", 4, "--grid", "square", "--machine", "cori-haswell")
        self.assertEqual((record["plan"]["grid"], record["plan"]["mapping"]), ([2, 2, 1], "block-cyclic"))
        self.assertEqual((record["plan"]["chosen_by"], record["model"]["simulated"]), ("user", 1))
        record = self.solve_auto("definite.mtx", 4, "--method", "gmres")
        self.assertEqual(record["plan"]["chosen_by"], "model")

    def test_a_wrong_machine_ends_all_ranks(self):
        self.write("half.json", '{"name": "half"')
        for machine in ("abacus", "half.json"):
            result = self.run_here("solve", "definite.mtx", "--machine", machine, ranks=4)
            self.assertEqual(result.status, 2, result)
            self.assertEqual(len(result.messages()), 1, result)
            self.assertTrue(re.search(machine, result.messages()[0]))


if __name__ == "__main__":
    unittest.main()
