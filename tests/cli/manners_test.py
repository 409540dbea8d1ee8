"""What a command does with its outputs, with options that mean nothing, and with what is only large or long."""
import json
import os
import re
import shutil
import subprocess
import threading
import unittest

from command import BINARY, GOOD, CommandTest, dense_text, grid_laplacian, matrix_text, read_dense

OCTAHEDRON = "\n".join(
    ["v 1 0 0", "v -1 0 0", "v 0 1 0", "v 0 -1 0", "v 0 0 1", "v 0 0 -1"]
    + [f"f {i} {j} {k}" for i, j, k in ((1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5),
                                        (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6))]) + "\n"

# What is given, and how the refusal names it.
MEANINGLESS = {
    ("solve", "a.mtx", "--tolerance", "1e-6"): "--tolerance cannot be combined with --method direct",
    ("solve", "a.mtx", "--max-iterations", 5): "--max-iterations cannot be combined with --method direct",
    ("solve", "a.mtx", "--preconditioner", "ilu0"): "--preconditioner cannot be combined with --method direct",
    ("solve", "a.mtx", "--overlap", "block"): "--overlap cannot be combined with --method direct",
    ("solve", "a.mtx", "--method", "bicgstab", "--replace-every", 5): "--replace-every cannot be combined with --method bicgstab",
    ("solve", "a.mtx", "--no-dependencies", "--refine", 3): "--refine cannot be combined with --no-dependencies",
    **{("solve", "a.mtx", "--method", "gmres", "--preconditioner", "ilu0", *option):
       f"{option[0]} cannot be combined with --preconditioner ilu0"
       for option in (("--mapping", "proportional"), ("--diagonal", "separators"), ("--schedule", "single-sync"),
                      ("--inter-grid", "sparse"), ("--tree", "flat"), ("--transport", "two-sided"),
                      ("--ordering", "scotch"), ("--compress", "auto"), ("--device", "emulated"), ("--machine", "generic"),
                      ("--watchdog", 5), ("--deterministic",))},
    ("solve", "a.mtx", "--method", "gmres", "--preconditioner", "none", "--precision", "mixed"):
        "--precision mixed cannot be combined with --preconditioner none",
    ("sptrsv", "l.mtx", "--pes", 2, "--algorithm", "push", "--threads", 2): "--threads cannot be combined with predictions by --pes",
    ("sptrsv", "l.mtx", "--pes", 2, "--algorithm", "push", "--repeat", 2): "--repeat cannot be combined with predictions by --pes",
    ("sptrsv", "l.mtx", "--algorithm", "level-set", "--solves", 5): "--solves cannot be combined with --algorithm level-set",
    ("sptrsv", "l.mtx", "--device", "emulated", "--solves", 5): "--solves cannot be combined with --device emulated",
    ("sptrsv", "l.mtx", "--solves", 0): "--solves",
    ("predict", "a.mtx", "--machine", "generic", "--ranks", 4, "--seed", 3): "--seed",
    ("predict", "--analysis", "a.analysis", "--machine", "generic", "--ranks", 1, "--ordering", "scotch"): "--ordering",
    ("tune", "--analysis", "a.analysis", "--machine", "generic", "--ranks", 1, "--ordering", "scotch"): "--ordering",
    ("gallery", "poisson3d", "--n", 3, "--seed", 3): "--seed cannot be combined with poisson3d",
    ("himv", "--object", "spheres", "--n", 300, "--overlap", "pipe1"): "--overlap cannot be combined with BiCGStab that is not pipel",
    ("himv", "--object", "spheres", "--n", 300, "--streams", 2): "--streams cannot be combined with --kernel merged",
    ("bem", "--object", "sphere", "--n", 300, "--distance", 2): "--distance cannot be combined with --object sphere",
    ("bem", "--object", "human", "--n", 300, "--potential", 2): "--potential cannot be combined with --object human",
    ("bem", "--object", "hum2", "--array", 2): "--array cannot be combined with --object hum2",
    ("bem", "--object", "spheres", "--n", 300, "--field", 2): "--field cannot be combined with --object spheres",
    ("bem", "--object", "./o.obj", "--radius", 2): "--radius cannot be combined with --object ./o.obj",
    ("bem", "--object", "./o.obj", "--potential", "1,2"): "--potential with two values cannot be combined with --object ./o.obj",
    ("bem", "--object", "sphere", "--n", 300, "--radius", "1,2"): "--radius with two values cannot be combined with --object sphere",
    ("bem", "--object", "sphere", "--n", 300, "--potential", "1,2"):
        "--potential with two values cannot be combined with --object sphere",
    ("bem", "--object", "sphere", "--n", 300, "--closed"): "--closed cannot be combined with generated objects",
    ("bem", "--object", "sphere", "--n", 300, "--replace-every", 3): "--replace-every cannot be combined with --method bicgstab",
    ("bem", "--object", "sphere", "--n", 300, "--device", "native", "--gpus", 2): "--gpus cannot be combined with --device native",
    ("bem", "--object", "sphere", "--n", 300, "--device", "emulated", "--cut", "count"): "--cut cannot be combined with --kernel merged",
    ("bem", "--object", "sphere", "--n", 300, "--no-recompression", "--precision", "double"):
        "--precision cannot be combined with --no-recompression",
}


class Manners(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("a.mtx", matrix_text(225, grid_laplacian(15, shift=0.1)))

    def refuse(self, *words, says, status=2, **options):
        before = self.files()
        result = self.run_here(*words, **options)
        self.assertEqual(result.status, status, result)
        self.assertEqual(len(result.messages()), 1, result)
        self.assertIn(says, result.messages()[0], result)
        self.assertIn("\n  remedy: ", result.messages()[0], result)
        self.assertEqual(self.files(), before)
        return result.messages()[0]

    def test_options_that_do_nothing_are_refused(self):
        self.write("l.mtx", matrix_text(2, {(0, 0): 1.0, (1, 0): 1.0, (1, 1): 1.0}))
        self.write("o.obj", OCTAHEDRON)
        self.succeed("predict", "a.mtx", "--machine", "generic", "--ranks", 1, "--save-analysis", "a.analysis")
        for words, says in MEANINGLESS.items():
            with self.subTest(says, words=words):
                self.refuse(*words, says=says)
        # What says no more than what is done.
        self.succeed("solve", "a.mtx", "--method", "direct", "--preconditioner", "lu")
        self.succeed("solve", "a.mtx", "--method", "gmres", "--preconditioner", "ilu0", "--device", "native")

    def test_empty_values_are_refused(self):
        """Of every option of every command: a variable of the shell that is not set."""
        commands = re.findall(r"^  (\w+) ", self.succeed("--help").out, re.MULTILINE)
        self.assertIn("solve", commands)
        for command in commands:
            text = self.succeed(command, "--help").out
            for option in re.findall(r"^  (?:-o,)?(--[\w-]+)\S* (?!Excludes|Needs)[A-Z{]", text, re.MULTILINE):
                with self.subTest(command, option=option):
                    self.refuse(command, option, "", says=option)
        self.refuse("solve", "a.mtx", "--rhs", "", says="--rhs: its value is empty")
        self.refuse("solve", "", says="matrix: its value is empty")

    def test_a_lost_standard_output_is_an_error(self):
        for words in (("--help",), ("--version",), ("solve", "--help"), ("solve", "a.mtx"), ("info", "a.mtx"),
                      ("plan", "a.mtx", "--grid", "1x1x1"), ("predict", "a.mtx", "--machine", "generic", "--ranks", 1),
                      ("tune", "a.mtx", "--machine", "generic", "--ranks", 1), ("machines",), ("machines", "generic"),
                      ("doctor",), ("manual", "solve"), ("completion", "bash")):
            with self.subTest(words):
                said = self.refuse(*words, limits="exec > /dev/full", says="No space left on device")
                self.assertRegex(said, "cannot write (standard output|/dev/stdout): ")
        self.refuse("solve", "a.mtx", limits="exec >&-", says="cannot write standard output: ")
        self.assertEqual(self.run_here("nowhere", limits="exec 2> /dev/full").status, 2)

    def test_an_output_is_no_input(self):
        self.write("b.mtx", dense_text([[1.0] * 225]))
        self.write("machine.json", self.succeed("machines", "generic", "--json", "-").out)
        self.write("l.mtx", matrix_text(2, {(0, 0): 1.0, (1, 0): 1.0, (1, 1): 1.0}))
        self.write("o.obj", OCTAHEDRON)
        self.succeed("predict", "a.mtx", "--machine", "generic", "--ranks", 1, "--save-analysis", "a.analysis")
        os.symlink("a.mtx", self.path("link.mtx"))
        os.link(self.path("b.mtx"), self.path("hard.mtx"))
        contents = {name: self.path(name).read_bytes() for name in self.files()}
        solve = ("solve", "a.mtx", "--rhs", "b.mtx")
        predict = ("predict", "--ranks", 1, "--machine")
        for words, says in {
                (*solve, "-o", "a.mtx"): "matrix and --output both name a.mtx",
                (*solve, "--json", "./a.mtx"): "matrix and --json both name ./a.mtx",
                (*solve, "--trace", "link.mtx"): "matrix and --trace both name link.mtx",
                (*solve, "--traffic", "b.mtx"): "--rhs and --traffic both name b.mtx",
                (*solve, "-o", "hard.mtx"): "--rhs and --output both name hard.mtx",
                (*solve, "--machine", "machine.json", "--json", "machine.json"): "--machine and --json both name",
                ("sptrsv", "l.mtx", "-o", "l.mtx"): "matrix and --output both name l.mtx",
                ("plan", "a.mtx", "--grid", "1x1x1", "--dot", "a.mtx"): "matrix and --dot both name a.mtx",
                (*predict, "machine.json", "a.mtx", "--json", "machine.json"): "--machine and --json both name",
                (*predict, "generic", "--analysis", "a.analysis", "--save-analysis", "a.analysis"):
                    "--analysis and --save-analysis both name a.analysis",
                ("tune", "a.mtx", "--ranks", 1, "--machine", "generic", "--json", "a.mtx"): "matrix and --json both",
                ("machines", "machine.json", "--json", "machine.json"): "name and --json both name machine.json",
                ("bem", "--object", "./o.obj", "--vtu", "o.obj"): "--object and --vtu both name o.obj",
        }.items():
            for ranks in (0, 2) if words[0] == "solve" else (0,):
                with self.subTest(says, ranks=ranks):
                    self.refuse(*words, says=says, ranks=ranks)
        self.assertEqual({name: self.path(name).read_bytes() for name in self.files()}, contents)

    def test_a_dash_is_standard_output_alone(self):
        result = self.succeed("solve", "a.mtx", "--json", "-")
        self.assertEqual(json.loads(result.out)["matrix"]["rows"], 225)
        self.assertIn("accuracy ", result.err)
        result = self.succeed("solve", "a.mtx", "-o", "-", "--json", "run.json")
        self.write("x.mtx", result.out)
        self.assertEqual(len(read_dense(self.path("x.mtx"))[0]), 225)
        result = self.succeed("gallery", "poisson3d", "--n", 3, "-o", "-")
        self.assertEqual(result.out.splitlines()[0], "%%MatrixMarket matrix coordinate real general")
        for words in (("plan", "a.mtx", "--grid", "1x1x1"), ("predict", "a.mtx", "--machine", "generic", "--ranks", 1),
                      ("tune", "a.mtx", "--machine", "generic", "--ranks", 1), ("machines", "generic"),
                      ("himv", "--object", "spheres", "--n", 300), ("bem", "--object", "sphere", "--n", 300),
                      ("solve", "a.mtx", "--method", "bicgstab")):
            with self.subTest(words[0]):
                json.loads(self.succeed(*words, "--json", "-").out)
        self.refuse("solve", "a.mtx", "-o", "-", "--json", "-", says="--output and --json both name -")
        self.refuse("solve", "a.mtx", "-o", "/dev/stdout", "--json", "-", says="both name -")
        self.assertNotIn("-", self.files())

    def shell(self, script):
        """Runs a script of bash with the command as $T; fails where it does."""
        result = subprocess.run(["bash", "-ec", script], cwd=self.folder, env={**os.environ, "T": BINARY},
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(result.returncode, 0, result)

    def test_a_redirected_output_is_shared(self):
        self.shell("{ echo before; $T solve a.mtx -o - --quiet; $T solve a.mtx --json /dev/fd/1 --quiet; echo after; } > all")
        lines = self.path("all").read_text().splitlines()
        self.assertEqual([lines[0], lines[1], lines[-1]], ["before", "%%MatrixMarket matrix array real general", "after"])
        self.write("x.mtx", "\n".join(lines[1:228]))
        self.assertEqual(len(read_dense(self.path("x.mtx"))[0]), 225)
        self.assertEqual(json.loads("\n".join(lines[228:-1]))["matrix"]["rows"], 225)

    def test_pipes_are_not_each_other(self):
        self.shell("mkfifo x r; cat x > x.mtx & cat r > run.json &"
                   " $T solve <(cat a.mtx) -o >(cat > x) --json >(cat > r) --quiet; wait")
        self.assertEqual(len(read_dense(self.path("x.mtx"))[0]), 225)
        self.assertEqual(self.record("run.json")["matrix"]["rows"], 225)

    def test_quiet_is_quiet(self):
        for words in (("solve", "a.mtx", "-o", "x.mtx"), ("solve", "a.mtx", "--method", "gmres"),
                      ("gallery", "poisson3d", "--n", 3), ("bem", "--object", "sphere", "--n", 300, "--json", "b.json"),
                      ("plan", "a.mtx", "--grid", "1x1x1", "--json", "plan.json")):
            with self.subTest(words[0]):
                result = self.succeed(*words, "--quiet")
                self.assertEqual((result.out, result.err), ("", ""))
        self.assertIn("size", self.succeed("info", "a.mtx", "--quiet").out)
        self.assertIn("error: ", self.run_here("solve", "nowhere.mtx", "--quiet").err)

    def test_a_long_phase_is_named_where_nobody_looks_on(self):
        """The matrix comes by a pipe, comments first, until the command says that it reads. Quiet, it does not."""
        os.mkfifo(self.path("slow.mtx"))
        comment = b"% " + b"x" * 1000 + b"\n"
        for quiet in (False, True):
            process = subprocess.Popen([BINARY, "solve", "slow.mtx"] + ["--quiet"] * quiet, cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            said = threading.Event()
            lines = []

            def listen():
                for line in process.stderr:
                    lines.append(line)
                    said.set()

            listener = threading.Thread(target=listen)
            listener.start()
            blocks = 0
            with open(self.path("slow.mtx"), "wb") as pipe:
                pipe.write(b"%%MatrixMarket matrix coordinate real general\n")
                while not said.is_set() and blocks < (spoken_after if quiet else 10000):
                    pipe.write(comment * 1000)
                    blocks += 1
                    said.wait(0.01)  # leaves the command the processor
                pipe.write(b"1 1 1\n1 1 4\n")
            self.assertEqual(process.wait(timeout=60), 0, lines)
            listener.join()
            process.stderr.close()
            if quiet:
                self.assertEqual(lines, [])
            else:
                spoken_after = blocks
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0], r"^read +\d+ %  \d+ s\n$")

    def test_tolerances_out_of_reach_are_said(self):
        single = ("solve", "a.mtx", "--method", "bicgstab", "--precision", "float")
        said = self.refuse(*single, "--tolerance", "1e-12", says="--tolerance 1e-12 is out of reach: single precision")
        self.assertIn("remedy: use --precision double", said)
        said = self.refuse("solve", "a.mtx", "--method", "gmres", "--tolerance", "1e-17", says="double precision")
        self.assertIn("remedy: take 2.2e-16 or more", said)
        self.refuse("bem", "--object", "sphere", "--n", 300, "--tol", "1e-17", says="--tol 1e-17 is out of reach")
        self.succeed(*single, "--json", "run.json")
        self.assertEqual(self.record("run.json")["krylov"]["tolerance"], 1e-5)

    def test_a_remedy_is_not_in_use_already(self):
        words = ("solve", "a.mtx", "--method", "bicgstab", "--max-iterations", 1, "--preconditioner")
        for more, remedy in {
                ("none",): "try --preconditioner lu, or --method direct",
                ("none", "--precision", "float"): "try --precision double, --preconditioner lu, or --method direct",
        }.items():
            with self.subTest(more):
                self.assertIn("remedy: " + remedy, self.refuse(*words, *more, says="not converged", status=1))
        # Nothing beyond the factors: an error that no iteration gets below, of a matrix of condition 1e19.
        n = 40
        self.write("h.mtx", matrix_text(n, {**{(i, i): 1.0 for i in range(n)},
                                            **{(i, i + 1): -3.0 for i in range(n - 1)}}))
        said = self.refuse("solve", "h.mtx", "--method", "bicgstab", "--tolerance", "2.3e-16", "--max-iterations", 1,
                           says="not converged", status=1)
        self.assertIn("remedy: try --method direct", said)

    def test_remedies_keep_the_matrix(self):
        banner = "%%MatrixMarket matrix coordinate {} {}\n"
        for text, never in (
                (banner.format("real", "symmetric") + "2 2 3\n1 1 1\n1 2 1\n2 2 1\n", "or write 'general'"),
                (banner.format("real", "skew-symmetric") + "2 2 1\n1 1 1\n", "write 'general'"),
                (banner.format("pattern", "skew-symmetric") + "2 2 1\n2 1\n", "write 'symmetric'"),
                (banner.format("real", "general") + "2 2 1\n1 1 1\n2 2 1\n", "remove the rest"),
                (banner.format("real", "general") + "3 3 2\n1 1 1\n2 2 1\n", "remove")):
            with self.subTest(never):
                self.write("bad.mtx", text)
                result = self.run_here("solve", "bad.mtx")
                self.assertIn("remedy: ", result.messages()[0])
                self.assertNotIn(never, result.messages()[0])

    def test_byte_order_marks_are_no_content(self):
        for name in ("b.mtx", "b.mtx.gz"):
            self.write("bom.mtx", b"\xef\xbb\xbf" + self.path("a.mtx").read_bytes())
            self.write(name, b"\xef\xbb\xbf" + dense_text([[1.0] * 225]).encode())
            self.solve_well("bom.mtx", "--rhs", name)

    def test_any_number_of_refinement_steps(self):
        record = self.solve_well("a.mtx", "--refine", 1000000)
        self.assertLess(record["solve"]["refinement_steps"], 20)
        said = self.refuse("solve", "a.mtx", "--refine", 10**10, says="--refine")
        self.assertIn("from 0 to 2147483647, not '10000000000'", said)

    def test_threads_are_limited(self):
        for words in (("solve", "a.mtx"), ("bem", "--object", "sphere", "--n", 300), ("sptrsv", "a.mtx")):
            self.refuse(*words, "--threads", 1025, says="1024")

    def test_entries_near_the_largest_number(self):
        """Sums of rows overflow; so does A times a solution around one."""
        entries = {(i, j): v * 4e307 for (i, j), v in grid_laplacian(15, shift=0.1).items()}
        entries[0, 0] = 1.7e308
        self.write("huge.mtx", matrix_text(225, entries))
        for words in ((), ("--op", "T"), ("--precision", "mixed"), ("--nrhs", 3)):
            with self.subTest(words):
                record = self.solve_well("huge.mtx", *words, "-o", "x.mtx", grid="2x1x1")
                self.assertLessEqual(record["solve"]["backward_error"], GOOD)
        self.write("b.mtx", dense_text([[1e308] * 225]))
        self.solve_well("huge.mtx", "--rhs", "b.mtx", "-o", "x.mtx")
        ones = {at: v / 4e307 for at, v in entries.items()}
        self.write("ones.mtx", matrix_text(225, ones))
        self.write("c.mtx", dense_text([[2.5] * 225]))
        huge = read_dense(self.path("x.mtx"))[0]
        self.solve_well("ones.mtx", "--rhs", "c.mtx", "-o", "x.mtx")
        for x, y in zip(huge, read_dense(self.path("x.mtx"))[0]):
            self.assertAlmostEqual(x, y, delta=1e-12 * abs(y))

    def test_errors_are_known_where_only_sums_of_magnitudes_overflow(self):
        self.write("a.mtx", matrix_text(2, {(0, 0): 4.0, (0, 1): 1.0, (1, 1): 3.0}))
        self.write("b.mtx", dense_text([[1e308, 1e308]]))
        result = self.succeed("solve", "a.mtx", "--rhs", "b.mtx", "--json", "run.json")
        self.assertIn("componentwise backward error 0.0e+00", result.out)
        for kind in ("", "componentwise_", "arioli_demmel_duff_"):
            self.assertEqual(self.record("run.json")["solve"][f"{kind}backward_error"], 0)

    def test_surfaces_beyond_memory_are_refused_at_once(self):
        said = self.refuse("bem", "--object", "sphere", "--n", 2**30, says="not enough memory for the surface", timeout=20)
        self.assertRegex(said, r"2\d\d GiB needed, [\d.e+]+ GiB available")

    def test_help_names_the_programs_that_there_are(self):
        """Beside the command, which is copied away from those of the build, or in a folder of PATH."""
        shutil.copy(BINARY, self.path("trisweep"))

        def footer():
            environment = {**os.environ, "PATH": f"{self.path('more')}:/usr/bin:/bin"}
            result = subprocess.run([self.path("trisweep"), "--help"], env=environment, capture_output=True, text=True,
                                    check=True)
            self.assertEqual(result.stderr, "")
            self.assertRegex(result.stdout, "(?m)^  solve ")
            return result.stdout.rstrip().splitlines()[-1]

        self.assertIn("scripts/build --python adds: bench", footer())
        self.path("more").mkdir()
        for program in ("more/trisweep-bench", "trisweep-mine"):
            self.write(program, "#!/bin/sh\n")
            self.path(program).chmod(0o755)
        self.write("trisweep-notes", "no program")
        self.assertEqual(footer(), "Programs of their own: bench, mine")


if __name__ == "__main__":
    unittest.main()
