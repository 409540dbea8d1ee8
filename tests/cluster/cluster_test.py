"""Solves on several nodes (scripts/cluster), which differ from ranks of one machine in all that an MPI does between nodes:
other transports, daemons on other hosts, ranks that share memory with some and not with others."""
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from command import ROOT, CommandTest, grid_laplacian, matrix_text, ranks_of  # noqa: E402
from kill_test import END_SECONDS, RANKS, LostRankTest, wait_until  # noqa: E402

CLUSTER = str(ROOT / "scripts" / "cluster")
MPICH = os.environ.get("TRISWEEP_MPI") == "mpich"
# Debian's Open MPI makes windows over TCP only without UCX, which claims them and then has none.
EMULATED_WINDOWS = {"OMPI_MCA_osc": "^ucx"}


def cluster(nodes, ranks, **settings):
    """What starts a command on a cluster."""
    return ["env", *(f"{name}={value}" for name, value in settings.items()), CLUSTER, str(nodes), str(ranks)]


def setUpModule():
    tried = subprocess.run([*cluster(1, 1), "true"], capture_output=True, text=True, timeout=60)
    if tried.returncode == 2 and "needs" in tried.stderr:
        print(f"no cluster: {tried.stderr.strip()}")
        raise unittest.SkipTest(tried.stderr.strip())


class Solves(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a.mtx", matrix_text(900, grid_laplacian(30, shift=0.5)))

    def check_solve(self, grid, nodes, *options, **settings):
        launcher = cluster(nodes, ranks_of(grid) // nodes, **settings)
        record = self.solve_well("a.mtx", "--refine", 1, *options, grid=grid, launcher=launcher)
        self.assertEqual(len(record["ranks"]), ranks_of(grid))
        return record

    def test_grids_and_schedules(self):
        for grid, nodes, *options in (
            ("2x1x1", 2),
            ("2x1x2", 2, "--schedule", "level-sync"),
            ("1x1x4", 4, "--inter-grid", "per-node"),
            ("2x2x2", 4, "--nrhs", 3, "--threads", 2),
            ("3x2x1", 2, "--mapping", "proportional", "--diagonal", "separators"),
        ):
            with self.subTest(grid=grid, nodes=nodes, options=options):
                record = self.check_solve(grid, nodes, *options)
                self.assertEqual(record["plan"]["transport"], "two-sided")

    def test_ranks_of_one_node_still_share_memory(self):
        self.assertEqual(self.check_solve("2x1x1", 1)["plan"]["transport"], "shared")

    def test_one_sided_messages_are_carried_or_refused_with_a_remedy(self):
        for nodes in (2, 4):
            record = self.check_solve("2x1x2", nodes, "--transport", "one-sided", **EMULATED_WINDOWS)
            self.assertEqual(record["plan"]["transport"], "one-sided")
        if MPICH:
            return
        result = self.run_here("solve", "a.mtx", "--transport", "one-sided", "--json", "no.json", launcher=cluster(2, 2))
        self.check_refusal(result, "MPI_Win_allocate")
        self.assertRegex(result.err, "use the two-sided transport; or .*osc")
        self.assertNotIn("no.json", self.files())

    def test_shared_memory_is_refused_with_a_remedy(self):
        result = self.run_here("solve", "a.mtx", "--transport", "shared", launcher=cluster(2, 2))
        self.check_refusal(result, "different nodes")
        self.assertIn("use the two-sided transport", result.err)

    def test_layers_of_one_rank_each_compute_as_devices(self):
        for grid, nodes, *options in (("1x1x2", 2), ("1x1x4", 2, "--op", "T", "--nrhs", 2), ("1x1x1", 1)):
            with self.subTest(grid=grid, nodes=nodes, options=options):
                record = self.check_solve(grid, nodes, "--device", "emulated", *options)
                self.assertEqual(record["plan"]["exchange_backend"], "mpi" if nodes > 1 else "puts")
        self.succeed("solve", "a.mtx", "--device", "emulated", "--json", "run.json", launcher=cluster(2, 2))
        self.assertEqual(self.record("run.json")["plan"]["grid"], [1, 1, 4])

    def test_segments_that_devices_of_several_nodes_would_share_are_refused(self):
        for options in (("--grid", "2x1x2"), ("--mapping", "proportional"), ("--exchange-backend", "puts")):
            with self.subTest(options):
                result = self.run_here("solve", "a.mtx", "--device", "emulated", "--json", "no.json", *options,
                                       launcher=cluster(2, 2))
                self.check_refusal(result, "share no memory")
                self.assertIn("--exchange-backend mpi with --grid 1x1xPZ", result.err)
                self.assertNotIn("no.json", self.files())

    def check_refusal(self, result, reason):
        """Once, from all ranks together: nobody had to end the others by force."""
        self.assertEqual(result.status, 2, result)
        self.assertEqual(len(result.messages()), 1, result)
        self.assertIn(reason, result.err)
        self.assertNotIn("MPI_ABORT", result.err)


class Measurements(CommandTest):
    def measure(self, nodes, ranks, **settings):
        self.succeed("machines", "--measure", "--json", "m.json", launcher=cluster(nodes, ranks, **settings))
        return self.record("m.json")

    def test_a_machine_is_described_without_what_it_does_not_have(self):
        for nodes, ranks in ((2, 2), (4, 1)):
            with self.subTest(nodes=nodes, ranks=ranks):
                machine = self.measure(nodes, ranks)
                self.assertEqual(machine["ranks_per_node"], ranks)
                self.assertNotIn("shared", machine)
                self.assertEqual("one_sided" in machine, MPICH)
                missing = [source["figure"] for source in machine["sources"] if source["figure"].startswith("no ")]
                self.assertEqual(missing, ["no shared messages"] if MPICH else
                                 ["no one-sided messages", "no shared messages"])

    def test_plans_are_chosen_and_priced_without_it(self):
        self.measure(2, 2)
        self.write("a.mtx", matrix_text(400, grid_laplacian(20, shift=0.5)))
        self.succeed("solve", "a.mtx", "--machine", "m.json", "--json", "run.json", launcher=cluster(2, 2))
        self.assertEqual(self.record("run.json")["plan"]["transport"], "two-sided")
        if MPICH:
            return
        result = self.run_here("predict", "a.mtx", "--machine", "m.json", "--ranks", 4, "--transport", "one-sided")
        self.assertEqual(result.status, 2, result)
        self.assertIn("no one-sided messages", result.err)

    def test_pingpong_ends_and_says_what_it_leaves_out(self):
        for peer, settings, names in (
            (3, {}, ["two-sided"]),
            (1, EMULATED_WINDOWS, ["two-sided", "one-sided", "shared-window"]),
            (2, EMULATED_WINDOWS, ["two-sided", "one-sided"]),
        ):
            with self.subTest(peer=peer, settings=settings):
                self.succeed("pingpong", "--peer", peer, "--largest", 2048, "--json", "p.json",
                             launcher=cluster(2, 2, **settings))
                record = self.record("p.json")
                measured = [t["name"] for t in record["transports"]]
                if not MPICH:
                    self.assertEqual(measured, names)
                self.assertIn("shared", [m["name"] for m in record["missing"]])
        result = self.run_here("pingpong", "--peer", 4, launcher=cluster(2, 2))
        self.assertEqual(result.status, 2, result)


class LostRank(LostRankTest):
    def test_a_killed_rank_ends_the_job_on_all_nodes(self):
        for nodes, victim in ((4, 0), (2, RANKS - 1)):
            with self.subTest(nodes=nodes, victim=victim):
                started = self.start(launcher=cluster(nodes, RANKS // nodes))
                os.kill(started.ranks[victim], signal.SIGKILL)
                self.assertRegex(self.check_end(started), r"(?i)kill|signal 9")

    def test_the_watchdog_ends_a_job_that_a_stopped_rank_holds_up(self):
        started = self.start("--watchdog", "2", launcher=cluster(2, RANKS // 2))
        os.kill(started.ranks[RANKS - 1], signal.SIGSTOP)
        self.assertRegex(self.check_end(started), r"(?s)rank \d: no progress for 2 s: .*rank")

    def test_nothing_stays_of_a_cluster_that_is_killed(self):
        for number in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(number):
                started = self.start(launcher=cluster(2, RANKS // 2))
                os.kill(started.launcher.pid, number)
                started.launcher.wait(timeout=END_SECONDS)
                wait_until(lambda: not started.living(), "the end of every process", END_SECONDS)


class Tool(CommandTest):
    def run_tool(self, *words, **options):
        return subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60, **options)

    def test_nodes_have_names_and_clusters_do_not_see_each_other(self):
        line = [*cluster(2, 2), "sh", "-c", "hostname; ls /run/netns | wc -l"]
        running = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for process in running:
            out, _ = process.communicate(timeout=60)
            self.assertEqual(sorted(out.split()), ["2"] * 4 + ["node0", "node0", "node1", "node1"])

    def test_the_status_is_the_commands(self):
        self.assertEqual(self.run_tool(*cluster(2, 1), "sh", "-c", "exit 3").returncode, 3)

    def test_words_arrive_as_they_were(self):
        said = self.run_tool(*cluster(1, 1), "printf", "<%s>", "a  b", "$HOME", "it's").stdout
        self.assertEqual(said, "<a  b><$HOME><it's>")

    def test_it_stands_in_for_mpirun(self):
        said = self.run_tool(CLUSTER, 2, "-n", 4, "hostname").stdout
        self.assertEqual(sorted(said.split()), ["node0"] * 2 + ["node1"] * 2)
        self.assertEqual(self.run_tool(CLUSTER, 2, "-n", 3, "hostname").returncode, 2)

    def test_wrong_use_is_refused(self):
        for words in ((), (0, 1, "true"), (2, "x", "true"), (100, 1, "true"), (2, 2)):
            result = self.run_tool(CLUSTER, *words)
            self.assertEqual((result.returncode, "usage" in result.stderr), (2, True), words)


if __name__ == "__main__":
    unittest.main()
