"""`trisweep.petsc.PC` in PETSc's solvers: petsc.py NAME runs the function of that name on all ranks."""

import resource
import sys

import numpy as np
import petsc4py

petsc4py.init()

from petsc4py import PETSc  # noqa: E402

from trisweep.errors import NumericalError  # noqa: E402

COMM = PETSc.COMM_WORLD.tompi4py()
TRISWEEP = {"pc_type": "python", "pc_python_type": "trisweep.petsc.PC"}


def set_options(options, prefix=""):
    given = PETSc.Options(prefix)
    for name, value in options.items():
        given[name] = value


def tridiagonal(n, entries):
    """By PETSc's ranks; entries(i): those of row i."""
    a = PETSc.Mat().createAIJ([n, n], nnz=3)
    for i in range(*a.getOwnershipRange()):
        for j, value in zip((i - 1, i, i + 1), entries(i), strict=True):
            if 0 <= j < n and value != 0:
                a[i, j] = value
    a.assemble()
    return a


def convection(n, factor=1.0):
    """-u'' + 3 u' on a line."""
    return tridiagonal(n, lambda _: (factor * (-1.0 - 1.5 / n), factor * 2.0, factor * (-1.0 + 1.5 / n)))


def eye(n):
    return tridiagonal(n, lambda _: (0.0, 2.0, 0.0))


def solver(a, prefix=""):
    ksp = PETSc.KSP().create()
    ksp.setOptionsPrefix(prefix)
    ksp.setOperators(a)
    ksp.setFromOptions()
    return ksp


def residual(a, x, b, transposed=False):
    r = b.duplicate()
    (a.multTranspose if transposed else a.mult)(x, r)
    r.axpy(-1.0, b)
    return r.norm() / b.norm()


def preonly():
    set_options({**TRISWEEP, "ksp_type": "preonly", "trisweep_precision": "mixed", "trisweep_refine": "best"})
    a = convection(200)
    x, b = a.createVecs()
    b.setRandom()
    ksp = solver(a)
    ksp.solve(b, x)
    assert residual(a, x, b) < 1e-12
    ksp.solveTranspose(b, x)
    assert residual(a, x, b, transposed=True) < 1e-12
    ksp.setFromOptions()  # petsc4py makes another context, and does not set it up
    ksp.solve(b, x)
    assert residual(a, x, b) < 1e-12
    context = ksp.getPC().getPythonContext()
    assert context.options == {"precision": "mixed", "refine": "best"}, context.options
    # The same pattern, then another one.
    before = context.lu
    ksp.setOperators(convection(200, 3.0))
    ksp.solve(b, x)
    assert residual(convection(200, 3.0), x, b) < 1e-12
    assert context.lu is before
    ksp.setOperators(eye(200))
    ksp.solve(b, x)
    assert residual(eye(200), x, b) < 1e-12
    assert context.lu is not before
    context.lu.close()
    ksp.setOperators(2 * eye(200))
    ksp.solve(b, x)
    assert residual(2 * eye(200), x, b) < 1e-12
    ksp.destroy()
    assert context.lu is None


def gmres():
    """With the factors of a matrix nearby, and an option prefix."""
    set_options(
        {**TRISWEEP, "ksp_type": "gmres", "ksp_rtol": 1e-12, "ksp_pc_side": "right", "trisweep_compress": "1e-6"},
        "mine_",
    )
    a, near = convection(300), convection(300)
    near.shift(0.001)
    x, b = a.createVecs()
    b.setRandom()
    ksp = solver(a, "mine_")
    ksp.setOperators(a, near)
    ksp.solve(b, x)
    assert residual(a, x, b) < 1e-9
    assert 1 < ksp.getIterationNumber() < 100
    assert ksp.getPC().getPythonContext().options == {"compress": 1e-6}
    ksp.destroy()


def time_stepper():
    """u' = -A(t) u by backward Euler, where each step has other values of one pattern."""
    n, steps, dt = 40, 10, 0.1
    set_options({**TRISWEEP, "ksp_type": "preonly", "snes_type": "ksponly", "ts_type": "beuler"})
    a, jacobian = convection(n), convection(n)
    factors = set()

    def right_size(t):
        return 1.0 + t

    def implicit(_, t, u, rate, f):
        a.mult(u, f)
        f.scale(right_size(t))
        f.axpy(1.0, rate)

    def derivative(_, t, u, rate, shift, j, p):
        a.copy(p, PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
        p.scale(right_size(t))
        p.shift(shift)
        p.assemble()

    u = a.createVecRight()
    u.set(1.0)
    ts = PETSc.TS().create()
    ts.setProblemType(PETSc.TS.ProblemType.NONLINEAR)
    ts.setIFunction(implicit, u.duplicate())
    ts.setIJacobian(derivative, jacobian, jacobian)
    ts.setTimeStep(dt)
    ts.setMaxSteps(steps)
    ts.setMaxTime(1e9)
    ts.setExactFinalTime(PETSc.TS.ExactFinalTime.STEPOVER)
    ts.setFromOptions()
    ts.setMonitor(lambda ts, *_: factors.add(ts.getSNES().getKSP().getPC().getPythonContext().lu))
    ts.solve(u)
    factors.discard(None)
    assert len(factors) == 1, factors
    dense = np.diag(np.full(n, 2.0)) - np.eye(n, k=1) * (1 - 1.5 / n) - np.eye(n, k=-1) * (1 + 1.5 / n)
    expected = np.ones(n)
    for step in range(steps):
        expected = np.linalg.solve(np.eye(n) + dt * right_size(dt * (step + 1)) * dense, expected)
    np.testing.assert_allclose(u.array_r, expected[slice(*u.getOwnershipRange())], rtol=1e-10)
    ts.destroy()


def fieldsplit():
    """Two coupled fields, each with factors of its own."""
    n = 100
    a = PETSc.Mat().createAIJ([2 * n, 2 * n], nnz=4, bsize=2)
    for i in range(*a.getOwnershipRange()):
        for j, value in ((i - 2, -1.0), (i, 4.0 + i % 2), (i + 2, -1.0), (i ^ 1, 0.3)):
            if 0 <= j < 2 * n:
                a[i, j] = value
    a.assemble()
    set_options(
        {"ksp_type": "gmres", "ksp_rtol": 1e-10, "pc_type": "fieldsplit", "pc_fieldsplit_type": "multiplicative"}
    )
    for field in (0, 1):
        set_options({**TRISWEEP, "ksp_type": "preonly"}, f"fieldsplit_{field}_")
    x, b = a.createVecs()
    b.setRandom()
    ksp = solver(a)
    first, last = a.getOwnershipRange()
    fields = [PETSc.IS().createGeneral(np.arange(first + (first + f) % 2, last, 2, dtype=np.int32)) for f in (0, 1)]
    ksp.getPC().setFieldSplitIS(*(("01"[f], fields[f]) for f in (0, 1)))
    ksp.solve(b, x)
    assert residual(a, x, b) < 1e-9
    assert ksp.getIterationNumber() < 20
    ksp.destroy()


def growth():
    """1,000 factorizations and solves (fewer where ranks share processors) leave memory and communicators alone."""
    set_options({**TRISWEEP, "ksp_type": "preonly"})
    matrices = [convection(400), convection(400, 2.0)]
    x, b = matrices[0].createVecs()
    b.set(1.0)
    ksp = solver(matrices[0])

    def solve(times):
        for k in range(times):
            ksp.setOperators(matrices[k % 2])
            ksp.solve(b, x)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    solve(100 // COMM.size)
    communicator = next_communicator()
    before = solve(1)
    after = solve(1000 // COMM.size**2)
    assert after - before < 2000, (before, after)  # KiB
    assert next_communicator() == communicator
    ksp.destroy()
    # Solvers that come and go.
    solver_of_its_own(matrices[0], b, x)
    communicator = next_communicator()
    for _ in range(50 // COMM.size):
        solver_of_its_own(matrices[0], b, x)
    assert next_communicator() == communicator


def solver_of_its_own(a, b, x):
    ksp = solver(a)
    ksp.solve(b, x)
    ksp.destroy()


def next_communicator():
    """The handle that MPI gives out next: the lowest free one."""
    comm = COMM.Dup()
    handle = comm.py2f()
    comm.Free()
    return handle


def singular():
    """An error on all ranks; where that is asked for, one of many solutions."""
    n = 50
    a = tridiagonal(n, lambda i: (-1.0, 1.0 if i in (0, n - 1) else 2.0, -1.0))  # maps constants to zero
    x, b = a.createVecs()
    b[0], b[n - 1] = 1.0, -1.0
    b.assemble()
    set_options({**TRISWEEP, "ksp_type": "preonly"})
    expect(NumericalError, "singular", solver(a), b, x)
    set_options({"trisweep_on_doubt": "ignore"})
    ksp = solver(a)
    ksp.solve(b, x)
    # Rounding decides which one, and how large it is.
    assert residual(a, x, b) * b.norm() < 1e-14 * a.norm() * x.norm()
    ksp.destroy()
    set_options({"trisweep_ordering": "none"})
    expect(ValueError, "ordering", solver(a), b, x)


def expect(kind, words, ksp, b, x):
    try:
        ksp.solve(b, x)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}: {words}")
    ksp.destroy()


globals()[sys.argv[1]]()
