"""What a run shows of itself, transports, threads and sums in a fixed order, as a user meets them."""
import csv
import json
import unittest

from command import CommandTest, grid_laplacian, matrix_text

KINDS = ("broadcast", "reduction", "exchange")
TRANSPORTS = ("two-sided", "one-sided", "shared")


class Instruments(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a.mtx", matrix_text(900, grid_laplacian(30, shift=0.5)))

    def test_messages_by_kind_add_up(self):
        for schedule, transport in zip(("single-sync", "level-sync", "single-sync"), TRANSPORTS):
            with self.subTest(transport):
                record = self.solve_well("a.mtx", "--schedule", schedule, "--transport", transport, grid="2x2x2")
                self.assertEqual(record["plan"]["transport"], transport)
                for rank in record["ranks"]:
                    for total, part in (("messages_sent", "sent"), ("bytes_sent", "bytes_sent"),
                                        ("messages_received", "received"), ("bytes_received", "bytes_received")):
                        self.assertEqual(rank[total], sum(rank["messages"][kind][part] for kind in KINDS))
                    self.assertLessEqual(rank["idle_seconds"], rank["l_seconds"] + rank["u_seconds"])

    def test_traffic_of_a_run_is_that_of_the_record_and_of_the_plan(self):
        record = self.solve("a.mtx", "--traffic", "run.csv", "--nrhs", 3, grid="2x2x2")
        self.succeed("plan", "a.mtx", "--grid", "2x2x2", "--nrhs", 3, "--traffic", "plan.csv")
        run, plan = (list(csv.DictReader(self.path(name).read_text().splitlines())) for name in ("run.csv", "plan.csv"))
        key = lambda row: (int(row["from"]), int(row["to"]), row["kind"])
        self.assertEqual(sorted(run, key=key), sorted(plan, key=key))
        for rank in record["ranks"]:
            sent = [row for row in run if int(row["from"]) == rank["rank"]]
            self.assertEqual(sum(int(row["messages"]) for row in sent), rank["messages_sent"])
            self.assertEqual(sum(int(row["bytes"]) for row in sent), rank["bytes_sent"])

    def test_trace_has_every_rank_thread_and_message(self):
        record = self.solve("a.mtx", "--trace", "t.json", "--threads", 2, grid="2x1x2")
        events = json.loads(self.path("t.json").read_text())["traceEvents"]
        self.assertEqual({e["pid"] for e in events}, {0, 1, 2, 3})
        self.assertEqual({e["tid"] for e in events if e["ph"] == "X"}, {0, 1})
        arrows = {phase: sorted(e["id"] for e in events if e["ph"] == phase) for phase in "sf"}
        self.assertEqual(arrows["s"], arrows["f"])
        self.assertEqual(len(set(arrows["s"])), sum(r["messages_sent"] for r in record["ranks"]))
        spans = [e for e in events if e["ph"] == "X"]
        self.assertTrue(all(e["dur"] >= 0 for e in spans))
        self.assertLessEqual({"forward sweep", "backward sweep", "products", "send", "receive"},
                             {e["name"] for e in spans})

    def test_deterministic_solutions_do_not_depend_on_transport_or_threads(self):
        texts = set()
        for options in (*(("--transport", t) for t in TRANSPORTS), ("--threads", 2), ("--threads", 4)):
            record = self.solve_well("a.mtx", "--deterministic", "-o", "x.mtx", "--refine", 0, *options, grid="2x2x1")
            self.assertIs(record["plan"]["deterministic"], True)
            texts.add(self.path("x.mtx").read_text())
        self.assertEqual(len(texts), 1)

    def test_ranks_of_one_node_share_memory_unless_told_otherwise(self):
        for ranks, options, transport in ((4, (), "shared"), (1, (), "two-sided"),
                                          (4, ("--transport", "two-sided"), "two-sided"),
                                          (4, ("--grid", "2x2x1"), "shared")):
            with self.subTest(ranks=ranks, options=options):
                self.succeed("solve", "a.mtx", "--json", "r.json", *options, ranks=ranks)
                self.assertEqual(self.record("r.json")["plan"]["transport"], transport)

    def test_without_dependencies_the_messages_stay_and_the_answer_goes(self):
        fields = ("messages_sent", "bytes_sent", "messages_received", "bytes_received")
        normal = self.solve("a.mtx", grid="2x2x2")
        free = self.solve("a.mtx", "--no-dependencies", grid="2x2x2")
        self.assertIsNone(free["solve"]["backward_error"])
        self.assertIs(free["plan"]["dependencies"], False)
        for field in fields:
            self.assertEqual([r[field] for r in normal["ranks"]], [r[field] for r in free["ranks"]])
        result = self.run_here("solve", "a.mtx", "--no-dependencies", "-o", "x.mtx")
        self.assertEqual(result.status, 2, result)
        self.assertEqual(self.files().count("x.mtx"), 0)

    def test_outputs_must_differ(self):
        result = self.run_here("solve", "a.mtx", "--trace", "same.json", "--json", "same.json", ranks=2)
        self.assertEqual(result.status, 2, result)
        self.assertIn("same.json", result.err)
        self.assertNotIn("same.json", self.files())

    def test_pingpong_measures_every_transport(self):
        self.succeed("pingpong", "--json", "p.json", "--largest", 2048, ranks=2)
        record = self.record("p.json")
        names = [t["name"] for t in record["transports"]]
        self.assertEqual(names, ["two-sided", "one-sided", "shared", "shared-window"])
        for transport in record["transports"]:
            self.assertEqual([s["bytes"] for s in transport["samples"]], [8, 32, 128, 512, 2048])
            for s in transport["samples"]:
                self.assertTrue(0 < s["seconds_min"] <= s["seconds_median"] <= s["seconds_max"])
        alone = self.run_here("pingpong")
        self.assertEqual(alone.status, 2, alone)
        self.assertIn("mpirun -n 2", alone.err)


if __name__ == "__main__":
    unittest.main()
