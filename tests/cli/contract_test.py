"""The command line as a contract: the run record and its fields, help, what is printed where."""
import math
import os
import pty
import re
import subprocess
import unittest

from command import BINARY, CommandTest, grid_laplacian, matrices_folder, matrix_text

NUMBER = (int, float)

# The fields of records (docs/run-record.md), with their types.
RECORD = {
    "matrix": {"name": str, "rows": int, "nonzeros": int},
    "factor": {"kind": str, "nonzeros_l": int, "nonzeros_u": int, "bytes": int, "supernodes": int,
               "flops": NUMBER, "analysis_seconds": NUMBER, "seconds": NUMBER, "delayed_pivots": int,
               "perturbed_pivots": int, "condition_estimate": NUMBER, "numerically_singular": bool,
               "second_try": bool, "uncompressed_bytes": int, "compression_eps": NUMBER,
               "compression_seconds": NUMBER, "compression_undone": bool, "level_bytes": list,
               "uncompressed_level_bytes": list},
    "plan": {"grid": list, "mapping": str, "schedule": str, "inter_grid": str, "tree": str, "diagonal": str,
             "transport": str, "device": str, "threads": int, "deterministic": bool, "dependencies": bool,
             "chosen_by": str},
    "solve": {"nrhs": int, "op": str, "precision": str, "method": str, "repeats": int, "setup_seconds": NUMBER,
              "distribution_seconds": NUMBER, "plan_seconds": NUMBER,
              "panel_bytes": NUMBER, "panel_bytes_max": NUMBER, "seconds_min": NUMBER,
              "seconds_median": NUMBER, "l_seconds": NUMBER, "u_seconds": NUMBER, "inter_grid_seconds": NUMBER,
              "backward_error": NUMBER, "componentwise_backward_error": NUMBER,
              "arioli_demmel_duff_backward_error": NUMBER, "solution_condition": NUMBER,
              "forward_error_bound": NUMBER, "componentwise_forward_error_bound": NUMBER,
              "refinement_steps": int, "refinement_seconds": NUMBER,
              "compression_pays_from": NUMBER},
    "machine": {"host": str, "processor": str, "mpi": str, "processors": int, "memory_bytes": NUMBER},
}
RANK = {"rank": int, "x": int, "y": int, "z": int, "l_seconds": NUMBER, "u_seconds": NUMBER,
        "floating_point_seconds": NUMBER, "intra_grid_seconds": NUMBER, "inter_grid_seconds": NUMBER,
        "l_floating_point_seconds": NUMBER, "u_floating_point_seconds": NUMBER,
        "idle_seconds": NUMBER, "messages": dict, "messages_sent": int, "bytes_sent": int, "messages_received": int, "bytes_received": int}

OPTIONS = {
    "gallery": ["--n", "--output", "--seed", "--complex"],
    "info": ["--ranks"],
    "plan": ["--nrhs", "--grid", "--mapping", "--schedule", "--tree", "--inter-grid", "--diagonal", "--op",
             "--precision", "--ordering", "--json", "--traffic", "--dot"],
    "solve": ["--rhs", "--nrhs", "--output", "--grid", "--mapping", "--schedule", "--tree", "--inter-grid",
              "--diagonal", "--transport", "--device", "--op", "--precision", "--method", "--preconditioner",
              "--refine", "--repeat", "--threads", "--json", "--ordering", "--trace", "--traffic", "--deterministic",
              "--no-dependencies", "--watchdog", "--machine"],
    "tune": ["--machine", "--ranks", "--nrhs", "--grid", "--mapping", "--schedule", "--tree", "--inter-grid",
             "--diagonal", "--transport", "--op", "--precision", "--ordering", "--exhaustive", "--json"],
    "pingpong": ["--largest", "--peer", "--json"],
}


class RunRecord(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a.mtx", matrix_text(400, grid_laplacian(20, shift=0.5)))

    def check_types(self, part, fields):
        for name, kind in fields.items():
            self.assertIn(name, part)
            self.assertIsInstance(part[name], kind, name)
            if kind is NUMBER:
                self.assertTrue(math.isfinite(part[name]) and part[name] >= 0, name)

    def test_fields(self):
        record = self.solve("a.mtx", "--repeat", 3, "--nrhs", 2, grid="2x1x2")
        self.assertEqual(set(record), {"version", "predicted", "ranks", *RECORD})
        for name, fields in RECORD.items():
            with self.subTest(name):
                self.check_types(record[name], fields)
        self.assertIs(record["predicted"], False)
        self.assertEqual(record["version"], self.succeed("--version").out.strip())
        self.assertEqual(record["plan"]["grid"], [2, 1, 2])
        self.assertEqual((record["solve"]["nrhs"], record["solve"]["repeats"]), (2, 3))
        self.assertEqual((record["matrix"]["name"], record["matrix"]["rows"]), ("a.mtx", 400))
        solve = record["solve"]
        self.assertLessEqual(solve["seconds_min"], solve["seconds_median"])
        self.assertLessEqual(solve["distribution_seconds"] + solve["plan_seconds"], solve["setup_seconds"] * 1.01)

    def test_ranks(self):
        for grid, places in (("2x1x2", [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)]), ("1x1x1", [(0, 0, 0)])):
            for op in "NT":
                with self.subTest(grid=grid, op=op):
                    ranks = self.solve("a.mtx", "--op", op, grid=grid)["ranks"]
                    self.assertEqual([r["rank"] for r in ranks], list(range(len(places))))
                    self.assertEqual([(r["x"], r["y"], r["z"]) for r in ranks], places)
                    for rank in ranks:
                        self.check_types(rank, RANK)
                        self.assertAlmostEqual(rank["l_seconds"] + rank["u_seconds"],
                                               rank["floating_point_seconds"] + rank["intra_grid_seconds"])
                        parts = [rank[f"{sweep}_floating_point_seconds"] for sweep in "lu"]
                        self.assertAlmostEqual(sum(parts), rank["floating_point_seconds"], 12)
                        for sweep, part in zip("lu", parts):
                            self.assertLessEqual(part, rank[f"{sweep}_seconds"])
                        self.assertGreater(max(parts), 0)
                    for what in ("messages", "bytes"):
                        sent, received = (sum(r[f"{what}_{way}"] for r in ranks) for way in ("sent", "received"))
                        self.assertEqual(sent, received)
                        self.assertEqual(sent > 0, len(places) > 1)

    def test_an_emulated_device_sends_what_the_native_engine_sends(self):
        for grid in ("1x1x1", "2x1x2"):
            with self.subTest(grid=grid):
                native, emulated = (self.solve("a.mtx", "--device", device, grid=grid) for device in ("native", "emulated"))
                self.assertEqual(emulated["plan"]["device"], "emulated")
                self.assertEqual(emulated["plan"]["exchange_backend"], "puts")
                mpi = self.solve("a.mtx", "--device", "emulated", "--exchange-backend", "mpi", grid=grid)
                self.assertEqual(mpi["plan"]["exchange_backend"], "mpi")
                self.assertLess(mpi["solve"]["componentwise_backward_error"], 1e-15)
                self.assertLess(emulated["solve"]["componentwise_backward_error"], 1e-15)
                for what in ("messages", "messages_sent", "bytes_sent", "messages_received", "bytes_received"):
                    self.assertEqual([r[what] for r in emulated["ranks"]], [r[what] for r in native["ranks"]], what)

    def test_a_device_reads_the_factors_that_are_compressed(self):
        self.succeed("gallery", "poisson3d", "--n", 12, "-o", "p.mtx")
        native, emulated = (self.solve("p.mtx", "--compress", "1e-7", "--device", device) for device in ("native", "emulated"))
        self.assertEqual(emulated["plan"]["device"], "emulated")
        self.assertFalse(emulated["factor"]["compression_undone"])
        self.assertEqual(emulated["factor"]["bytes"], native["factor"]["bytes"])
        self.assertLess(emulated["factor"]["bytes"], emulated["factor"]["uncompressed_bytes"])
        self.assertLess(emulated["solve"]["componentwise_backward_error"], 1e-15)

    def test_record_of_a_file_whose_name_is_not_text(self):
        name = os.fsencode(self.folder) + b"/a\xe9.mtx"
        os.rename(self.path("a.mtx"), name)
        self.succeed("solve", os.fsdecode(name), "--json", "run.json")
        self.assertIn(".mtx", self.record("run.json")["matrix"]["name"])

    def test_the_same_run_sends_the_same_messages(self):
        first, second = (self.solve("a.mtx", grid="2x2x2")["ranks"] for _ in range(2))
        for field in ("messages_sent", "bytes_sent", "messages_received", "bytes_received"):
            self.assertEqual([r[field] for r in first], [r[field] for r in second], field)

    def test_solution_is_the_same_on_every_run(self):
        texts = []
        for _ in range(2):
            self.solve("a.mtx", "-o", "x.mtx", "--threads", 2)
            texts.append(self.path("x.mtx").read_text())
        self.assertEqual(*texts)


class Words(CommandTest):
    def test_help(self):
        self.assertTrue(set(OPTIONS) <= set(re.findall(r"^  (\w+) ", self.succeed("--help").out, re.MULTILINE)))
        for command, options in OPTIONS.items():
            with self.subTest(command):
                result = self.succeed(command, "--help")
                self.assertEqual(result.err, "")
                for option in options:
                    self.assertRegex(result.out, rf"(?m)^ .*{option}\b")

    def test_help_and_version_are_printed_once(self):
        for word in ("--help", "--version"):
            result = self.succeed(word, ranks=4)
            self.assertEqual(result.out, self.succeed(word).out)
        self.assertRegex(result.out, r"^\d+\.\d+\.\d+\n$")

    def test_info_describes_every_real_matrix(self):
        for matrix in sorted(p for p in matrices_folder().iterdir() if p.name.endswith((".mtx.gz", ".rua"))):
            with self.subTest(matrix.name):
                result = self.succeed("info", matrix)
                self.assertEqual(result.err, "")
                for word in ("size", "symmetry", "structural rank"):
                    self.assertIn(f"  {word}", result.out)
                if "deficient" not in result.out:
                    for word in ("supernodes", "fill", "levels", "parallelism"):
                        self.assertIn(f"  {word}", result.out)

    def test_info_says_how_many_ranks_a_system_needs(self):
        self.succeed("gallery", "poisson3d", "--n", 16, "-o", "a.mtx")
        self.assertNotIn("memory", self.succeed("info", "a.mtx").out)
        line = re.search(r"memory +(.*)", self.succeed("info", "a.mtx", "--ranks", 12).out).group(1)
        found = re.fullmatch(r"(\S+) MB to factor on 1 rank; on the fullest of 2: (\S+) MB, 4: (\S+) MB, 8: (\S+) MB, 12: "
                             r"(\S+) MB", line)
        self.assertTrue(found, line)
        needed = [float(number) for number in found.groups()]
        self.assertEqual(sorted(needed[:4], reverse=True), needed[:4])
        self.assertLess(needed[3], needed[0] / 3)

    def test_info_names_the_symmetry(self):
        hermitian = {(0, 0): 2 + 0j, (0, 1): 1j, (1, 0): -1j, (1, 1): 2 + 0j}
        for text, word in ((matrix_text(4, grid_laplacian(2, 1.0)), "symmetric"),
                           (matrix_text(2, hermitian, field="complex"), "Hermitian"),
                           (matrix_text(2, {(0, 0): 1.0, (0, 1): 1.0, (1, 1): 1.0}), "unsymmetric"),
                           ("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 3 1.0\n", "rectangular")):
            with self.subTest(word):
                self.write("a.mtx", text)
                found = re.search(r"symmetry +(.*)", self.succeed("info", "a.mtx").out)
                self.assertEqual(found.group(1), word)

    def test_gallery_writes_what_solve_reads(self):
        result = self.succeed("gallery", "kkt3d", "--n", 3)
        self.assertIn("kkt3d.mtx: 108 rows", result.out)
        self.assertEqual(self.solve_well("kkt3d.mtx")["matrix"]["rows"], 108)

    def test_nothing_but_the_summary_when_piped(self):
        self.succeed("gallery", "s2d9", "--n", 300, "-o", "a.mtx")
        result = self.succeed("solve", "a.mtx", "--grid", "square", ranks=4)
        self.assertEqual(result.err, "")
        self.assertEqual([line.split()[0] for line in result.out.splitlines()],
                         ["matrix", "analysis", "factor", "setup", "solve", "accuracy"])
        result = self.succeed("solve", "a.mtx", "--diagonal", "separators", ranks=4)
        self.assertEqual(result.err, "")
        words = [line[:9].strip() for line in result.out.splitlines()]  # inverted separators, and what they cost
        self.assertEqual(words, ["matrix", "analysis", "factor", "", "setup", "solve", "plan", "", "", "", "accuracy"])

    def test_progress_on_a_terminal(self):
        """Drawn while work goes on, and cleared before the summary, which ends the run."""
        self.succeed("gallery", "poisson3d", "--n", 52, "-o", "a.mtx")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BINARY, "solve", "a.mtx"], cwd=self.folder, stdout=theirs, stderr=theirs,
                                   stdin=subprocess.DEVNULL)
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
        self.assertEqual(process.wait(timeout=120), 0)
        text = shown.decode()
        self.assertRegex(text, r"\r\x1b\[K\w+ +\d+ %")
        self.assertRegex(text.rsplit("\r\x1b[K", 1)[1], r"^matrix .*\n(.*\n)*accuracy .*\r?\n$")


if __name__ == "__main__":
    unittest.main()
