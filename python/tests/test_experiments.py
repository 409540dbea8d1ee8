"""Every experiment: its table from made-up runs, and its figure from nothing but the table's JSON."""

import importlib
import json
import pkgutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from stand_in import StandIn, lab, option

from trisweep import bench, plots
from trisweep.bench import EXPERIMENTS, component, heatmap, hmatrix_convergence, hmatrix_figures, papers, trees
from trisweep.errors import UserError
from trisweep.grids import Grid, layered_grids
from trisweep.lab import Settings
from trisweep.tables import Table, from_document

PNG = b"\x89PNG\r\n\x1a\n"
ONE = Settings(matrices=("s2d9:8",), rounds=3, repeats=7)


def measure(name: str, stand_in: StandIn, **choices) -> Table:
    with lab(stand_in, ONE.with_choices(choices)) as place:
        return EXPERIMENTS[name].measure(place)


def column(table: Table, *keys: str) -> list[tuple]:
    return [tuple(row[key] for key in keys) for row in table.rows]


class Registry(unittest.TestCase):
    def test_has_every_experiment_of_the_folder(self):
        modules = [importlib.import_module(f"trisweep.bench.{m.name}") for m in pkgutil.iter_modules(bench.__path__)]
        found = {module.EXPERIMENT.name for module in modules if hasattr(module, "EXPERIMENT")}
        families = (papers, component, hmatrix_convergence, hmatrix_figures)
        found |= {one.name for family in families for one in family.EXPERIMENTS}
        self.assertEqual(found, set(EXPERIMENTS))
        wanted = {"trees", "schedules", "threads", "pingpong", "dag-free", "heatmap", "breakdown", "poster-speedup"}
        wanted |= (
            {"peers"}
            | {f"sc23-fig{number}" for number in range(4, 12)}
            | {f"2018-fig{number}" for number in (3, 4, 6, 7)}
        )
        self.assertLessEqual(wanted, found)

    def test_a_try_is_small(self):
        for experiment in EXPERIMENTS.values():
            self.assertLessEqual(max((grid.ranks for grid in experiment.quick.grids), default=1), 6, experiment.name)

    def test_every_figure_is_drawn_from_the_json_of_its_table(self):
        for experiment in EXPERIMENTS.values():
            # The thousands of ranks of a prediction are a matter of the model, not of its figure.
            settings = experiment.quick if experiment.predicts else experiment.settings
            with lab(StandIn(), settings) as place, self.subTest(experiment.name):
                table = experiment.measure(place)
                again = from_document(json.loads(json.dumps(table.document())))
                self.assertEqual(again.markdown(), table.markdown())
                self.assertTrue(plots.png(experiment.draw(again)).startswith(PNG))


class HMatrices(unittest.TestCase):
    def test_adaptive_precision_beside_plain_aca(self):
        table = measure("hmatrix-precision", StandIn(), matrices=("spheres:600",), rounds=2)
        self.assertEqual(len(table.rows), 9)
        self.assertEqual(
            [(row["kind"], row["fewer_bytes"], row["faster"].median) for row in table.rows[:3]],
            [("adaptive", 4, 4), ("double", 1, 1), ("plain ACA", 1, 1)],
        )

    def test_figures_of_the_paper(self):
        table = measure("hmatrix-fig9", StandIn(), matrices=("spheres:900", "spheres:300"), rounds=1)
        predicted = table.groups("kind")["predicted",]
        self.assertEqual([row["ratio"] for row in predicted[-2:]], [1, 2])
        self.assertEqual([row["padding"] for row in predicted[:2]], [1.5, 1])
        real = table.groups("kind")["real",]
        self.assertEqual({row["matrix"] for row in real}, {"spheres:300"})
        self.assertEqual([(row["launches"], row["idle"]) for row in real[-2:]], [(8, 25), (1, 0)])
        self.assertEqual([row["iteration"].median for row in real], [100] * len(real))

    def test_what_pipelining_hides(self):
        stand_in = StandIn()
        table = measure("hmatrix-fig18", stand_in, matrices=("100ts", "spheres:300"), rounds=1)
        ratios = [row["ratio"] for row in table.groups("kind")["predicted",]]
        self.assertEqual(ratios, sorted(ratios))
        self.assertEqual([call[-1] for call in stand_in.calls if call[0] == "bem"], ["4"] * 3)
        self.assertIn("80% to 99%", table.markdown())

    def test_the_error_of_the_charge(self):
        table = measure("hmatrix-charge", StandIn(), matrices=("sphere:1000", "spheres:2000"))
        self.assertEqual(column(table, "triangles", "error", "total"), [(1000, 1.0, None), (2000, 0.5, 1e-9)])


class Components(unittest.TestCase):
    def test_ratios_are_of_the_first_design(self):
        seconds = {"unified": 8.0, "unified+tasks": 16.0, "shmem": 4.0, "zero-copy": 2.0, "push": 1.0}
        stand_in = StandIn(seconds=lambda grid, words: seconds.get(option(words, "--algorithm", ""), 8.0))
        table = measure("component-fig7", stand_in)
        self.assertEqual(
            column(table, "series", "speedup"),
            [
                ("unified", 1),
                ("unified+tasks", 0.5),
                ("get-update-put", 1),
                ("shmem", 2),
                ("zero-copy", 4),
                ("push", 8),
            ],
        )
        self.assertEqual(table.rows[0]["polls"], 20)
        self.assertIn("unified / zero-copy: 4.00 on the geometric mean", table.markdown())
        self.assertIn("unified / this", table.markdown())


class Trees(unittest.TestCase):
    def test_ratios_and_the_busiest_rank(self):
        stand_in = StandIn(
            seconds=lambda grid, words: {"flat": 2.0, "binary": 1.0, "auto": 3.0}[option(words, "--tree", "")],
            messages=lambda grid, words: {"flat": 37, "binary": 7, "auto": 7}[option(words, "--tree", "")],
        )
        table = measure("trees", stand_in, grids=(Grid(2, 2, 1),))
        # Rank 3 is the busiest, and sends and receives.
        self.assertEqual(
            [(tree, ratio.median, messages, fewer) for tree, ratio, messages, fewer in column(
                table, "tree", "time_ratio", "messages", "fewer")],
            [("flat", 1.0, 80, 1.0), ("binary", 0.5, 20, 4.0), ("auto", 1.5, 20, 4.0)],
        )  # fmt: skip

    def test_large_grids_are_planned_not_run(self):
        stand_in = StandIn()
        with mock.patch.object(trees, "LARGEST_RUN", 4):
            table = measure("trees", stand_in, grids=(Grid(2, 2, 1), Grid(3, 2, 1)))
        self.assertEqual({call[1] for call in stand_in.calls if call[0] == "solve"}, {"2x2x1"})
        self.assertEqual([row["time_ratio"] is None for row in table.rows], 3 * [False] + 3 * [True])
        self.assertIn("not run", table.markdown())

    def test_a_run_that_does_not_send_what_its_plan_says_is_an_error(self):
        stand_in = StandIn(messages=lambda grid, words: 6 if "--repeat" in words else 5)
        with self.assertRaisesRegex(AssertionError, "differs between runs"):
            measure("trees", stand_in, grids=(Grid(2, 1, 1),))

    def test_a_count_that_changes_between_rounds_is_an_error(self):
        counts = iter(range(1000))
        with self.assertRaisesRegex(AssertionError, "differs between runs"):
            measure("trees", StandIn(messages=lambda grid, words: next(counts)), grids=(Grid(1, 1, 1),))


class Schedules(unittest.TestCase):
    def test_every_variant_beside_the_2d_algorithm_of_as_many_ranks(self):
        stand_in = StandIn(seconds=lambda grid, words: 1.0 / grid.pz)
        table = measure("schedules", stand_in, grids=layered_grids(4))
        self.assertEqual(
            [(grid, variant, ratio.median) for grid, variant, ratio in column(table, "grid", "variant", "time_ratio")],
            [("2x2x1", "2D", 1.0)]
            + [("2x1x2", name, 0.5) for name in ("level-sync", "single-sync, per-node", "single-sync, sparse")]
            + [("1x1x4", name, 0.25) for name in ("level-sync", "single-sync, per-node", "single-sync, sparse")],
        )
        # 10 + 11 + 12 + 13 messages, of which each rank sends 2 between layers.
        self.assertEqual(
            column(table, "synchronizations", "within", "between", "between_bytes")[:2], [(0, 46, 0, 0), (1, 38, 2, 64)]
        )

    def test_the_2d_algorithm_is_measured_also_when_no_grid_asks_for_it(self):
        table = measure("schedules", StandIn(), grids=(Grid(2, 2, 2),))
        self.assertEqual([row["grid"] for row in table.rows], ["4x2x1"] + 3 * ["2x2x2"])


class Others(unittest.TestCase):
    def test_threads_are_compared_with_one_thread_on_the_same_grid(self):
        stand_in = StandIn(seconds=lambda grid, words: grid.ranks / int(option(words, "--threads", "")))
        table = measure("threads", stand_in, grids=(Grid(1, 1, 1), Grid(2, 1, 1)), threads=(4, 2))
        self.assertEqual(
            [(grid, threads, speedup.median) for grid, threads, speedup in column(table, "grid", "threads", "speedup")],
            [(grid, threads, threads) for grid in ("1x1x1", "2x1x1") for threads in (1, 4, 2)],
        )

    def test_dag_free_compares_times_and_insists_on_the_same_messages(self):
        def free(words):
            return "--no-dependencies" in words

        stand_in = StandIn(seconds=lambda grid, words: 0.5 if free(words) else 2.0)
        row = measure("dag-free", stand_in, grids=(Grid(2, 1, 1),)).rows[0]
        self.assertEqual((row["free_ratio"].median, row["floating_point"].median, row["messages"]), (0.25, 0.1, 21))
        stand_in = StandIn(messages=lambda grid, words: 3 if free(words) else 4)
        with self.assertRaisesRegex(AssertionError, "differs between runs"):
            measure("dag-free", stand_in, grids=(Grid(2, 1, 1),))

    def test_pingpong_has_a_row_for_each_size(self):
        table = measure("pingpong", StandIn())
        self.assertEqual([c.heading for c in table.columns][:3], ["bytes", "two-sided, µs", "one-sided, µs"])
        row = table.rows[1]
        self.assertEqual((row["bytes"], row["one-sided"].median, row["two-sided / one-sided"].median), (16, 32.0, 2.0))

    def test_heatmap_counts_what_a_rank_sends_and_receives(self):
        with mock.patch.object(heatmap, "LARGEST_RUN", 4):
            table = measure("heatmap", StandIn(), grids=(Grid(2, 2, 1), Grid(3, 2, 1)))
        self.assertEqual(
            column(table, "grid", "source", "tree", "messages", "bytes"),
            [
                ("2x2x1", "a run", "flat", 310, 2480),
                ("2x2x1", "a run", "binary", 10, 80),
                ("3x2x1", "the plan", "flat", 510, 4080),
                ("3x2x1", "the plan", "binary", 10, 80),
            ],
        )
        self.assertEqual(table.rows[0]["messages_of_ranks"], [310, 110, 110, 110])

    def test_a_heat_map_has_every_rank_at_its_place(self):
        # rank = (z Px + x) Py + y; x goes down, y across, and layers stand side by side.
        map_ = heatmap.at_place(list(range(12)), Grid(3, 2, 2))
        self.assertEqual(map_.tolist(), [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]])

    def test_breakdown_is_of_the_slowest_rank(self):
        row = measure("breakdown", StandIn(), grids=(Grid(2, 1, 2),)).rows[0]
        self.assertEqual(len(row["ranks"]), 4)
        self.assertAlmostEqual(row["floating point"].median, 20)
        self.assertAlmostEqual(row["L-solve"].median, 50)


class Predictions(unittest.TestCase):
    def headlines(self, table: Table) -> dict:
        return {row["what"]: row for row in from_document(table.data["headlines"]).rows}

    def test_ratios_beside_those_of_the_paper(self):
        def seconds(grid, words):
            slow = {"flat": 4.0, "binary": 1.5}[option(words, "--tree", "")]
            slow *= 1.0 if option(words, "--schedule", "") == "single-sync" else 2.0
            return slow / (3 if grid.pz == 2 else 1 if grid.pz == 1 else 2)

        table = measure("sc23-fig4", StandIn(seconds), grids=layered_grids(4))
        self.assertEqual(column(table, "grid", "series", "seconds")[:2],
                         [("2x2x1", "baseline", 8.0), ("2x2x1", "level-sync, binary trees", 3.0)])  # fmt: skip
        self.assertAlmostEqual(table.rows[2]["ratio"], 8 / 1.5)
        found = self.headlines(table)
        over_baseline = found["baseline / proposed, same grid, Pz > 1"]
        self.assertAlmostEqual(over_baseline["largest"], 8 / 1.5)
        self.assertEqual((over_baseline["paper"], over_baseline["rows"]), ("up to 3.45", 64))
        self.assertNotEqual(over_baseline["at"], "2x2x1")
        over_2d = found["2D (proposed, Pz = 1) / proposed, best Pz"]
        self.assertEqual((over_2d["at"], over_2d["paper"]), ("2x1x2", "up to 2.2"))
        self.assertAlmostEqual(over_2d["largest"], 3)
        self.assertIn("| up to 3.45 | s2d9:8 |", table.markdown())

    def test_what_the_faster_plans_need_of_memory(self):
        # single-sync is fastest on two layers, and stores twice as much there.
        stand_in = StandIn(seconds=lambda grid, words: (1.0 if "separators" in words else 4.0) / grid.pz)
        row = self.headlines(measure("better-plans", stand_in, grids=layered_grids(2)))[
            "single-sync, best Pz / proportional, two-sided"]  # fmt: skip
        self.assertAlmostEqual(row["largest"], 2)
        self.assertAlmostEqual(row["factor_bytes_ratio"], 1.2)
        self.assertAlmostEqual(row["panel_bytes_ratio"], 0.5)
        self.assertAlmostEqual(row["panel_bytes_max_ratio"], 1)
        self.assertNotIn("fullest", measure("sc23-fig4", StandIn(), grids=layered_grids(2)).markdown())

    def test_the_paper_s_ratio_is_that_of_the_matrix_and_the_right_hand_sides(self):
        table = measure("sc23-fig9", StandIn(), grids=(Grid(1, 1, 2),), nrhs=(1, 50))
        rows = from_document(table.data["headlines"]).rows
        self.assertEqual([(row["nrhs"], row["paper"]) for row in rows], 2 * [(1, "up to 1.8"), (50, "up to 2.2")])
        table = measure("2018-fig7", StandIn(), grids=(Grid(2, 2, 1),))
        self.assertEqual(
            [row["paper"] for row in from_document(table.data["headlines"]).rows], ["not among its matrices"]
        )
        table = measure("2018-fig7", StandIn(), grids=(Grid(2, 2, 1),), matrices=("kkt3d:4",))
        self.assertEqual([row["paper"] for row in from_document(table.data["headlines"]).rows], ["1.7 to 4.4"])

    def test_the_ratio_over_the_baseline_is_taken_apart(self):
        def seconds(grid, words):
            schedule, tree = option(words, "--schedule", ""), option(words, "--tree", "")
            time = {"published": 12.0, "published-packed": 10.0, "level-sync": 8.0, "single-sync": 4.0}[schedule]
            time /= 1 if tree == "flat" else 2
            return time * (2 + int(option(words, "--seed", "")) if "--noise" in words else 1)

        table = measure("sc23-baseline", StandIn(seconds), grids=(Grid(2, 1, 2),))
        steps = ("packing", "collectives", "trees", "replication")
        self.assertEqual([row["noise"] for row in table.rows], [0, 1])
        for row in table.rows:
            self.assertEqual([row[step].median for step in steps], [1.2, 1.25, 2.0, 2.0])
            self.assertAlmostEqual(row["whole"].median, 1.2 * 1.25 * 2 * 2)
            self.assertEqual((row["replication_first"].median, row["trees_last"].median), (2.0, 2.0))
        self.assertEqual(table.rows[0]["milliseconds"].median, 12e3)
        self.assertEqual(table.rows[1]["milliseconds"].low, 36e3)

    def test_trees_are_compared_by_the_l_solve(self):
        stand_in = StandIn(seconds=lambda grid, words: {"flat": 6.0, "binary": 2.0}[option(words, "--tree", "")])
        table = measure("2018-fig6", stand_in, grids=(Grid(2, 2, 1),))
        self.assertEqual(column(table, "series", "ratio", "l_seconds"),
                         [("flat trees", 1.0, 3.0), ("binary trees", 3.0, 1.0)])  # fmt: skip

    def test_every_series_has_its_machine(self):
        stand_in = StandIn()
        with lab(stand_in, ONE.with_choices({"grids": (Grid(1, 1, 2),)})) as place:
            EXPERIMENTS["sc23-fig10"].measure(place)
            machines = [option(list(call), "--machine", "") for call in stand_in.calls if "--analysis" in call]
            self.assertEqual(machines[1:3], ["perlmutter-gpu", "perlmutter-gpu"])
            beside_gpus = json.loads(Path(machines[0]).read_text())
        self.assertEqual(beside_gpus, {"name": "perlmutter-cpu", "ranks_per_node": 4, "ranks_per_memory": 4})

    def test_a_matrix_is_analyzed_once_and_a_point_predicted_once_for_all_experiments(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "new"

            def commands(name: str, fingerprint: str = "a") -> list[str]:
                stand_in = StandIn()
                stand_in.fingerprint = fingerprint
                with lab(stand_in, ONE.with_choices({"grids": (Grid(2, 1, 2),)}), cache) as place:
                    EXPERIMENTS[name].measure(place)
                return ["analyze" if "--save-analysis" in call else call[0] for call in stand_in.calls]

            self.assertEqual(commands("sc23-fig5"), ["gallery", "analyze", "predict", "predict"])
            self.assertEqual(commands("sc23-fig4"), ["predict"])
            self.assertEqual(commands("sc23-fig7"), [])
            self.assertEqual(commands("sc23-fig7", "another build"), ["gallery", "analyze", "predict", "predict"])


class SimGrid(unittest.TestCase):
    def test_the_model_s_time_over_simgrid_s_on_the_squarest_grid_of_each_plan(self):
        table = measure("simgrid", StandIn(), grids=(Grid(4, 2, 1),))
        found = {series: (grid, ratio) for grid, series, ratio in column(table, "grid", "series", "ratio")}
        self.assertEqual(found["single-sync, Pz = 4, one-sided"], ("2x1x4", 0.8))
        self.assertEqual(found["2D, flat trees"], ("4x2x1", 0.8))
        self.assertNotIn("single-sync, Pz = 16", found)
        self.assertIn("between 0.80 and 0.80", table.notes[0])

    def test_every_plan_has_an_analysis_that_is_deep_enough(self):
        stand_in = StandIn()
        measure("simgrid", stand_in, grids=(Grid(4, 2, 1),))
        analyzed = [call for call in stand_in.calls if "--save-analysis" in call]
        self.assertEqual([("--ranks" in call, "separators" in call) for call in analyzed],
                         [(False, False), (True, False), (True, True)])  # fmt: skip

    def test_other_messages_than_the_plan_s_are_an_error(self):
        stand_in = StandIn()
        stand_in.simgrid = lambda analysis, prediction: {"seconds": 1.0, "messages": 7.0}
        with self.assertRaisesRegex(AssertionError, "7 messages"):
            measure("simgrid", stand_in, grids=(Grid(2, 1, 1),))


class Measured(unittest.TestCase):
    def test_every_round_has_a_description_of_the_machine_for_its_ranks(self):
        # Predicted: 0.5 + 0.25 seconds and 0.1 between layers; measured: three times the seconds of a case.
        stand_in = StandIn()
        table = measure("measured", stand_in, grids=(Grid(1, 1, 1), Grid(2, 2, 1)))
        self.assertEqual(
            column(table, "grid", "plan"),
            [
                ("1x1x1", "block-cyclic"),
                ("2x2x1", "block-cyclic"),
                ("2x2x1", "proportional"),
                ("2x2x1", "proportional, inverted separators"),
            ],
        )
        # The machine has no shared messages.
        self.assertEqual({row["transport"] for row in table.rows}, {"two-sided"})
        for row in table.rows:
            self.assertAlmostEqual(row["predicted"].median, 850)
            self.assertAlmostEqual(row["ratio"].median, 3 / 0.85)
        self.assertEqual([call[-1] for call in stand_in.calls if call[0] == "machines"], 3 * ["2", "4"])


class PythonPeers(unittest.TestCase):
    def test_have_the_fastest_of_their_rounds(self):
        stand_in = StandIn()
        with mock.patch("trisweep.bench.python_peers.present", lambda name: True):
            table = measure("python-peers", stand_in, matrices=("s2d9:8", "s2d9:9"), threads=(1, 2), rounds=2)
        self.assertEqual(
            column(table, "matrix", "threads", "first", "first_SciPy", "later_SciPy", "later_pypardiso"),
            [(f"s2d9:{n}", t, 1e4, 3, 3, 1) for n in (8, 9) for t in (1, 2)],
        )
        runs = [call[1] for call in stand_in.calls if call[0] == "trisweep.python_solvers"]
        self.assertEqual(runs, 8 * ["Trisweep", "SciPy", "pypardiso"])

    def test_name_an_absent_solver(self):
        with mock.patch("trisweep.bench.python_peers.present", lambda name: name != "pypardiso"):
            table = measure("python-peers", StandIn(), threads=(1,))
        self.assertEqual(table.notes[0], "Absent: pypardiso.")
        self.assertNotIn("first_pypardiso", table.rows[0])


class Peers(unittest.TestCase):
    def setUp(self):
        # Whatever is installed here: present is what the stand-in has.
        for target, value in (("_mkl", Path("libmkl_rt.so")), ("importlib.util.find_spec", True)):
            patch = mock.patch(f"trisweep.peer_programs.{target}", return_value=value)
            patch.start()
            self.addCleanup(patch.stop)

    def test_times_are_ratios_to_ours_and_to_the_floor(self):
        stand_in = StandIn()
        stand_in.peer_seconds = lambda name, words: 0.1 if name == "peer_trisweep" else 0.4
        table = measure("peers", stand_in, grids=(Grid(1, 1, 1),), nrhs=(1, 50))
        rows = {(row["name"], row["nrhs"]): row for row in table.rows}
        self.assertEqual(len(rows), 2 * 9)
        one, many = rows["MUMPS", 1], rows["MUMPS", 50]
        self.assertEqual((one["time_ratio"].median, one["best_ratio"], one["factor_ratio"].median), (4, 4, 4))
        # 1e9 bytes at 2e10 a second take 0.05 s; 50 x 2.5e8 operations at 1e12 a second take 0.0125 s.
        self.assertAlmostEqual(one["floor_ratio"].median, 8)
        self.assertAlmostEqual(rows["Trisweep", 1]["floor_ratio"].median, 2)
        self.assertAlmostEqual(many["percent"].median, 100 * 0.0125 / 0.4)
        self.assertIsNone(one["percent"])
        self.assertIn("the best peer takes 4.00 times as long as we do", "".join(table.notes))
        self.assertIn("| s2d9:8 | 1 thread | 1 | 2.00 x floor | 4.00 | 4.00 |", table.markdown())

    def test_only_who_can_runs_on_several_threads_and_ranks(self):
        table = measure("peers", StandIn(), grids=(Grid(1, 1, 1), Grid(2, 2, 1)), threads=(1, 2))
        names = {place: [row["name"] for row in rows] for (place,), rows in table.groups("place").items()}
        self.assertEqual(names["2 threads"], ["Trisweep", "CHOLMOD", "MKL PARDISO", "MUMPS", "SuperLU_DIST"])
        self.assertEqual(names["grid 2x2x1"], ["Trisweep", "Trisweep proportional", "SuperLU_DIST"])

    def test_on_a_2d_grid_the_peer_is_also_compared_with_the_proportional_plan(self):
        def seconds(name, words):
            return 12.0 if name == "peer_superlu_dist" else 2.0 if "proportional" in words else 4.0

        stand_in = StandIn()
        stand_in.peer_seconds = seconds
        table = measure("peers", stand_in, grids=(Grid(2, 2, 1), Grid(1, 1, 4)), nrhs=(1, 50))
        self.assertIn("| s2d9:8 | 50 | 3.0 | 6.0 | 3.0 |", table.markdown())
        ratios = {(row["place"], row["name"]): row["proportional_ratio"] for row in table.rows if row["nrhs"] == 1}
        self.assertEqual(ratios["grid 2x2x1", "Trisweep"].median, 2)
        self.assertIsNone(ratios["grid 1x1x4", "SuperLU_DIST"])
        # It is no peer.
        self.assertIn("the best peer takes 3.00 times as long as we do (geometric mean)", "".join(table.notes))

    def test_who_is_absent_or_fails_is_named(self):
        def seconds(name, words):
            if name == "peer_petsc":
                raise UserError("a run failed\n  | PETSc: error 71", "")
            return 1.0

        stand_in = StandIn()
        stand_in.absent = {"CHOLMOD"}
        stand_in.peer_seconds = seconds
        table = measure("peers", stand_in, grids=(Grid(1, 1, 1),))
        self.assertFalse({"CHOLMOD", "PETSc"} & {row["name"] for row in table.rows})
        self.assertIn("Absent: CHOLMOD (it takes libsuitesparse-dev).", table.notes)
        self.assertIn("Failed on s2d9:8: PETSc, 1 thread: PETSc: error 71", table.notes)

    def test_refined_solves_are_ratios_to_ours_with_compressed_factors(self):
        stand_in = StandIn()
        stand_in.peer_seconds = lambda name, words: 0.1 if "9.3e-10" in words else 0.3
        table = measure("refined-peers", stand_in, grids=(Grid(1, 1, 1),), nrhs=(1,))
        names = [name for (name,) in column(table, "name")]
        self.assertEqual(names[:5], ["Trisweep compressed", "Trisweep", "CHOLMOD", "MKL PARDISO", "MUMPS"])
        self.assertEqual(names[5:], [f"MUMPS BLR {eps}" for eps in ("0.0001", "1e-06", "1e-08", "1e-10")])
        for row in table.rows[1:]:
            self.assertAlmostEqual(row["time_ratio"].median, 3)
            self.assertEqual((row["passes"], row["bytes_ratio"]), (2, 1))
        solves = [call for call in stand_in.calls if "--repeats" in call]
        self.assertTrue(all(option(list(call), "--refine", "") == "1e-15" for call in solves))

    def test_answers_are_compared_from_the_matrix_on(self):
        stand_in = StandIn()
        stand_in.peer_seconds = lambda name, words: 0.3 if name == "peer_klu" else 0.1 if name == "peer_solver" else 0.2
        stand_in.absent = {"SuperLU"}
        table = measure("answer-peers", stand_in, grids=(Grid(1, 1, 1),), nrhs=(1, 50))
        ours, klu, scipy = table.rows[:3]
        self.assertEqual((ours["name"], klu["name"], scipy["name"]), ("Trisweep", "KLU", "SciPy"))
        for key in ("time_ratio", "setup_ratio", "refactor_ratio"):
            self.assertAlmostEqual(klu[key].median, 3)
        self.assertAlmostEqual(klu["first"].median, 1e3 * 0.3 * (5 + 10 + 3))
        text = table.markdown()
        self.assertIn("| s2d9:8 | 1.25e+08 | 2.00 (SciPy) | 3.00 | 2.00 (SciPy) | 3.00 |", text)
        self.assertIn("2.00 times at worst, 2.00 where our factors have more than 100,000 entries.", text)
        self.assertIn("Refused on s2d9:8, 50 right-hand sides: KLU 1.2, no reason.", text)
        self.assertIn("Absent: SuperLU", text)
        solves = [list(call) for call in stand_in.calls if "--repeats" in call]
        self.assertTrue(all("--answers" in call and option(call, "--refine", "") == "2.22045e-15" for call in solves))
        self.assertEqual([call[-1] for call in stand_in.calls if call[0] == "peer_prepare"], ["as-is"])
        self.assertTrue(any("--own-refinement" in call for call in solves))

    def test_cholmod_gets_definite_systems_only(self):
        stand_in = StandIn()
        stand_in.definite = False
        table = measure("peers", stand_in, grids=(Grid(1, 1, 1),))
        self.assertNotIn("CHOLMOD", {row["name"] for row in table.rows})

    def test_a_build_without_the_peers_says_what_to_do(self):
        stand_in = StandIn()
        stand_in.absent = {"Trisweep"}
        with self.assertRaisesRegex(UserError, "built without the peers"):
            measure("peers", stand_in)


class Rounds(unittest.TestCase):
    def test_cases_take_turns_and_are_compared_round_by_round(self):
        # A machine that gets ten times slower from round to round changes no ratio.
        slow = iter((1, 1, 1, 10, 10, 10, 100, 100, 100))
        stand_in = StandIn(seconds=lambda grid, words: next(slow) * (2 if "flat" in words else 1))
        table = measure("trees", stand_in, grids=(Grid(1, 1, 1),))
        self.assertEqual(
            [(r["time_ratio"].low, r["time_ratio"].high) for r in table.rows], [(1, 1), (0.5, 0.5), (0.5, 0.5)]
        )
        self.assertEqual({option(list(c), "--repeat", "") for c in stand_in.calls if c[0] == "solve"}, {"7"})

    def test_a_matrix_is_generated_once(self):
        stand_in = StandIn()
        measure("trees", stand_in, grids=(Grid(1, 1, 1), Grid(2, 1, 1)))
        self.assertEqual(
            [call[:4] for call in stand_in.calls if call[0] == "gallery"], [("gallery", "s2d9", "--n", "8")]
        )


if __name__ == "__main__":
    unittest.main()
