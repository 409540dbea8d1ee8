"""trisweep predict and machines: records, that their messages are those of the plan, and that they repeat."""
import json
import unittest

from command import CommandTest, grid_laplacian, matrix_text, ranks_of

KINDS = ("broadcast", "reduction", "exchange")
MACHINES = ("cori-haswell", "cori-knl", "perlmutter-cpu", "perlmutter-gpu", "crusher", "dgx-1", "dgx-2", "tsubame3",
            "reedbush-h", "generic")


class Predict(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("definite.mtx", matrix_text(400, grid_laplacian(20, shift=0.5)))
        self.succeed("gallery", "convection3d", "--n", 7, "-o", "unsymmetric.mtx")

    def predict(self, *arguments, machine="cori-haswell"):
        self.succeed("predict", *arguments, "--machine", machine, "--json", "predicted.json")
        return self.record("predicted.json")

    def test_the_record_is_that_of_a_run_and_more(self):
        run = self.solve("unsymmetric.mtx", "--nrhs", 2, "--transport", "two-sided", grid="2x1x2")
        predicted = self.predict("unsymmetric.mtx", "--grid", "2x1x2", "--nrhs", 2)
        self.assertEqual(set(predicted), set(run) | {"model"})
        for part in ("matrix", "factor", "plan", "solve", "machine"):
            self.assertEqual(set(predicted[part]), set(run[part]), part)
        self.assertIs(predicted["predicted"], True)
        self.assertEqual(predicted["matrix"], run["matrix"])
        self.assertEqual(predicted["plan"], run["plan"])
        for field in ("kind", "nonzeros_l", "nonzeros_u", "bytes", "supernodes"):
            self.assertEqual(predicted["factor"][field], run["factor"][field], field)
        for ours, theirs in zip(predicted["ranks"], run["ranks"]):
            self.assertEqual(set(ours), set(theirs))
            self.assertEqual(ours["messages"], theirs["messages"])

    def test_a_task_for_each_supernode_is_for_several_workers(self):
        usual = self.predict("unsymmetric.mtx", "--ranks", 1, machine="perlmutter-gpu")
        published = self.predict("unsymmetric.mtx", "--ranks", 1, "--task-per-supernode",
                                 machine="perlmutter-gpu")
        self.assertGreater(published["solve"]["seconds_min"], usual["solve"]["seconds_min"])
        refused = self.run_here("predict", "unsymmetric.mtx", "--ranks", 1, "--task-per-supernode",
                                "--machine", "cori-haswell")
        self.assertEqual(refused.status, 2, refused)
        self.assertIn("--task-per-supernode cannot be combined with cori-haswell, whose ranks have one worker each", refused.err)

    def test_times_add_up(self):
        for grid in ("1x1x1", "2x3x1", "2x2x4"):
            for machine in ("cori-haswell", "dgx-2"):
                with self.subTest(grid=grid, machine=machine):
                    record = self.predict("unsymmetric.mtx", "--grid", grid, machine=machine)
                    seconds, model = record["solve"]["seconds_min"], record["model"]
                    path = model["critical_path"]
                    self.assertEqual(len(path), model["path"]["segments"])
                    self.assertAlmostEqual(
                        sum(s["seconds"] + s.get("flight_seconds", 0) for s in path) / seconds, 1, 9)
                    parts = model["path"]
                    self.assertAlmostEqual((parts["task_seconds"] + parts["overhead_seconds"]
                                            + parts["flight_seconds"]) / seconds, 1, 9)
                    for rank in record["ranks"]:
                        self.assertAlmostEqual(rank["l_seconds"] + rank["u_seconds"],
                                               rank["floating_point_seconds"] + rank["intra_grid_seconds"], 12)
                        self.assertLessEqual(rank["l_seconds"] + rank["u_seconds"] + rank["inter_grid_seconds"],
                                             seconds * (1 + 1e-9))
                    self.assertLessEqual(model["floor"]["bandwidth_seconds"], seconds)
                    if ranks_of(grid) == 1:
                        self.assertAlmostEqual(model["efficiency"], 1, 9)

    def test_an_answer_is_a_sweep_and_what_judging_it_takes(self):
        for grid, nrhs in (("1x1x1", 1), ("2x3x4", 1), ("2x2x1", 50)):
            with self.subTest(grid=grid, nrhs=nrhs):
                record = self.predict("definite.mtx", "--grid", grid, "--nrhs", nrhs)
                sweep, answers = record["solve"]["seconds_min"], record["model"]["answers"]
                self.assertEqual([(a["corrections"], a["reductions"]) for a in answers], [(0, 3), (1, 5)])
                self.assertEqual(record["model"]["answer_seconds"], answers[0]["seconds"])
                for answer in answers:
                    parts = sum(answer[f"{part}_seconds"]
                                for part in ("sweep", "product", "halo", "reduction", "update"))
                    self.assertAlmostEqual(parts / answer["seconds"], 1, 9)
                    self.assertAlmostEqual(answer["sweep_seconds"], (1 + answer["corrections"]) * sweep, 12)
                    self.assertGreater(answer["product_seconds"], 0)
                    self.assertEqual(answer["halo_seconds"] > 0, ranks_of(grid) > 1)
                    self.assertEqual(answer["reduction_seconds"] > 0, ranks_of(grid) > 1)

    def test_a_saved_analysis_has_the_price_of_products(self):
        made = self.predict("definite.mtx", "--grid", "2x2x2", "--save-analysis", "saved")
        self.succeed("predict", "--analysis", "saved", "--grid", "2x2x2", "--machine", "cori-haswell", "--json",
                     "again.json")
        self.assertEqual(self.record("again.json")["model"]["answers"], made["model"]["answers"])

    def test_noise_is_said_and_repeats(self):
        def seconds(*arguments):
            record = self.predict("unsymmetric.mtx", "--grid", "2x2x2", *arguments)
            return record["solve"]["seconds_min"], record["model"]["noise"], record["model"]["floor"]

        quiet, _, floor = seconds()
        noisy, said, noisy_floor = seconds("--noise", 0.7, "--seed", 3)
        self.assertEqual(said, {"sigma": 0.7, "seed": 3})
        self.assertNotEqual(noisy, quiet)
        self.assertEqual(noisy_floor, floor)
        self.assertEqual(seconds("--noise", 0.7, "--seed", 3)[0], noisy)
        self.assertNotEqual(seconds("--noise", 0.7, "--seed", 4)[0], noisy)

    def test_predictions_repeat(self):
        def timeless(record):
            for field in ("analysis_seconds", "plan_seconds", "simulation_seconds"):
                del record["model"][field]
            del record["factor"]["analysis_seconds"]
            return record
        arguments = ("unsymmetric.mtx", "--grid", "3x2x4", "--schedule", "level-sync")
        self.assertEqual(timeless(self.predict(*arguments)), timeless(self.predict(*arguments)))

    def test_the_factorization_is_predicted_beside_the_solve(self):
        one, four = (self.predict("definite.mtx", "--ranks", ranks) for ranks in (1, 4))
        for record in (one, four):
            self.assertEqual(record["factor"]["seconds"], record["model"]["factorization"]["seconds"])
        alone, shared = one["model"]["factorization"], four["model"]["factorization"]
        self.assertGreater(alone["seconds"], 0)
        self.assertAlmostEqual(alone["flops_max"] / one["factor"]["flops"], 1)
        self.assertEqual(alone["panel_bytes_max"], one["factor"]["bytes"])
        self.assertEqual((alone["messages"], alone["message_bytes"]), (0, 0))
        self.assertGreater(shared["messages"], 0)
        self.assertLess(shared["memory_bytes_max"], alone["memory_bytes_max"])
        words = self.succeed("predict", "definite.mtx", "--machine", "cori-haswell", "--ranks", 4).out
        self.assertRegex(words, r"(?m)^factor +\S+ \S+ predicted: .* in messages \(\d+ of .* of memory on the fullest rank")

    def test_gpus_do_not_factor(self):
        record = self.predict("definite.mtx", "--ranks", 4, machine="perlmutter-gpu")
        self.assertNotIn("factorization", record["model"])
        self.assertEqual(record["factor"]["seconds"], 0)

    def test_a_saved_analysis_predicts_the_same(self):
        for matrix in ("definite.mtx", "unsymmetric.mtx"):
            first = self.predict(matrix, "--ranks", 6, "--save-analysis", "saved")
            again = self.predict("--analysis", "saved", "--ranks", 6)
            self.assertEqual(again["plan"]["grid"], [2, 3, 1])
            for part in ("matrix", "factor", "solve", "ranks"):
                self.assertEqual(first[part], again[part], part)

    def test_what_inverted_separators_cost(self):
        self.succeed("gallery", "s2d9", "--n", 200, "-o", "larger.mtx")
        axes = ("--grid", "2x2x1", "--mapping", "proportional")
        for matrix in ("larger.mtx", "unsymmetric.mtx"):
            plain = self.predict(matrix, *axes, "--save-analysis", "plain")
            whole = self.predict(matrix, *axes, "--diagonal", "separators", "--save-analysis", "whole")
            self.assertNotIn("separators", plain)
            cost = whole["separators"]
            for extra, part, field in (("extra_bytes", "factor", "bytes"), ("extra_flops", "factor", "flops"),
                                       ("extra_panel_bytes", "solve", "panel_bytes"),
                                       ("extra_panel_bytes_max", "solve", "panel_bytes_max")):
                self.assertAlmostEqual(cost[extra], whole[part][field] - plain[part][field], 3, msg=field)
            if matrix == "larger.mtx":  # with separators wider than a supernode
                self.assertGreater(cost["extra_bytes"], 0)
                self.assertGreater(cost["extra_flops"], 0)
            # A run has the same, and stores what is predicted; of two saved analyses it can be told, of one not.
            run = self.solve(matrix, "--mapping", "proportional", "--diagonal", "separators", grid="2x2x1")
            self.assertEqual(run["separators"], cost)
            for field in ("panel_bytes", "panel_bytes_max"):
                self.assertEqual(run["solve"][field], whole["solve"][field], field)
            saved = (*axes, "--diagonal", "separators", "--analysis", "whole")
            self.assertNotIn("separators", self.predict(*saved))
            self.assertEqual(self.predict(*saved, "--analysis", "plain")["separators"], cost)

    def test_saved_analyses_that_do_not_belong_together(self):
        self.predict("definite.mtx", "--ranks", 4, "--save-analysis", "first")
        self.predict("unsymmetric.mtx", "--ranks", 4, "--diagonal", "separators", "--save-analysis", "second")
        for other in ("first", "second"):
            self.refuse("predict", "--analysis", "first", "--analysis", other, "--ranks", 4,
                        "--machine", "cori-haswell", word=f"first and {other} are not analyses of one matrix")

    def test_a_saved_analysis_for_too_few_ranks(self):
        self.succeed("gallery", "s2d9", "--n", 128, "-o", "large.mtx")
        self.predict("large.mtx", "--ranks", 64, "--save-analysis", "saved")
        self.predict("--analysis", "saved", "--ranks", 5)
        self.predict("--analysis", "saved", "--ranks", 256)
        self.refuse("predict", "--analysis", "saved", "--ranks", 256, "--machine", "cori-haswell",
                    "--mapping", "proportional",
                    word="save an analysis with --mapping proportional and --ranks 256 or more")

    def test_floors_can_be_left_out(self):
        with_floors = self.predict("definite.mtx", "--ranks", 6)
        without = self.predict("definite.mtx", "--ranks", 6, "--no-floors")
        self.assertEqual(set(with_floors["model"]["floor"]),
                         {"bandwidth_seconds", "no_communication_seconds", "no_computation_seconds"})
        self.assertEqual(set(without["model"]["floor"]), {"bandwidth_seconds"})
        self.assertEqual(without["solve"], with_floors["solve"])
        self.assertEqual(without["model"]["critical_path"], with_floors["model"]["critical_path"])

    def test_the_units_of_a_gpu_share_the_work_of_a_rank(self):
        self.succeed("gallery", "s2d9", "--n", 128, "-o", "large.mtx")
        gpu = self.predict("large.mtx", "--ranks", 1, machine="perlmutter-gpu")["solve"]["seconds_min"]
        machine = json.loads(self.path("predicted.json").read_text())["model"]["machine"] | {"workers": 1}
        self.write("one-unit.json", json.dumps(machine))
        alone = self.predict("large.mtx", "--ranks", 1, machine="one-unit.json")["solve"]["seconds_min"]
        self.assertGreater(alone, 4 * gpu)

    def test_axes_matter(self):
        seconds = {}
        for transport in ("two-sided", "one-sided"):
            record = self.predict("definite.mtx", "--grid", "4x4x1", "--transport", transport, machine="cori-knl")
            self.assertEqual(record["plan"]["transport"], transport)
            seconds[transport] = record["solve"]["seconds_min"]
        self.assertLess(seconds["one-sided"], seconds["two-sided"])

    def test_grids_far_larger_than_the_machine(self):
        record = self.predict("definite.mtx", "--ranks", 2048)
        self.assertEqual(record["plan"]["grid"], [32, 64, 1])
        self.assertEqual(len(record["ranks"]), 2048)

    def test_summary(self):
        result = self.succeed("predict", "definite.mtx", "--ranks", 4, "--machine", "cori-knl")
        self.assertEqual([line.split()[0] for line in result.out.splitlines()],
                         ["matrix", "plan", "factor", "solve", "answer", "path", "floors", "model"])
        self.assertEqual(result.err, "")

    def test_machines(self):
        text = self.succeed("machines").out
        for name in MACHINES:
            self.assertIn(f"\n{name} (", text)
            self.succeed("machines", name, "--json", "machine.json")
            mine = self.predict("definite.mtx", "--ranks", 8, machine="machine.json")
            self.assertEqual(mine["solve"], self.predict("definite.mtx", "--ranks", 8, machine=name)["solve"])
            self.assertTrue(mine["model"]["machine"]["sources"])

    def test_the_machine_at_hand(self):
        self.succeed("machines", "--measure", "--json", "here.json", ranks=2)
        here = json.loads(self.path("here.json").read_text())
        for field in ("worker_bandwidth", "memory_bandwidth", "worker_flops", "dgemm_flops", "task_seconds"):
            self.assertGreater(here[field], 0, field)
        self.assertEqual(here["ranks_per_node"], 2)
        self.predict("definite.mtx", "--ranks", 2, machine="here.json")

    def refuse(self, *arguments, word, ranks=0):
        before = self.files()
        result = self.run_here(*arguments, ranks=ranks)
        self.assertEqual(result.status, 2, result)
        self.assertEqual(len(result.messages()), 1, result)
        self.assertIn(word, result.messages()[0])
        self.assertIn("\n  remedy: ", result.messages()[0])
        self.assertEqual(self.files(), before, "files left behind")

    def test_refusals(self):
        self.write("half.json", '{"name": "half"')
        self.predict("definite.mtx", "--ranks", 2, "--save-analysis", "saved")
        whole = self.path("saved").read_bytes()
        self.write("damaged", whole[:-1000])
        good = ("predict", "definite.mtx", "--machine", "cori-knl")
        for arguments, word in (
                (("predict", "--machine", "cori-knl", "--ranks", 2), "--analysis"),
                (("predict", "definite.mtx", "--ranks", 2), "--machine"),
                (("predict", "definite.mtx", "--machine", "earth-simulator", "--ranks", 2), "earth-simulator"),
                (("predict", "definite.mtx", "--machine", "half.json", "--ranks", 2), "half.json"),
                (good, "--ranks"),
                ((*good, "--ranks", 0), "--ranks"),
                ((*good, "--ranks", 3, "--grid", "2x2x1"), "2x2x1"),
                ((*good, "--grid", "2x2x3"), "power of two"),
                ((*good, "--ranks", 2, "--analysis", "saved"), "--analysis"),
                ((*good, "--ranks", 2, "--json", "no/such/file"), "no/such/file"),
                ((*good, "--ranks", 2, "--json", "out", "--save-analysis", "./out"), "--save-analysis"),
                (("predict", "--analysis", "damaged", "--machine", "cori-knl", "--ranks", 2), "damaged"),
                (("predict", "--analysis", "definite.mtx", "--machine", "cori-knl", "--ranks", 2),
                 "it is not an HDF5 file of the format 'saved analysis'"),
                (("machines", "earth-simulator"), "earth-simulator"),
                (("machines", "--json", "all.json"), "--json"),
                (("machines", "--measure"), "two ranks")):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, word=word)


if __name__ == "__main__":
    unittest.main()
