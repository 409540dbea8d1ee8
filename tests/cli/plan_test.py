"""trisweep plan: its records, and that a real run sends exactly what the plan says, rank by rank."""
import csv
import re
import unittest

from command import CommandTest, grid_laplacian, matrix_text, ranks_of

KINDS = ("broadcast", "reduction", "exchange")
WAYS = ("sent", "received")

VARIANTS = (
    ("2x2x2",),
    ("2x2x2", "--op", "T", "--nrhs", 3),
    ("2x2x2", "--schedule", "level-sync", "--tree", "flat"),
    ("2x2x2", "--inter-grid", "per-node", "--tree", "auto", "--precision", "float"),
    ("1x2x4", "--schedule", "level-sync", "--ordering", "scotch"),
    ("3x2x1",),
    ("3x2x1", "--tree", "flat", "--precision", "mixed", "--op", "H"),
)


class Plan(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("definite.mtx", matrix_text(400, grid_laplacian(20, shift=0.5)))
        self.succeed("gallery", "convection3d", "--n", 7, "-o", "unsymmetric.mtx")
        self.succeed("gallery", "maxwell3d", "--n", 3, "--complex", "-o", "complex.mtx")

    def plan(self, matrix, grid, *arguments):
        self.succeed("plan", matrix, "--grid", grid, "--json", "plan.json", "--traffic", "traffic.csv", *arguments)
        with open(self.path("traffic.csv"), newline="") as file:
            return self.record("plan.json"), list(csv.DictReader(file))

    def test_fields(self):
        plan, flows = self.plan("unsymmetric.mtx", "2x1x2", "--nrhs", 2)
        self.assertEqual(set(plan), {"version", "predicted", "matrix", "factor", "plan", "solve", "totals", "ranks"})
        self.assertIs(plan["predicted"], True)
        self.assertEqual(plan["version"], self.succeed("--version").out.strip())
        self.assertEqual(plan["factor"]["kind"], "lu")
        self.assertEqual(plan["solve"], {"nrhs": 2, "op": "N", "precision": "double"})
        run = self.solve("unsymmetric.mtx", "--transport", "two-sided", grid="2x1x2")
        self.assertEqual(plan["plan"], run["plan"])
        self.assertEqual(plan["matrix"], run["matrix"])
        self.assertEqual(plan["factor"]["supernodes"], run["factor"]["supernodes"])
        for i, rank in enumerate(plan["ranks"]):
            self.assertEqual(set(rank), {"rank", "x", "y", "z", "messages", "panel_bytes"})
            self.assertEqual([rank[c] for c in ("rank", "x", "y", "z")],
                             [run["ranks"][i][c] for c in ("rank", "x", "y", "z")])
            self.assertEqual(set(rank["messages"]), set(KINDS))
            for kind in KINDS:
                self.assertEqual(set(rank["messages"][kind]), {"sent", "bytes_sent", "received", "bytes_received"})
        self.assertEqual(list(flows[0]), ["from", "to", "kind", "messages", "bytes"])

    def test_everything_adds_up(self):
        """Totals, ranks and flows tell of the same messages; as much is received as is sent."""
        for grid, *arguments in VARIANTS:
            with self.subTest(grid=grid, arguments=arguments):
                plan, flows = self.plan("unsymmetric.mtx", grid, *arguments)
                totals, ranks = plan["totals"], plan["ranks"]
                for kind in KINDS:
                    of_kind = [f for f in flows if f["kind"] == kind]
                    self.assertEqual(sum(int(f["messages"]) for f in of_kind), totals[kind]["messages"])
                    self.assertEqual(sum(int(f["bytes"]) for f in of_kind), totals[kind]["bytes"])
                    for way in WAYS:
                        self.assertEqual(sum(r["messages"][kind][way] for r in ranks), totals[kind]["messages"])
                        self.assertEqual(sum(r["messages"][kind][f"bytes_{way}"] for r in ranks),
                                         totals[kind]["bytes"])
                for what in ("messages", "bytes"):
                    self.assertEqual(totals[what], sum(totals[kind][what] for kind in KINDS))
                loads = [sum(r["messages"][kind][way] for kind in KINDS for way in WAYS) for r in ranks]
                self.assertEqual(totals["busiest_messages"], max(loads))
                self.assertEqual(loads[totals["busiest_rank"]], max(loads))
                self.assertEqual(totals["panel_bytes"], sum(r["panel_bytes"] for r in ranks))

    def test_a_solve_sends_what_the_plan_says(self):
        for matrix in ("definite.mtx", "unsymmetric.mtx", "complex.mtx"):
            for grid, *arguments in VARIANTS:
                with self.subTest(matrix=matrix, grid=grid, arguments=arguments):
                    plan = self.plan(matrix, grid, *arguments)[0]["ranks"]
                    run = self.solve(matrix, *arguments, grid=grid)["ranks"]
                    self.assertEqual(len(plan), ranks_of(grid))
                    for planned, ran in zip(plan, run):
                        for way in WAYS:
                            for field, ours in ((f"messages_{way}", way), (f"bytes_{way}", f"bytes_{way}")):
                                self.assertEqual(ran[field], sum(planned["messages"][kind][ours] for kind in KINDS),
                                                 f"rank {ran['rank']}: {field}")

    def test_panel_bytes_are_those_of_the_factors(self):
        """On a grid of one layer nothing is replicated. (One rank may store fewer zeros than several.)"""
        for matrix in ("definite.mtx", "unsymmetric.mtx"):
            run = self.solve(matrix, grid="2x1x1")
            self.assertEqual(self.plan(matrix, "3x2x1")[0]["totals"]["panel_bytes"], run["factor"]["bytes"])
            self.assertGreater(self.plan(matrix, "3x2x4")[0]["totals"]["panel_bytes"], run["factor"]["bytes"])

    def test_synchronizations_between_layers(self):
        for grid, single, level in (("2x2x1", 0, 0), ("2x2x2", 1, 2), ("1x1x4", 1, 4)):
            for schedule, expected in (("single-sync", single), ("level-sync", level)):
                plan = self.plan("unsymmetric.mtx", grid, "--schedule", schedule)[0]
                self.assertEqual(plan["totals"]["synchronizations"], expected, f"{schedule} on {grid}")

    def test_grids_far_larger_than_the_machine(self):
        plan, _ = self.plan("unsymmetric.mtx", "40x30x8")
        self.assertEqual(len(plan["ranks"]), 40 * 30 * 8)

    def test_grids_of_one_layer_have_the_order_of_one_rank(self):
        """A tree of separators down to single ranks has more and smaller supernodes: on 64x64 it cost the busiest rank
        2.4 times as many messages."""
        self.succeed("gallery", "s2d9", "--n", 256, "-o", "stencil.mtx")
        usual = int(re.search(r"supernodes +(\d+),", self.succeed("info", "stencil.mtx").out)[1])
        busiest = {}
        for grid, tree in (("1x1x1", "flat"), ("16x16x1", "flat"), ("64x64x1", "flat"), ("64x64x1", "binary")):
            plan, _ = self.plan("stencil.mtx", grid, "--tree", tree)
            busiest[grid, tree] = plan["totals"]["busiest_messages"]
            self.assertEqual(plan["factor"]["supernodes"], usual, grid)
        self.assertLess(busiest["64x64x1", "flat"], busiest["16x16x1", "flat"] / 2)
        self.assertGreater(busiest["64x64x1", "flat"], 4 * busiest["64x64x1", "binary"])
        # That many layers have a tree as deep, in whatever order one rank is better served.
        layers, alone = (self.plan("stencil.mtx", grid, "--ordering", "metis")[0] for grid in ("1x1x1024", "1x1x1"))
        self.assertGreater(layers["factor"]["supernodes"], alone["factor"]["supernodes"])
        self.assertEqual(layers["factor"], self.plan("stencil.mtx", "1x1x1024")[0]["factor"])

    def test_summary(self):
        result = self.succeed("plan", "definite.mtx", "--grid", "4x4x2")
        self.assertEqual([line.split()[0] for line in result.out.splitlines()],
                         ["matrix", "plan", *KINDS, "all", "busiest", "layers", "panels"])
        self.assertEqual(result.err, "")
        self.assertEqual(self.succeed("plan", "definite.mtx", "--grid", "4x4x2", ranks=3).out, result.out)

    def test_the_graph_of_a_small_plan(self):
        self.succeed("plan", "definite.mtx", "--grid", "2x1x2", "--dot", "plan.dot")
        text = self.path("plan.dot").read_text()
        self.assertTrue(text.startswith("digraph plan {") and text.endswith("}\n"))
        self.assertEqual(text.count("{"), text.count("}"))
        for word in ("forward, layer 1", "backward, layer 0", "exchange", "panel", "style=bold"):
            self.assertIn(word, text)

    def refuse(self, *arguments, word):
        before = self.files()
        result = self.run_here("plan", *arguments)
        self.assertEqual(result.status, 2, result)
        self.assertEqual(len(result.messages()), 1, result)
        self.assertIn(word, result.messages()[0])
        self.assertIn("\n  remedy: ", result.messages()[0])
        self.assertEqual(self.files(), before, "files left behind")

    def test_refusals(self):
        self.succeed("gallery", "s2d9", "--n", 80, "-o", "large.mtx")
        good = ("definite.mtx", "--grid", "2x2x2")
        for arguments, word in (
                (("definite.mtx",), "--grid"),
                (("nowhere.mtx", "--grid", "1x1x1"), "nowhere.mtx"),
                (("definite.mtx", "--grid", "auto"), "PXxPYxPZ"),
                (("definite.mtx", "--grid", "2x2x3"), "power of two"),
                ((*good, "--tree", "oak"), "oak"),
                ((*good, "--nrhs", 0), "--nrhs"),
                ((*good, "--json", "no/such/plan.json"), "no/such/plan.json"),
                ((*good, "--json", "out", "--traffic", "./out"), "--traffic"),
                (("large.mtx", "--grid", "2x2x2", "--json", "plan.json", "--dot", "plan.dot"), "smaller matrix")):
            with self.subTest(word):
                self.refuse(*arguments, word=word)


if __name__ == "__main__":
    unittest.main()
