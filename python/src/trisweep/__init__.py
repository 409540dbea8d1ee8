"""Sparse linear systems that are factored once and solved many times.

    import trisweep

    lu = trisweep.splu(a)            # any of SciPy's sparse formats
    x = lu.solve(b, trans="H")       # or "N", "T"; b is a vector or a matrix of right-hand sides
    lu.refactor(values)              # of the same pattern

`trisweep bench`, the papers' experiments as tables and figures, is in this package, too; the rest is the C++
library and the `trisweep` command.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trisweep.solver import ForwardError, NumericalError, NumericalWarning, Solver, factorized, splu, spsolve

__all__ = ["ForwardError", "NumericalError", "NumericalWarning", "Solver", "factorized", "splu", "spsolve"]
__version__ = version("trisweep")


def __getattr__(name: str) -> Any:  # noqa: ANN401
    # When first asked for: experiments start programs, and need neither MPI nor SciPy themselves.
    if name not in __all__:
        raise AttributeError(f"module 'trisweep' has no attribute {name!r}")
    from trisweep import solver

    return getattr(solver, name)
