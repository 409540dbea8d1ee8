"""Sparse linear systems that are factored once and solved many times.

    import trisweep

    lu = trisweep.splu(a)            # any of SciPy's sparse formats
    x = lu.solve(b, trans="H")       # or "N", "T"; b is a vector or a matrix of right-hand sides
    lu.refactor(values)              # new values, same pattern
    lu.save("a.factors")             # for trisweep.load; pickle and copy.deepcopy work, too
    plan = trisweep.analyze(a)       # or step by step: plan.factorize(values) returns an independent solver

In the examples of docstrings b is np.ones(5), and a is
sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(5, 5)).tocsr().

The package also contains `trisweep bench`, which makes tables and figures of the papers' experiments, and
`trisweep report`.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trisweep.analysis import Analysis, analyze
    from trisweep.batch import Batch, BatchAnswer
    from trisweep.given import from_factors
    from trisweep.hierarchical import HMatrix, hmatrix
    from trisweep.iterative import bicgstab, gmres
    from trisweep.saved import load
    from trisweep.solver import ForwardError, NumericalError, NumericalWarning, Solver, factorized, splu, spsolve
    from trisweep.triangular import spsolve_triangular

_MODULE_OF = {
    "Analysis": "analysis",
    "Batch": "batch",
    "BatchAnswer": "batch",
    "HMatrix": "hierarchical",
    "analyze": "analysis",
    "bicgstab": "iterative",
    "from_factors": "given",
    "gmres": "iterative",
    "hmatrix": "hierarchical",
    "load": "saved",
    "spsolve_triangular": "triangular",
}  # others are in `solver`
__all__ = [
    "Analysis",
    "Batch",
    "BatchAnswer",
    "ForwardError",
    "HMatrix",
    "NumericalError",
    "NumericalWarning",
    "Solver",
    "analyze",
    "bicgstab",
    "factorized",
    "from_factors",
    "gmres",
    "hmatrix",
    "load",
    "splu",
    "spsolve",
    "spsolve_triangular",
]
__version__ = version("trisweep")


def __getattr__(name: str) -> Any:  # noqa: ANN401
    # Imported on first use: experiments only start programs, and need neither MPI nor SciPy.
    if name not in __all__:
        raise AttributeError(f"module 'trisweep' has no attribute {name!r}")
    return getattr(import_module(f"trisweep.{_MODULE_OF.get(name, 'solver')}"), name)
