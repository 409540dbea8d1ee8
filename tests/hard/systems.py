"""Systems that break solvers, by recipes: SYSTEMS maps a name to a function that returns n and the entries, a map from
(row, column), counted from 0, to a value; and, where units differ, those of the unknowns, a list. Small, reproducible, from
the standard library alone.

Each kind is one that codes are known to fail on: zero diagonals and zero blocks, jumps of coefficients, units that
differ by a hundred powers of ten, growth of elements, integer bases of linear programs, matrices that are nearly or
quite singular.
"""
import cmath
import math
import random

SYSTEMS = {}


def system(*variants):
    """Registers recipe(*arguments) under its name and the arguments; `variants` lists these."""
    def register(recipe):
        for arguments in variants:
            label = "-".join([recipe.__name__.replace("_", "-"), *(f"{a:g}" if isinstance(a, float) else str(a)
                                                                   for a in arguments)])
            SYSTEMS[label] = lambda arguments=arguments: recipe(*arguments)
        return recipe
    return register


# Building blocks ----------------------------------------------------------------------------------------------


class Entries(dict):
    """Entries that are added up."""

    def add(self, i, j, value):
        self[i, j] = self.get((i, j), 0.0) + value

    def add_both(self, i, j, value):
        self.add(i, j, value)
        if i != j:
            self.add(j, i, value)


def neighbours(m, x, y):
    return [(u, v) for u, v in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)) if 0 <= u < m and 0 <= v < m]


def laplacian(m, shift=0.0, boundary=True):
    """Five-point on m x m points; without the boundary, of the graph: singular unless shifted."""
    a = Entries()
    for x in range(m):
        for y in range(m):
            near = neighbours(m, x, y)
            a[x * m + y, x * m + y] = (4.0 if boundary else float(len(near))) + shift
            for u, v in near:
                a[x * m + y, u * m + v] = -1.0
    return m * m, a


def scaled(n, a, exponent, seed):
    """D1 A D2, the diagonals 10^u with u uniform up to the exponent; and the units of the unknowns, D2^-1."""
    r = random.Random(seed)
    rows, columns = ([10.0 ** r.uniform(-exponent, exponent) for _ in range(n)] for _ in range(2))
    return n, {(i, j): rows[i] * v * columns[j] for (i, j), v in a.items()}, [1 / d for d in columns]


def shuffled(n, a, seed):
    """Rows and columns in an order of their own each."""
    r = random.Random(seed)
    rows, columns = r.sample(range(n), n), r.sample(range(n), n)
    return n, {(rows[i], columns[j]): v for (i, j), v in a.items()}


def dense(n, value):
    return n, {(i, j): v for i in range(n) for j in range(n) if (v := value(i, j)) != 0}


# Saddle points ------------------------------------------------------------------------------------------------


@system((60, 20, 1.0), (60, 20, 1e-8), (200, 90, 1e-4), (300, 100, 0.0))
def saddle_point(n, m, weight):
    """[H B^T; B 0], H = weight times a tridiagonal, its first third zero."""
    r = random.Random(n)
    a = Entries()
    for i in range(n // 3, n):
        a.add(i, i, weight * (2.0 + r.random()))
        if i + 1 < n:
            a.add_both(i, i + 1, -weight)
    if weight == 0.0:  # determined by the constraints and pairs of unknowns alone
        for i in range(m, n - 1, 2):
            a.add_both(i, i + 1, 1.0 + r.random())
    for k in range(m):
        a.add_both(n + k, k, 1.0 + r.random())
        for j in r.sample(range(n), 2):
            a.add_both(n + k, j, r.choice((-1.0, 1.0)))
    return n + m, a


@system((10, 0.0), (14, 6.0))
def stokes(m, contrast):
    """Marker-and-cell, m x m cells, walls all round, the first pressure fixed; viscosity jumps by 10^contrast."""
    a = Entries()
    u = {(x, y): k for k, (x, y) in enumerate((x, y) for x in range(1, m) for y in range(m))}
    v = {(x, y): len(u) + k for k, (x, y) in enumerate((x, y) for x in range(m) for y in range(1, m))}
    p = {(x, y): len(u) + len(v) + x * m + y for x in range(m) for y in range(m)}
    def viscosity(x, y):
        return 10.0 ** (contrast if (x // 4 + y // 4) % 2 else 0.0)
    for component in (u, v):
        for (x, y), i in component.items():
            for w in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                nu = math.sqrt(viscosity(x, y) * viscosity(*w))
                a.add(i, i, nu)
                if w in component:
                    a.add(i, component[w], -nu)
    for (x, y), i in u.items():
        a.add_both(i, p[x, y], 1.0)
        a.add_both(i, p[x - 1, y], -1.0)
    for (x, y), i in v.items():
        a.add_both(i, p[x, y], 1.0)
        a.add_both(i, p[x, y - 1], -1.0)
    for j in range(len(u) + len(v) + m * m):
        a.pop((p[0, 0], j), None)
        a.pop((j, p[0, 0]), None)
    a[p[0, 0], p[0, 0]] = 1.0
    return len(u) + len(v) + m * m, a


@system((8, 12.0), (16, 12.0), (12, 3.0))
def darcy(m, contrast):
    """Mixed form, fluxes of lowest order on m x m cells; the permeability jumps by 10^contrast."""
    r = random.Random(m)
    a = Entries()
    resistance = [[10.0 ** r.choice((0.0, contrast)) for _ in range(m)] for _ in range(m)]
    faces = [((x, y), (x + 1, y)) for x in range(-1, m) for y in range(m)] + \
            [((x, y), (x, y + 1)) for x in range(m) for y in range(-1, m)]
    def inside(c):
        return 0 <= c[0] < m and 0 <= c[1] < m
    for f, pair in enumerate(faces):
        for sign, cell in zip((1.0, -1.0), pair):
            if inside(cell):
                a.add(f, f, resistance[cell[0]][cell[1]] / 2)
                a.add_both(len(faces) + cell[0] * m + cell[1], f, sign)
    return len(faces) + m * m, a


@system((40, 25, 1.0), (120, 80, 1e-6), (120, 80, 1e6))
def augmented_least_squares(m, n, alpha):
    """[alpha I, A; A^T, 0]."""
    r = random.Random(m + n)
    a = Entries({(i, i): alpha for i in range(m)})
    for j in range(n):
        a.add_both(j, m + j, 1.0 + r.random())
        for i in r.sample(range(m), 3):
            a.add_both(i, m + j, r.uniform(-1, 1))
    return m + n, a


# Waves, transport, chemistry ----------------------------------------------------------------------------------


@system((30, 0.9), (40, 2.3))
def helmholtz(m, k2):
    n, a = laplacian(m)
    for i in range(n):
        a[i, i] -= k2
    return n, a


@system((30, 0.7))
def helmholtz_absorbing(m, k):
    n, a = laplacian(m)
    for x in range(m):
        for y in range(m):
            edges = (x in (0, m - 1)) + (y in (0, m - 1))
            a[x * m + y, x * m + y] -= complex(k * k, k * edges)
    return n, {at: complex(v) for at, v in a.items()}


@system((40,), (57,), (80,), (96,))
def central_convection(m):
    """Central differences of a circulating flow, diffusion 1e-6, reaction 1e-3."""
    h = 1.0 / (m + 1)
    a = Entries()
    for x in range(m):
        for y in range(m):
            i, px, py = x * m + y, (x + 1) * h, (y + 1) * h
            a[i, i] = 4e-6 / h / h + 1e-3
            wind = (math.sin(math.pi * px) * math.cos(math.pi * py), -math.cos(math.pi * px) * math.sin(math.pi * py))
            for u, v in neighbours(m, x, y):
                a[i, u * m + v] = -1e-6 / h / h + (wind[0] * (u - x) + wind[1] * (v - y)) / (2 * h)
    return m * m, a


@system((300, 0.97), (1500, 0.97))
def upwind(n, share):
    """A chain in which information flows one way."""
    a = Entries()
    for i in range(n):
        a[i, i] = 1.0
        if i:
            a[i, i - 1] = -share
        if i + 1 < n:
            a[i, i + 1] = -(1 - share)
    return n, a


@system((60, 6.0), (150, 10.0))
def stiff_chain(cells, stiffness):
    """Block tridiagonal, four species a cell, rates over 10^-stiffness to 10^stiffness."""
    r = random.Random(cells)
    a = Entries()
    for c in range(cells):
        for s in range(4):
            i = 4 * c + s
            a.add(i, i, 1.0)
            for t in range(4):
                rate = 10.0 ** r.uniform(-stiffness, stiffness)
                if t != s:  # s turns into t
                    a.add(i, i, rate)
                    a.add(4 * c + t, i, -rate)
            for d in (c - 1, c + 1):
                if 0 <= d < cells:
                    a.add(i, i, 0.1)
                    a.add(i, 4 * d + s, -0.1)
    return 4 * cells, a


@system((24,))
def biharmonic(m):
    n, l = laplacian(m)
    rows = {}
    for (i, j), v in l.items():
        rows.setdefault(i, []).append((j, v))
    a = Entries()
    for (i, j), v in l.items():
        for k, w in rows[j]:
            a.add(i, k, v * w)
    return n, a


@system((30, 1e-8))
def anisotropic(m, epsilon):
    a = Entries()
    for x in range(m):
        for y in range(m):
            a[x * m + y, x * m + y] = 2.0 + 2 * epsilon
            for u, v in neighbours(m, x, y):
                a[x * m + y, u * m + v] = -1.0 if u == x else -epsilon
    return m * m, a


# Networks, bases, graphs --------------------------------------------------------------------------------------


@system((60, 20, 3.0), (200, 80, 9.0), (400, 150, 6.0))
def circuit(nodes, sources, decades):
    """Modified nodal analysis: resistors of 1 to 10^decades and back, voltage sources, ideal amplifiers."""
    r = random.Random(nodes)
    a = Entries()
    def conductance(i, j, g):
        a.add(i, i, g)
        if j >= 0:
            a.add(j, j, g)
            a.add(i, j, -g)
            a.add(j, i, -g)
    for i in range(nodes):
        conductance(i, r.randrange(i) if i else -1, 10.0 ** r.uniform(-decades, decades))
        if r.random() < 0.5:
            j = r.randrange(nodes)
            if j != i:
                conductance(i, j, 10.0 ** r.uniform(-decades, decades))
    outputs = r.sample(range(nodes), 2 * sources)
    for k in range(sources):
        branch, out, inner = nodes + k, outputs[2 * k], outputs[2 * k + 1]
        a.add(out, branch, 1.0)  # the current that leaves the source
        if k % 3:
            a.add(branch, out, 1.0)  # a voltage source to ground, or
        else:
            a.add(branch, inner, 1.0)  # an amplifier, which holds its input at zero by what it feeds back
            conductance(inner, out, 10.0 ** r.uniform(-decades, decades))
    return nodes + sources, a


@system((50, 1), (200, 2), (500, 3), (1000, 4))
def integer_basis(n, seed):
    """The shuffled product of sparse unit triangles of small integers: determinant 1, zeros on most diagonals."""
    r = random.Random(seed)
    lower = [{j: r.choice((-2, -1, 1, 2)) for j in r.sample(range(i), min(i, r.randrange(3)))} for i in range(n)]
    upper = [{j: r.choice((-1, 1)) for j in r.sample(range(i + 1, n), min(n - 1 - i, r.randrange(3)))} for i in range(n)]
    a = Entries()
    for i in range(n):
        for k, l in {**lower[i], i: 1}.items():
            for j, u in {**upper[k], k: 1}.items():
                a.add(i, j, float(l * u))
    return shuffled(n, {at: v for at, v in a.items() if v != 0}, seed)


@system((80, 5), (400, 6))
def network_basis(n, seed):
    """The node-arc matrix of a spanning tree, with slack and side columns: entries -1, 0, 1."""
    r = random.Random(seed)
    a = Entries({(0, 0): 1.0})
    for k in range(1, n):
        a.add(k, k, 1.0)
        a.add(r.randrange(k), k, -1.0)
    side = n // 10
    for s in range(side):
        a.add(n + s, n + s, 3.0)
        for j in r.sample(range(n), 5):
            a.add(n + s, j, 1.0)
        a.add(r.randrange(n), n + s, 1.0)
    return shuffled(n + side, {at: v for at, v in a.items() if v != 0}, seed)


@system((150, 3, 7), (600, 4, 8))
def random_signs(n, per_row, seed):
    """Entries 1 and -1 at random places, a permutation among them."""
    r = random.Random(seed)
    columns = r.sample(range(n), n)
    return n, {(i, j): r.choice((-1.0, 1.0)) for i in range(n) for j in {columns[i], *r.sample(range(n), per_row)}}


@system((200,))
def shift(n):
    return n, {**{(i, (i + 1) % n): 1.0 for i in range(n)}, (0, 0): 1e-3}


@system((201,))
def tiny_diagonal(n):
    """Tridiagonal, the diagonal of no use."""
    a = Entries({(i, i): 1e-20 for i in range(n)})
    for i in range(n - 1):
        a[i, i + 1], a[i + 1, i] = 1.0, -1.0
    a[n - 1, n - 1] = 1.0
    return n, a


@system((100,))
def arrow(n):
    """The head holds what determines the rest."""
    a = Entries({(i, i): 1e-9 for i in range(n)})
    for i in range(n - 1):
        a[i, n - 1] = a[n - 1, i] = 1.0
        a[i, (i + 1) % (n - 1)] = 2.0
    return n, a


@system((100, 9),)
def hermitian_indefinite(n, seed):
    r = random.Random(seed)
    a = Entries({(i, i): complex(r.uniform(-1, 1)) for i in range(n)})
    for i in range(n):
        for j in r.sample(range(n), 3):
            if i != j:
                z = cmath.rect(1.0, r.uniform(0, 6))
                a.add(i, j, z)
                a.add(j, i, z.conjugate())
    return n, a


@system((120, 10),)
def skew_symmetric(n, seed):
    r = random.Random(seed)
    a = Entries()
    for i in range(0, n, 2):
        a.add(i, i + 1, 3.0)
        a.add(i + 1, i, -3.0)
    for i in range(n):
        j = r.randrange(n)
        if i != j:
            v = r.uniform(-1, 1)
            a.add(i, j, v)
            a.add(j, i, -v)
    return n, a


# Growth of elements -------------------------------------------------------------------------------------------


@system((30,), (54,))
def wilkinson(n):
    """Partial pivoting doubles the last column at every step (Wilkinson 1961)."""
    return dense(n, lambda i, j: 1.0 if i == j or j == n - 1 else -1.0 if j < i else 0.0)


@system((40, 0.3), (100, 0.25))
def wright(blocks, h):
    """Multiple shooting for a boundary-value problem (Wright 1993): growth by exp."""
    a = Entries()
    step = (math.cosh(h), math.sinh(h))  # of exp(h [0 1; 1 0]), to about (1/6, 1) of it
    m = ((-1 / 6 * h, 1.0), (1.0, -1 / 6 * h))
    exponential = [[step[0] + m[0][0] * h, step[1] * m[0][1]], [step[1] * m[1][0], step[0] + m[1][1] * h]]
    n = 2 * (blocks + 1)
    for s in range(2):
        a[s, s] = 1.0
        a[s, n - 2 + s] = 1.0
    for b in range(blocks):
        for s in range(2):
            a[2 * b + 2 + s, 2 * b + 2 + s] = 1.0
            for t in range(2):
                a[2 * b + 2 + s, 2 * b + t] = -exponential[s][t]
    return n, a


@system((60, 40.0 / 3))
def foster(n, c):
    """A Volterra integral equation by the trapezoidal rule (Foster 1994)."""
    k, h = 1.0, c / (n - 1)
    def value(i, j):
        if j == n - 1:
            return -1.0 / c if i == 0 else 1 - 1 / c - (k * h / 2 if i == n - 1 else 0.0)
        if j == 0 and i > 0:
            return -k * h / 2
        return 1 - k * h / 2 * (i > 0) if i == j else -k * h if j < i else 0.0
    return dense(n, lambda i, j: 1.0 if (i, j) == (0, 0) else value(i, j))


@system((120,))
def grcar(n):
    return n, {(i, j): -1.0 if j == i - 1 else 1.0 for i in range(n) for j in range(max(0, i - 1), min(n, i + 4))}


# Units --------------------------------------------------------------------------------------------------------


@system((30, 5.0), (30, 20.0), (30, 60.0), (30, 100.0))
def laplacian_in_units(m, exponent):
    return scaled(*laplacian(m), exponent, int(exponent))


@system((40, 60.0))
def convection_in_units(m, exponent):
    return scaled(*central_convection(m), exponent, 1)


@system((100.0,))
def saddle_point_in_units(exponent):
    return scaled(*saddle_point(60, 20, 1.0), exponent, 2)


@system((100.0,))
def stokes_in_units(exponent):
    return scaled(*stokes(10, 0.0), exponent, 3)


@system((80.0,))
def helmholtz_in_units(exponent):
    return scaled(*helmholtz_absorbing(30, 0.7), exponent, 4)


@system((60.0,))
def basis_in_units(exponent):
    return scaled(*integer_basis(200, 2), exponent, 5)


# Nearly singular, and singular --------------------------------------------------------------------------------


@system((20, 1e-10), (20, 0.0))
def graph_laplacian(m, shift):
    return laplacian(m, shift, boundary=False)


@system((8,), (12,))
def hilbert(n):
    return dense(n, lambda i, j: 1 / (i + j + 1))


@system((14,))
def vandermonde(n):
    return dense(n, lambda i, j: ((i + 1) / n) ** j)


@system((90,))
def kahan(n):
    s, c = math.sin(1.2), math.cos(1.2)
    return dense(n, lambda i, j: s ** i * (1.0 if i == j else -c if j > i else 0.0))


@system((1e-13,), (0.0,))
def twin_columns(difference):
    """A column that is nearly, or quite, twice another."""
    n, a = laplacian(12)
    a = {(i, j): v for (i, j), v in a.items() if j != 7}
    for (i, j), v in list(a.items()):
        if j == 100:
            a[i, 7] = 2 * v
    if difference:
        a[7, 7] = difference
    return n, a
