"""`trisweep bem` beside SciPy, which has the matrix itself."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from scipy.sparse.linalg import LinearOperator, bicgstab

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("TRISWEEP_BINARY", str(ROOT / "build/trisweep"))
# Residuals of neighbouring iterations, 4.7e-7 and 1.3e-7, are far from it: rounding does not decide.
TOLERANCE = 2.5e-7


def sphere(k, n):
    """A dipyramid of k sides with n rings above the equator, blown up to the unit sphere, and below it the same."""
    first, nodes = [], []
    for i in range(2 * n + 1):
        count = max(1, k * min(i, 2 * n - i))
        first.append(len(nodes))
        theta = i * np.pi / (2 * n)
        for j in range(count):
            phi = 2 * np.pi * j / count
            nodes.append((np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)))
    triangles = []
    for i in range(n):
        for above in (True, False):
            inner, outer = (i, i + 1) if above else (2 * n - i, 2 * n - i - 1)

            def node(ring, number, count):
                return first[ring] + (number % count if count else 0)

            for side in range(k):
                for j in range(i + 1):
                    corners = [
                        node(outer, side * (i + 1) + j, k * (i + 1)),
                        node(outer, side * (i + 1) + j + 1, k * (i + 1)),
                        node(inner, side * i + j, k * i),
                    ]
                    triangles.append(corners if above else corners[::-1])
                    if j < i:
                        corners = [
                            node(inner, side * i + j, k * i),
                            node(outer, side * (i + 1) + j + 1, k * (i + 1)),
                            node(inner, side * i + j + 1, k * i),
                        ]
                        triangles.append(corners if above else corners[::-1])
    return np.array(nodes), np.array(triangles)


def single_layer(nodes, triangles):
    """A_ij = 1 / (4 pi eps0) Int_{T_j} dS / |c_i - y|, by the formula of Wilton et al. (1984)."""
    corners = nodes[triangles]
    points = corners.mean(axis=1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    total = np.zeros((len(points), len(points)))
    for k in range(3):
        begin, end = corners[:, k], corners[:, (k + 1) % 3]
        along = (end - begin) / np.linalg.norm(end - begin, axis=1)[:, None]
        a, b = begin[None] - points[:, None], end[None] - points[:, None]
        z = np.abs(np.einsum("ijx,jx->ij", a, normal))
        t0, t1 = np.einsum("ijx,jx->ij", a, along), np.einsum("ijx,jx->ij", b, along)
        d = np.einsum("ijx,jx->ij", a, np.cross(along, normal))
        r0, r1 = np.linalg.norm(a, axis=2), np.linalg.norm(b, axis=2)
        length = t1 - t0
        total += d * np.log((r0 + r1 + length) / (r0 + r1 - length))
        square = d**2 + z**2
        total -= z * (np.arctan2(d * t1, square + z * r1) - np.arctan2(d * t0, square + z * r0))
    return total / (4 * np.pi * 8.8541878128e-12)


class Bem(unittest.TestCase):
    def solved(self, mesh, method):
        with tempfile.TemporaryDirectory() as folder:
            nodes, triangles = mesh
            text = "".join("v {:.17g} {:.17g} {:.17g}\n".format(*p) for p in nodes)
            text += "".join("f {} {} {}\n".format(*(t + 1)) for t in triangles)
            (Path(folder) / "mesh.obj").write_text(text)
            words = f"bem --object mesh.obj --eps 1e-10 --tol {TOLERANCE} --method {method} --json run.json".split()
            subprocess.run([BINARY, *words], cwd=folder, check=True, capture_output=True)
            return json.loads((Path(folder) / "run.json").read_text())["bem"]

    def test_iterations_are_those_of_scipy_with_the_dense_matrix(self):
        nodes, triangles = sphere(4, 6)
        # Of single precision, as the reader has them; of an egg, so that there is something to iterate.
        nodes = (nodes * [1, 0.5, 2.5]).astype(np.float32).astype(float)
        a = single_layer(nodes, triangles)
        b = np.ones(len(a))
        products = 0

        def multiply(v):
            nonlocal products
            products += 1
            return a @ v

        x, status = bicgstab(LinearOperator(a.shape, multiply, dtype=a.dtype), b, rtol=TOLERANCE, atol=0)
        iterations = (products + 1) // 2  # SciPy may end in the middle of one
        self.assertEqual(status, 0)
        self.assertGreater(iterations, 5)
        corners = nodes[triangles]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
        for method in ("bicgstab", "pipelined-bicgstab"):
            record = self.solved((nodes, triangles), method)
            self.assertEqual(record["iterations"], iterations, method)
            self.assertAlmostEqual(record["charge"] / (x @ areas), 1, delta=TOLERANCE)


if __name__ == "__main__":
    unittest.main()
