"""trisweep sptrsv: triangular matrices as they are. And bicgstab with what is preconditioned by such solves."""
import json
import random
import unittest

from command import CommandTest, backward_error, dense_text, grid_laplacian, largest, matrix_text, read_dense


def random_triangle(n, upper, seed=1):
    values = random.Random(seed)
    entries = {(i, i): values.uniform(1, 2) for i in range(n)}
    for i in range(1, n):
        for _ in range(3):
            j = values.randrange(i)
            entries[(j, i) if upper else (i, j)] = values.uniform(-0.4, 0.4)
    return entries


class Sptrsv(CommandTest):
    def test_every_algorithm_solves_either_triangle(self):
        n = 60
        values = random.Random(2)
        b = [values.uniform(-1, 1) for _ in range(n)]
        self.write("b.mtx", dense_text([b, b]))
        for upper in (False, True):
            entries = random_triangle(n, upper)
            self.write("a.mtx", matrix_text(n, entries))
            for algorithm in ("sequential", "level-set", "sync-free", "regions", "auto"):
                for op in "NT":
                    with self.subTest(algorithm, op=op, upper=upper):
                        self.succeed("sptrsv", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--algorithm", algorithm,
                                     "--op", op, "--threads", 2, "--json", "run.json")
                        solved = entries if op == "N" else {(j, i): v for (i, j), v in entries.items()}
                        for x in read_dense(self.path("x.mtx")):
                            self.assertLess(backward_error(n, solved, x, b), 1e-15)
                        record = self.record("run.json")
                        self.assertLess(record["solve"]["componentwise_backward_error"], 1e-15)
                        self.assertEqual(record["sptrsv"]["triangle"], "upper" if upper else "lower")

    def test_the_kernel_of_gpus_on_the_host(self):
        n = 60
        entries = random_triangle(n, True)
        b = [random.Random(2).uniform(-1, 1) for _ in range(n)]
        self.write("a.mtx", matrix_text(n, entries))
        self.write("b.mtx", dense_text([b, b, b]))
        for algorithm in ("level-set", "sync-free", "thread-level", "sub-warp", "auto"):
            with self.subTest(algorithm):
                self.succeed("sptrsv", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--algorithm", algorithm, "--device",
                             "emulated", "--threads", 2, "--json", "run.json")
                for x in read_dense(self.path("x.mtx")):
                    self.assertLess(backward_error(n, entries, x, b), 1e-15)
                record = self.record("run.json")["sptrsv"]
                self.assertEqual(record["device"], "emulated")
                self.assertEqual(record["launches"], 1)
        for words, text in ((["--device", "cuda"], "--device cuda"), (["--device", "emulated", "--pes", 2], "give --algorithm one of unified,"),
                            (["--device", "emulated", "--pes", 2, "--algorithm", "push", "--one-stream"],
                             "for predictions"),
                            (["--device", "emulated", "--algorithm", "regions"], "no algorithm for devices 'regions'")):
            result = self.run_here("sptrsv", "a.mtx", *words)
            self.assertEqual(result.status, 2)
            self.assertIn(text, result.err)

    def test_unit_diagonal_and_single_precision(self):
        entries = random_triangle(40, False)
        strict = {place: v for place, v in entries.items() if place[0] != place[1]}
        self.write("strict.mtx", matrix_text(40, strict))
        self.succeed("sptrsv", "strict.mtx", "--unit-diagonal", "--precision", "float", "--nrhs", 9)
        self.assertIn("row 0 (counting from 0) has no diagonal", self.run_here("sptrsv", "strict.mtx").err)

    def test_a_complex_right_hand_side_has_a_complex_solution(self):
        self.write("a.mtx", matrix_text(2, {(0, 0): 2.0, (1, 0): 1.0, (1, 1): 4.0}))
        self.write("b.mtx", dense_text([[2j, 4 + 1j]], field="complex"))
        self.succeed("sptrsv", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx")
        self.assertEqual(read_dense(self.path("x.mtx")), [[1j, 1 + 0j]])

    def test_files_of_any_name_and_each_once(self):
        name = b"odd-\xff.mtx".decode(errors="surrogateescape")
        self.write(name, matrix_text(1, {(0, 0): 2.0}))
        self.succeed("sptrsv", name, "--json", "run.json")
        self.assertEqual(self.record("run.json")["matrix"]["rows"], 1)
        result = self.run_here("sptrsv", name, "--json", "same", "-o", "same")
        self.assertEqual(result.status, 2)
        self.assertIn("both name", result.err)

    def test_virtual_pes_solve_by_every_design(self):
        self.succeed("gallery", "graph", "--n", 2000, "-o", "l.mtx")
        seconds = {}
        for design in ("unified", "unified+tasks", "get-update-put", "shmem", "zero-copy", "push"):
            result = self.succeed("sptrsv", "l.mtx", "--algorithm", design, "--pes", 3, "--tasks", 4,
                                  "--json", "run.json")
            self.assertIn("predicted", result.out)
            record = json.loads(self.path("run.json").read_text())
            self.assertTrue(record["predicted"])
            self.assertEqual(sum(pe["rows"] for pe in record["sptrsv"]["pes"]), 2000)
            self.assertLess(record["solve"]["componentwise_backward_error"], 1e-13)
            seconds[design] = record["solve"]["seconds_median"]
        self.assertEqual(min(seconds, key=seconds.get), "push")
        for words, text in ((["--algorithm", "magic"], "no design 'magic'"), ([], "none is chosen"),
                            (["--algorithm", "push", "--machine", "cori-haswell"], "no GPUs")):
            result = self.run_here("sptrsv", "l.mtx", "--pes", 2, *words)
            self.assertEqual(result.status, 2)
            self.assertIn(text, result.err)

    def test_the_kernel_of_designs_on_the_host(self):
        n = 80
        entries = random_triangle(n, True)
        b = [random.Random(2).uniform(-1, 1) for _ in range(n)]
        self.write("a.mtx", matrix_text(n, entries))
        self.write("b.mtx", dense_text([b, b]))
        for design in ("unified", "unified+tasks", "get-update-put", "shmem", "zero-copy", "push"):
            with self.subTest(design):
                out = self.succeed("sptrsv", "a.mtx", "--rhs", "b.mtx", "-o", "x.mtx", "--algorithm", design, "--pes",
                                   3, "--tasks", 4, "--device", "emulated", "--repeat", 2, "--json", "run.json").out
                self.assertNotIn("predicted", out)
                for x in read_dense(self.path("x.mtx")):
                    self.assertLess(backward_error(n, entries, x, b), 1e-14)
                record = self.record("run.json")
                self.assertNotIn("predicted", record)
                self.assertEqual(record["solve"]["repeats"], 2)
                self.assertEqual(record["sptrsv"]["device"], "emulated")
                # Both right-hand sides, of the last solve.
                self.assertEqual(sum(pe["rows"] for pe in record["sptrsv"]["pes"]), 2 * n)

    def test_designs_with_a_rank_for_each_pe(self):
        n = 80
        entries = random_triangle(n, True)
        self.write("a.mtx", matrix_text(n, entries))
        words = ("sptrsv", "a.mtx", "-o", "x.mtx", "--pes", 3, "--tasks", 4, "--device", "emulated", "--json", "run.json")
        self.succeed(*words[:2], "-o", "one.mtx", *words[4:], "--algorithm", "zero-copy")
        self.succeed(*words, "--algorithm", "zero-copy", ranks=3)
        x, one = (read_dense(self.path(name))[0] for name in ("x.mtx", "one.mtx"))
        self.assertLess(max(abs(a - b) for a, b in zip(x, one)), 1e-12 * largest(one))
        self.assertEqual([pe["launches"] for pe in self.record("run.json")["sptrsv"]["pes"]], [1, 1, 1])
        for design, ranks, text in (("zero-copy", 2, "3 PEs of 2 ranks"), ("unified", 3, "managed memory")):
            result = self.run_here(*words, "--algorithm", design, ranks=ranks)
            self.assertEqual(result.status, 2, result)
            self.assertIn(text, result.err)

    def test_info_says_what_its_dependencies_allow(self):
        self.write("a.mtx", matrix_text(3, {(0, 0): 1.0, (1, 0): 1.0, (1, 1): 1.0, (2, 2): 1.0}))
        out = self.succeed("info", "a.mtx").out
        self.assertIn("lower: 2 levels, parallelism 1.5 rows a level, dependency 1.33 nonzeros a row", out)

    def test_what_is_wrong_is_named(self):
        self.write("full.mtx", matrix_text(2, {(0, 0): 1.0, (0, 1): 1.0, (1, 0): 1.0, (1, 1): 1.0}))
        self.write("zero.mtx", matrix_text(2, {(0, 0): 1.0, (1, 1): 0.0}))
        self.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1\n")
        self.write("good.mtx", matrix_text(2, {(0, 0): 1.0, (1, 1): 1.0}))
        self.write("long.mtx", dense_text([[1.0, 2.0, 3.0]]))
        for arguments, status, text in (
                (["full.mtx"], 2, "not triangular: it has entries at row 1, column 0 and row 0, column 1"),
                (["zero.mtx"], 1, "the diagonal entry of row 1 (counting from 0) is zero"), (["wide.mtx"], 2, "1 x 2, not square"),
                (["none.mtx"], 2, "none.mtx"), (["good.mtx", "--algorithm", "magic"], 2, "regions, or auto"),
                (["good.mtx", "--rhs", "long.mtx"], 2, "has 3 rows")):
            with self.subTest(arguments):
                result = self.run_here("sptrsv", *arguments, "-o", "x.mtx")
                self.assertEqual(result.status, status, result)
                self.assertIn(text, result.err)
                self.assertFalse(self.path("x.mtx").exists())
        result = self.run_here("sptrsv", "good.mtx", ranks=2)
        self.assertEqual(result.status, 2)
        self.assertEqual(len(result.messages()), 1, result)


class Bicgstab(CommandTest):
    def test_preconditioners_solve_convection(self):
        """ILU(0) takes SciPy's 23 iterations of its bicgstab with the same factors, give or take a tenth."""
        self.succeed("gallery", "convection3d", "--n", 24, "-o", "a.mtx")
        iterations = {}
        for preconditioner in ("none", "ilu0", "ilut", "lu"):
            record = self.solve("a.mtx", "--method", "bicgstab", "--preconditioner", preconditioner)
            self.assertLessEqual(record["krylov"]["residual"], 1e-10)
            iterations[preconditioner] = record["krylov"]["iterations"]
        self.assertLessEqual(abs(iterations["ilu0"] - 23), 2)
        self.assertLess(iterations["ilut"], iterations["ilu0"])
        self.assertLess(iterations["lu"], 3)
        self.assertGreater(iterations["none"], 2 * iterations["ilu0"])

    def test_gmres_takes_the_same_preconditioners(self):
        self.succeed("gallery", "convection3d", "--n", 12, "-o", "a.mtx")
        iterations = {}
        for preconditioner in ("none", "ilu0", "ilut"):
            record = self.solve("a.mtx", "--method", "gmres", "--preconditioner", preconditioner)
            self.assertLessEqual(record["krylov"]["residual"], 1e-10)
            iterations[preconditioner] = record["krylov"]["iterations"]
        self.assertLess(iterations["ilut"], iterations["ilu0"])
        self.assertLess(iterations["ilu0"], iterations["none"])

    def test_ranks_factor_their_own_blocks(self):
        self.succeed("gallery", "convection3d", "--n", 9, "-o", "a.mtx")
        for op in "NTH":
            record = self.solve("a.mtx", "--method", "bicgstab", "--preconditioner", "ilu0", "--op", op, "--nrhs", 3,
                                "--threads", 2, "-o", "x.mtx", grid="3x1x1")
            self.assertLess(record["solve"]["backward_error"], 1e-9)

    def test_equations_in_small_units_are_not_left_aside(self):
        """To a norm they are nothing, but preconditioners have every equation in its units."""
        entries = {(i, j): v * (1e-20 if i < 100 else 1.0) for (i, j), v in grid_laplacian(15, shift=0.1).items()}
        self.write("a.mtx", matrix_text(225, entries))
        for preconditioner, status in (("none", 1), ("ilu0", 0), ("lu", 0)):
            result = self.run_here("solve", "a.mtx", "--method", "bicgstab", "--preconditioner", preconditioner,
                                   "-o", f"{preconditioner}.mtx")
            self.assertEqual(result.status, status, result)
            self.assertEqual("an equation is satisfied no better than" in result.err, status == 1, result)
            self.assertTrue(self.path(f"{preconditioner}.mtx").exists())

    def test_what_is_about_one_solve_is_refused(self):
        self.succeed("gallery", "convection3d", "--n", 4, "-o", "a.mtx")
        for option in (["--trace", "t.json"], ["--traffic", "t.csv"], ["--no-dependencies"], ["--repeat", 2],
                       ["--refine", 1]):
            result = self.run_here("solve", "a.mtx", "--method", "bicgstab", *option)
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"{option[0]} cannot be combined with --method bicgstab", result.err)
            self.assertFalse(self.path("t.json").exists() or self.path("t.csv").exists())

    def test_an_answer_that_is_not_good_is_there_all_the_same(self):
        self.succeed("gallery", "convection3d", "--n", 9, "-o", "a.mtx")
        result = self.run_here("solve", "a.mtx", "--method", "bicgstab", "--preconditioner", "none",
                               "--max-iterations", 2, "-o", "x.mtx")
        self.assertEqual(result.status, 1)
        self.assertIn("not converged after 2 iterations", result.err)
        self.assertTrue(self.path("x.mtx").exists())
        self.write("zero.mtx", matrix_text(2, {(0, 1): 1.0, (1, 0): 1.0}))
        result = self.run_here("solve", "zero.mtx", "--method", "bicgstab", "--preconditioner", "ilu0", ranks=2)
        self.assertEqual(result.status, 2, result)
        self.assertIn("row 0 (counting from 0) has no diagonal entry", result.err)


if __name__ == "__main__":
    unittest.main()
