"""Point sources, each solved for at its own place: what of the factors is read, and processor time.

usage: sources.py [N]: a grid of N x N x N unknowns; docs/python.md has those of 48
"""

import sys
import time

import numpy as np
from scipy import sparse

import trisweep

N = int(sys.argv[1]) if len(sys.argv) > 1 else 16


def places(count: int) -> np.ndarray:
    return ((np.arange(count) + 0.5) * N / count).astype(int)


def processor_seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(N, N))
eye = sparse.eye_array(N)
plane = sparse.kron(line, eye) + sparse.kron(eye, line)
lu = trisweep.splu(sparse.kron(plane, eye) + sparse.kron(sparse.eye_array(N * N), line))
z, y, x = np.meshgrid(places(4), places(5), places(5), indexing="ij")
at = ((z * N + y) * N + x).ravel()
sources = sparse.csc_array((np.ones(100), (at, np.arange(100))), shape=(N**3, 100))
dense = sources.toarray(order="F")
lu.solve(sources[:, [0]], rows=at[:1])  # judges the factors

shares = {"at its own place": [], "everywhere": []}
seconds = dict.fromkeys(shares, 0.0)
for k in range(100):
    for name, rows in (("at its own place", at[[k]]), ("everywhere", None)):
        seconds[name] += processor_seconds(lambda k=k, rows=rows: lu.solve(sources[:, [k]], rows=rows))
        shares[name].append(lu.report()["solve"]["panel_share"])
whole = sum(processor_seconds(lambda k=k: lu.solve(dense[:, k])) for k in range(100))
for name, share in shares.items():
    print(
        f"each source, x {name}: {100 * np.mean(share):.0f} % of the factors read, {seconds[name] / whole:.2f} of the time"
    )

everywhere = lu.solve(dense)
some = lu.solve(sources, rows=at)
print(f"all together: {100 * lu.report()['solve']['panel_share']:.0f} % of the factors for 16 sources")
ratio = processor_seconds(lambda: lu.solve(sources, rows=at)) / processor_seconds(lambda: lu.solve(dense))
print(f"and {ratio:.2f} of the time of whole solves")
assert np.abs(some - everywhere[at]).max() <= 1e-12 * np.abs(everywhere).max()
