"""trisweep bem: the charge of conductors, its record, and what it refuses."""
import math
import os
import re
import shutil
import struct
import unittest

from command import CommandTest

FIELDS = {
    "object", "elements", "eps", "charge", "charge_relative_error", "stored_values", "bytes", "dense_fraction",
    "ranks_mean", "ranks_max", "assembly_seconds", "product_seconds", "iterations", "true_residual",
}


class Bem(CommandTest):
    def bem(self, *arguments, **options):
        """Solves, and returns the record."""
        self.succeed("bem", "--json", "run.json", *arguments, **options)
        return self.record("run.json")["bem"]

    def test_spheres_on_ranks_and_threads(self):
        alone = self.bem("--object", "spheres", "--n", 1200, "--eps", "1e-6")
        self.assertLessEqual(FIELDS, alone.keys())
        self.assertEqual(alone["elements"], 1200)
        self.assertLess(abs(alone["charge_relative_error"]), 0.016)
        self.assertLess(abs(alone["total_charge"]), 1e-5 * alone["charge"])
        self.assertLess(alone["true_residual"], 1e-7)
        self.assertLess(alone["sampled_error"], 1e-6)
        self.assertLess(alone["dense_fraction"], 0.5)
        self.assertAlmostEqual(alone["dense_fraction"], alone["bytes"] / (8 * 1200**2))
        together = self.bem("--object", "spheres", "--n", 1200, "--eps", "1e-6", "--threads", 2, ranks=3)
        self.assertEqual((together["ranks"], together["threads"]), (3, 2))
        self.assertTrue(math.isclose(together["charge"], alone["charge"], rel_tol=1e-7))
        self.assertEqual(together["stored_values"] >= alone["stored_values"], True)

    def test_what_is_chosen_of_the_matrix(self):
        adaptive = self.bem("--object", "sphere", "--n", 600, "--leaf", 16)
        double = self.bem("--object", "sphere", "--n", 600, "--leaf", 16, "--precision", "double")
        plain = self.bem("--object", "sphere", "--n", 600, "--leaf", 16, "--cross", "aca", "--no-recompression")
        self.assertLess(2 * adaptive["bytes"], double["bytes"])
        self.assertLess(double["bytes"], plain["bytes"])
        self.assertAlmostEqual(adaptive["charge"] / plain["charge"], 1, delta=1e-3)

    def test_the_pipelined_method_with_whatever_is_hidden(self):
        words = ("--object", "spheres", "--n", 1200, "--tol", "1e-5")
        plain = self.bem(*words)
        for hidden in ("block", "pipe1", "pipe2"):
            record = self.bem(*words, "--method", "pipelined-bicgstab", "--overlap", hidden, ranks=3)
            self.assertEqual(record["method"], "pipelined-bicgstab")
            self.assertLessEqual(abs(record["iterations"] - plain["iterations"]), 1)
            self.assertLess(record["true_residual"], 1e-5)
            self.assertTrue(math.isclose(record["charge"], plain["charge"], rel_tol=1e-4))

    def test_gmres_has_one_product_an_iteration(self):
        words = ("--object", "spheres", "--n", 1200, "--tol", "1e-8")
        plain = self.bem(*words)
        for preconditioner in ("none", "block-jacobi", "rank-one"):
            record = self.bem(*words, "--method", "gmres", "--preconditioner", preconditioner, ranks=2)
            self.assertEqual(record["method"], "gmres")
            self.assertLess(record["true_residual"], 1e-8)
            self.assertEqual(len(record["residuals"]), record["iterations"] + 1)
            self.assertLessEqual(record["iterations"], 2 * plain["iterations"])
            self.assertTrue(math.isclose(record["charge"], plain["charge"], rel_tol=1e-6))

    def test_preconditioners(self):
        words = ("--object", "human", "--n", 1000)
        plain = self.bem(*words)
        self.assertEqual(plain["preconditioner"], "none")
        for name in ("block-jacobi", "near-field-lu", "rank-one"):
            record = self.bem(*words, "--preconditioner", name)
            self.assertEqual(record["preconditioner"], name)
            self.assertLess(record["iterations"], plain["iterations"])
            self.assertTrue(math.isclose(record["charge"], plain["charge"], rel_tol=1e-5))
        refused = self.run_here("bem", *words, "--preconditioner", "rank-one", "--method", "pipelined-bicgstab", ranks=2)
        self.assertEqual(refused.status, 2, refused)
        self.assertEqual(len(refused.messages()), 1, refused)
        self.assertIn("--method bicgstab or gmres", refused.messages()[0])

    def test_pictures_are_the_same_on_any_number_of_ranks(self):
        words = ("bem", "--object", "spheres", "--n", 384, "--leaf", 8, "--tol", "1e-10")
        self.succeed(*words, "--vtu", "alone.vtu", "--block-map", "alone.svg")
        self.succeed(*words, "--vtu", "three.vtu", "--block-map", "three.svg", ranks=3)
        self.assertEqual((self.folder / "alone.svg").read_text(), (self.folder / "three.svg").read_text())
        alone, three = (self.densities(name) for name in ("alone.vtu", "three.vtu"))
        self.assertEqual(len(alone), 384)
        for one, other in zip(alone, three):
            self.assertTrue(math.isclose(one, other, rel_tol=1e-6), (one, other))
        # The first sphere's charge is positive, the second one's is not, and the same but for its sign.
        self.assertGreater(min(alone[:192]), 0)
        self.assertLess(max(alone[192:]), 0)
        self.assertTrue(math.isclose(max(alone), -min(alone), rel_tol=1e-3))

    def densities(self, name):
        """The first array of a VTU file's cells."""
        text, data = (self.folder / name).read_bytes().split(b'<AppendedData encoding="raw">\n_', 1)
        cells = text.decode().split("<CellData>")[1]
        begin = int(re.search(r'offset="(\d+)"', cells).group(1))
        size, = struct.unpack_from("=Q", data, begin)
        return struct.unpack_from(f"={size // 8}d", data, begin + 8)

    def test_a_sphere_of_another_size_and_potential(self):
        record = self.bem("--object", "sphere", "--n", 600, "--radius", 2, "--potential", 10)
        self.assertLess(abs(record["charge_relative_error"]), 0.02)
        different = self.bem("--object", "spheres", "--n", 600, "--radius", "0.2,0.3", "--potential", "1,2")
        self.assertIsNone(different["charge_relative_error"])

    def test_without_potential_there_is_no_charge_to_compare_with(self):
        result = self.succeed("bem", "--object", "spheres", "--n", 1, "--potential", 0, "--json", "run.json")
        record = self.record("run.json")["bem"]
        self.assertEqual((record["elements"], record["charge"], record["charge_relative_error"]), (24, 0, None))
        self.assertNotIn("exact", result.out)
        self.assertNotIn("nan", result.out)

    def test_humanoids_in_a_field(self):
        alone = self.bem("--object", "human", "--n", 800, "--field", 2)
        self.assertEqual(alone["elements"], 800)
        self.assertIsNone(alone["charge_relative_error"])
        self.assertGreater(alone["charge"], 0)
        self.assertAlmostEqual(alone["total_charge"], alone["charge"], delta=1e-9 * alone["charge"])
        # Each of four shields the others, and all of them have more than one.
        array = self.bem("--object", "human", "--n", 3200, "--field", 2, "--array", 2, ranks=2)
        self.assertEqual(array["elements"], 3200)
        self.assertLess(array["charge"], alone["charge"])
        self.assertGreater(array["total_charge"], alone["charge"])
        self.assertAlmostEqual(array["total_charge"] / (4 * array["charge"]), 1, delta=0.05)

    def test_a_matrix_that_is_saved_and_loaded(self):
        words = ("--object", "spheres", "--n", 1200)
        made = self.bem(*words, "--eps", "1e-5", "--save", "matrix", ranks=3)
        self.assertEqual(sorted(os.listdir(self.path("matrix"))),
                         ["blocks-0.h5", "blocks-1.h5", "blocks-2.h5", "index.h5"])
        for ranks in (0, 2, 3):
            loaded = self.bem(*words, "--load", "matrix", ranks=ranks)
            self.assertEqual(loaded["eps"], 1e-5)
            if ranks == 3:
                self.assertEqual(loaded["residuals"], made["residuals"])
            self.assertTrue(math.isclose(loaded["sampled_error"], made["sampled_error"], rel_tol=1e-9))
            self.assertTrue(math.isclose(loaded["charge"], made["charge"], rel_tol=1e-6))
        cut, lacking = self.path("cut"), self.path("lacking")
        for copy in (cut, lacking):
            shutil.copytree(self.path("matrix"), copy)
        (cut / "blocks-2.h5").write_bytes((cut / "blocks-2.h5").read_bytes()[:-1000])
        (lacking / "blocks-1.h5").unlink()
        self.write("old.h5", "as versions before had it")
        present = ["cut", "lacking", "matrix", "old.h5", "run.json"]
        for refused, message in {
            (*words, "--load", "cut"): "cut/blocks-2.h5: damaged or cut short",
            (*words, "--load", "lacking"): "lacking/blocks-1.h5: No such file",
            (*words, "--load", "old.h5"): "old.h5: it is a file, as older versions saved",
            (*words, "--load", "none"): "none/index.h5: No such file",
            ("--object", "spheres", "--n", 1200, "--distance", 2, "--load", "matrix"): "not the matrix of this object",
            (*words, "--load", "matrix", "--eps", "1e-3"): "--load",
            (*words, "--save", "no/such/folder"): "no/such",
            (*words, "--save", "old.h5"): "it is a file",
            (*words, "--save", "."): "which would be lost",
            (*words, "--save", "-"): "it is a file",
        }.items():
            result = self.run_here("bem", *refused, ranks=2)
            self.assertEqual(result.status, 2, result)
            self.assertEqual(len(result.messages()), 1, result)
            self.assertIn(message, result.messages()[0])
        self.assertEqual(sorted(os.listdir(self.folder)), present)
        for name in ("index.h5", "blocks-0.h5"):
            whole = self.path(f"matrix/{name}").read_bytes()
            for at in range(100, 4000, 600):
                (cut / name).write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:])
                result = self.run_here("bem", *words, "--load", "cut")
                self.assertIn(result.status, (0, 2), result)
                self.assertNotIn("HDF5:", result.err, f"byte {at}")
            (cut / name).write_bytes(whole)
        # A disk that is full: nothing is left.
        result = self.run_here("bem", *words, "--save", "large", limits="ulimit -f 100")
        self.assertEqual(result.status, 2, result)
        self.assertIn("large", result.messages()[0])
        self.assertEqual(sorted(os.listdir(self.folder)), present)

    def test_a_mesh_from_a_file(self):
        corners = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
        facets = [(a, b, c) for a in (1, 2) for b in (3, 4) for c in (5, 6)]
        text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n"
        text += "".join(f"{i + 1} {x} {y} {z}\n" for i, (x, y, z) in enumerate(corners))
        text += "$EndNodes\n$Elements\n8\n"
        text += "".join(f"{i + 1} 2 0 {a} {b} {c}\n" for i, (a, b, c) in enumerate(facets)) + "$EndElements\n"
        self.write("octahedron.msh", text)
        self.write("octahedron.obj", "".join("v {} {} {}\n".format(*c) for c in corners) +
                   "".join("f {} {} {}\n".format(*f) for f in facets))
        for name in ("octahedron.msh", "octahedron.obj"):
            turned = self.run_here("bem", "--object", name)
            self.assertEqual(turned.status, 2, turned)
            self.assertIn("oriented against facet", turned.messages()[0])
            record = self.bem("--object", name, "--potential", 2, "--defects", "repair", "--closed", ranks=2)
            self.assertEqual(record["repairs"], {"without_area": 0, "duplicated": 0, "turned": 4})
            self.assertEqual(record["elements"], 8)
            self.assertIsNone(record["charge_relative_error"])
            # Between those of the spheres inside and around it.
            self.assertLess(2 * 1.1127e-10 * 3**-0.5, record["charge"])
            self.assertLess(record["charge"], 2 * 1.1127e-10)
        self.write("bad.msh", text.replace("8 2 0 2 4 6", "8 2 0 2 4 7"))
        for name, message in {"bad.msh": "bad.msh:22: there is no node 7", "none.msh": "none.msh",
                              "octahedron.step": "not a supported mesh format"}.items():
            self.write("octahedron.step", "")
            result = self.run_here("bem", "--object", name)
            self.assertEqual(result.status, 2, result)
            self.assertIn(message, result.messages()[0])
        self.assertEqual(self.run_here("bem", "--object", "octahedron.msh", "--n", 8).status, 2)

    def test_without_convergence_the_status_is_1_and_there_is_a_record(self):
        for ranks in (0, 2):
            result = self.run_here("bem", "--object", "spheres", "--n", 600, "--max-iterations", 1, "--json", "run.json",
                                   ranks=ranks)
            self.assertEqual(result.status, 1, result)
            self.assertEqual(len(result.messages()), 1, result)
            self.assertIn("--max-iterations", result.messages()[0])
            self.assertEqual(self.record("run.json")["bem"]["iterations"], 1)

    def test_memory_is_asked_for_all_that_will_be_made(self):
        """A humanoid has hundreds of triangles, however few are asked for."""
        result = self.run_here("bem", "--object", "human", "--n", 600, "--array", 200, limits="ulimit -v 900000")
        self.assertEqual(result.status, 2, result)
        self.assertRegex(result.err, "surface and its clusters: 3[.].* GiB needed(.|\n)*fewer triangles")

    def test_too_little_memory_for_threads(self):
        """OpenBLAS asks for what is not there for ever: a run ends all the same, below what MPI itself needs maybe
        without a line of ours."""
        words = ("bem", "--object", "sphere", "--n", 600)
        self.succeed(*words, "--save", "matrix")
        for limit in range(200000, 500000, 50000):
            for more in ((), ("--load", "matrix", "--preconditioner", "block-jacobi")):
                with self.subTest(limit=limit, more=more):
                    result = self.run_here(*words, *more, limits=f"ulimit -c 0 -v {limit}", timeout=60)
                    self.assertNotIn("terminate called", result.err)
                    for message in result.messages():
                        self.assertIn("not enough memory", message)

    def test_refusals(self):
        for words, message in {
            ("--object", "cube", "--n", 600): "there is no object 'cube'",
            ("--object", "spheres"): "--n",
            ("--object", "100ts", "--n", 600): "101250",
            ("--object", "spheres", "--n", 600, "--distance", 0.4): "meet",
            ("--object", "hum2", "--distance", 0.5): "meet",
            ("--object", "sphere", "--n", 600, "--radius", -1): "radius",
            ("--object", "sphere", "--n", 0): "--n",
            ("--n", 600): "--object",
            ("--object", "sphere", "--n", 600, "--eps", 2): "--eps",
            ("--object", "sphere", "--n", 600, "--tol", 2): "--tol: takes a number above zero and below one",
            ("--object", "sphere", "--n", 600, "--json", "no/such/folder.json"): "no/such",
        }.items():
            for ranks in (0, 2) if "cube" in words else (0,):
                result = self.run_here("bem", *words, ranks=ranks)
                self.assertEqual(result.status, 2, result)
                self.assertEqual(len(result.messages()), 1, result)
                self.assertIn(message, result.messages()[0])
                self.assertIn("remedy", result.messages()[0])
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
