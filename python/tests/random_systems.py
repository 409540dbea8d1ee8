"""Systems made up at random, solved beside SciPy, and singular ones.

    .venv/bin/python python/tests/random_systems.py --count 2000 --singular 1000
    .venv/bin/python python/tests/random_systems.py --count 2000 --singular 0 --variants     by each of VARIANTS
    .venv/bin/python python/tests/random_systems.py --seed 17          one system, and what became of it
    scripts/mpirun -n 3 .venv/bin/python python/tests/random_systems.py --ranks     on three ranks, with mpi4py

A seed is a system: sparse, banded, convection or a circuit, in one of four types, with b a unit vector, smooth or
random, and rows and columns in units of 10^-40 to 10^40 (10^-12 to 10^12 in single precision). One whose condition,
units taken off, is below 0.1 / epsilon must be solved, with an error of at most ten times SciPy's own or what the
condition explains; a singular one must not pass for one that has a single solution."""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

import trisweep

DTYPES = ("float32", "float64", "complex64", "complex128")
RIGHT_HAND_SIDES = ("unit", "smooth", "random")
MARGIN = 10.0  # an error may be that many times SciPy's, or what the condition explains
SINGULAR_SEEDS = 1 << 40  # from which on systems are singular
# None of these decides whether a system is solved.
VARIANTS = (
    {"ordering": "metis"},
    {"ordering": "natural"},
    {"kind": "lu", "threads": 2, "deterministic": True},
    {"compress": 1e-3},
    {"compress": "auto"},
    {"precision": "mixed"},
    {"refine": "best"},
    {"device": "emulated"},
)


def is_complex(dtype):
    return np.dtype(dtype).kind == "c"


def is_single(dtype):
    return np.finfo(dtype).eps > 1e-10


# Matrices -----------------------------------------------------------------------------------------------------


def phases(random, a, dtype):
    """The same magnitudes, with phases where the type has them."""
    a = sparse.coo_array(a)
    return a if not is_complex(dtype) else sparse.coo_array(
        (a.data * np.exp(2j * np.pi * random.random(a.nnz)), a.coords), a.shape)  # fmt: skip


def sparse_matrix(random, n):
    """From dominant to hardly regular."""
    shift = 10.0 ** random.uniform(-3, 1)
    return sparse.random_array((n, n), density=min(1.0, random.uniform(2, 6) / n), rng=random) + shift * sparse.eye(n)


def banded(random, n):
    """Splines, or values at random in a few diagonals."""
    if random.random() < 0.3:
        return sparse.diags_array([1.0, 4.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
    offsets = np.unique(random.integers(-6, 7, size=5))
    diagonals = [random.uniform(-1, 1, n) for _ in offsets]
    return sparse.diags_array(diagonals, offsets=offsets, shape=(n, n)) + sparse.eye(n) * random.uniform(0, 3)


def convection(random, n):
    """Upwind differences on a line or a square, the wind up to a thousand times diffusion: solutions decay fast."""
    side = n if random.random() < 0.5 else max(3, int(np.sqrt(n)))
    wind = 10.0 ** random.uniform(-1, 3)
    line = sparse.diags_array([-1.0 - wind, 2.0 + wind, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    if side == n:
        return line
    across = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    return sparse.kron(line, sparse.eye(side)) + sparse.kron(sparse.eye(side), across)


def circuit(random, n):
    """Conductances of 10^-6 to 10^6 between random nodes, hardly grounded, and a few voltage sources."""
    sources = random.integers(0, max(1, n // 8) + 1)
    nodes = n - sources
    a = sparse.lil_array((n, n))
    for k in range(1, nodes):
        for j in {k - 1, int(random.integers(0, k))}:
            g = 10.0 ** random.uniform(-6, 6)
            for p, q, sign in ((k, k, 1), (j, j, 1), (k, j, -1), (j, k, -1)):
                a[p, q] += sign * g
    a[0, 0] += 10.0 ** random.uniform(-3, 3)
    for s, node in enumerate(random.choice(nodes, sources, replace=False)):
        a[nodes + s, node] = a[node, nodes + s] = 1.0
    return a


KINDS: dict[str, Callable] = {"sparse": sparse_matrix, "banded": banded, "convection": convection, "circuit": circuit}

# Singular ones, exactly: their entries are small integers, and their units powers of two.


def dependent_row(random, n):
    a = integers(random, n)
    i, j, k = random.choice(n, 3, replace=False)
    a[i] = 2 * a[j] - a[k]
    return a


def dependent_columns(random, n):
    a = integers(random, n)
    j, k = random.choice(n, 2, replace=False)
    a[:, j] = 2 * a[:, k]
    return a


def floating_graph(random, n):
    """A Laplacian without a boundary."""
    a = np.zeros((n, n))
    for k in range(1, n):
        for j in {k - 1, int(random.integers(0, k))}:
            g = random.integers(1, 9)
            a[k, k] += g
            a[j, j] += g
            a[k, j] -= g
            a[j, k] -= g
    return a


def integers(random, n):
    a = np.where(random.random((n, n)) < min(1.0, 4 / n), random.integers(-8, 9, (n, n)), 0).astype(float)
    return a + np.diag(random.integers(1, 9, n).astype(float))


SINGULAR_KINDS: dict[str, Callable] = {
    "dependent row": dependent_row,
    "dependent columns": dependent_columns,
    "floating graph": floating_graph,
}


# Systems ------------------------------------------------------------------------------------------------------


@dataclass
class System:
    """`a` x = b, and both in units: rows times `row_units`, columns times `column_units`."""

    seed: int
    name: str
    a: np.ndarray  # without units, in double precision; dense
    b: np.ndarray
    row_units: np.ndarray
    column_units: np.ndarray
    dtype: str

    @property
    def matrix(self) -> sparse.csc_array:
        scaled = (self.row_units[:, None] * self.a * self.column_units).astype(self.dtype)
        return sparse.csc_array(scaled)

    @property
    def right_hand_side(self) -> np.ndarray:
        return (self.row_units * self.b).astype(self.dtype)

    def as_stored(self) -> tuple[np.ndarray, np.ndarray]:
        """Matrix and right-hand side as the type has them, units taken off: what all are given."""
        wide = np.clongdouble if is_complex(self.dtype) else np.longdouble
        rows, columns = self.row_units.astype(np.longdouble), self.column_units.astype(np.longdouble)
        a = self.matrix.toarray().astype(wide) / rows[:, None] / columns
        return a, self.right_hand_side.astype(wide) / rows

    def without_units(self, x: np.ndarray) -> np.ndarray:
        wide = np.clongdouble if is_complex(self.dtype) else np.longdouble
        return x.astype(wide) * self.column_units.astype(np.longdouble)

    @property
    def epsilon(self) -> float:
        return float(np.finfo(self.dtype).eps)


def units(random, n, dtype, powers_of_two):
    most = 12 if is_single(dtype) else 40
    exponents = random.uniform(-most, most, n) * (random.random() < 0.7)
    return np.exp2(np.rint(exponents * np.log2(10))) if powers_of_two else 10.0**exponents


def right_hand_side(random, kind, n, dtype):
    if kind == "unit":
        return np.eye(n)[random.integers(n)]
    if kind == "smooth":
        return np.sin(np.pi * random.integers(1, 4) * (np.arange(n) + 0.5) / n)
    values = random.standard_normal(n)
    return values + 1j * random.standard_normal(n) if is_complex(dtype) else values


def make_system(seed: int) -> System:
    random = np.random.default_rng(seed)
    singular = seed >= SINGULAR_SEEDS
    kinds = SINGULAR_KINDS if singular else KINDS
    kind, dtype, rhs = list(kinds)[seed % len(kinds)], DTYPES[random.integers(4)], RIGHT_HAND_SIDES[random.integers(3)]
    a = sparse.coo_array(kinds[kind](random, int(random.integers(8, 121))))
    a = (a if singular else phases(random, a, dtype)).toarray()
    n = a.shape[0]
    b = right_hand_side(random, rhs, n, dtype)
    if singular and random.random() < 0.5:
        rhs, b = "consistent", a @ random.integers(-4, 5, n)
    return System(seed, f"{kind}, {rhs}, {n} rows, {dtype}", a, b, units(random, n, dtype, singular),
                  units(random, n, dtype, singular), dtype)  # fmt: skip


def equilibrated(a: np.ndarray) -> np.ndarray:
    """Rows and columns divided by the square roots of their largest entries, repeatedly (Ruiz 2001)."""
    a = abs(a).astype(float) * np.exp(1j * np.angle(a.astype(complex)))
    for _ in range(30):
        rows, columns = abs(a).max(axis=1), abs(a).max(axis=0)
        if not (rows.all() and columns.all()):
            return a
        a = a / np.sqrt(rows)[:, None] / np.sqrt(columns)
    return a


def condition(a: np.ndarray) -> float:
    try:
        return float(np.linalg.cond(equilibrated(a), 1))
    except np.linalg.LinAlgError:
        return np.inf


def accurate_solution(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Gaussian elimination with partial pivoting in extended precision."""
    a, x = a.copy(), b.copy()
    n = len(x)
    for k in range(n):
        pivot = k + int(np.argmax(abs(a[k:, k])))
        a[[k, pivot]], x[[k, pivot]] = a[[pivot, k]], x[[pivot, k]]
        factor = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= factor[:, None] * a[k, k:]
        x[k + 1 :] -= factor * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - a[k, k + 1 :] @ x[k + 1 :]) / a[k, k]
    return x


def scipys(system: System) -> np.ndarray:
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            return linalg.splu(system.matrix).solve(system.right_hand_side)
        except RuntimeError:  # it finds the matrix singular
            return np.full(len(system.b), np.nan, system.dtype)


# Verdicts -----------------------------------------------------------------------------------------------------


def complaint(seed: int, options: dict | None = None) -> str | None:
    """What is wrong with our answer, with those options of splu, on every rank of `comm` alike if that is one; an empty
    text when the system is beyond what must be solved, None when all is well."""
    system, options = make_system(seed), options or {}
    if is_single(system.dtype) and options.get("precision") == "mixed":
        return ""
    return (singular_complaint if seed >= SINGULAR_SEEDS else regular_complaint)(system, options)


def ours(system: System, options: dict) -> np.ndarray:
    comm = options.get("comm")
    if comm is None:
        return trisweep.splu(system.matrix, **options).solve(system.right_hand_side)
    n = len(system.b)
    mine = slice(n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size)
    with trisweep.splu(sparse.csr_array(system.matrix)[mine], **options) as lu:
        return np.concatenate(comm.allgather(lu.solve(system.right_hand_side[mine])))


def singular_complaint(system: System, options: dict) -> str | None:
    try:
        ours(system, options)
    except (trisweep.NumericalError, ValueError):
        return None
    return "passed as unique"


def regular_complaint(system: System, options: dict) -> str | None:
    a, b = system.as_stored()
    cond = condition(a)
    if not cond < 0.1 / system.epsilon:
        return ""
    try:
        x = ours(system, options)
    except (trisweep.NumericalError, ValueError) as error:
        return f"condition {cond:.1e}: {type(error).__name__}: {error}"
    exact = accurate_solution(a, b)
    error, theirs = (float(abs(system.without_units(v) - exact).max() / abs(exact).max()) for v in (x, scipys(system)))
    allowed = MARGIN * max(np.nan_to_num(theirs, nan=0.0, posinf=0.0), system.epsilon * cond)
    return None if error <= allowed else f"condition {cond:.1e}: error {error:.1e}, SciPy's {theirs:.1e}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000, help="systems (default: %(default)s)")
    parser.add_argument("--singular", type=int, default=1000, help="singular ones (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="this system alone")
    parser.add_argument("--variants", action="store_true", help="each by all of VARIANTS")
    parser.add_argument("--ranks", action="store_true", help="each by all ranks together")
    options = parser.parse_args()
    common = {}
    if options.ranks:
        from mpi4py import MPI

        common["comm"] = MPI.COMM_WORLD
    seeds = [*range(options.count), *range(SINGULAR_SEEDS, SINGULAR_SEEDS + options.singular)]
    counts, is_first = Counter(), not common or common["comm"].rank == 0
    for seed in seeds if options.seed is None else [options.seed]:
        for variant in VARIANTS if options.variants else [{}]:
            said = complaint(seed, variant | common)
            counts["wrong" if said else "good" if said is None else "beyond 0.1 / epsilon"] += 1
            if said and is_first:
                print(f"{seed} {variant or ''} ({make_system(seed).name}): {said}", flush=True)
    if is_first:
        print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
