"""What the tests of optional libraries share."""

import importlib.util
import unittest

import numpy as np
from scipy import sparse


def require(library):
    """Skips the class of tests, and says so, where the library is not installed."""
    if importlib.util.find_spec(library) is None:
        why = f"{library} is not installed"
        print(f"\ntrisweep.{library} is not tested: {why}")
        raise unittest.SkipTest(why)


def unsymmetric(n, dtype=np.float64):
    rng = np.random.default_rng(3)
    a = sparse.random_array((n, n), density=0.15, rng=rng) + 4 * sparse.eye_array(n)
    a = a.tocsr().astype(dtype)
    if np.iscomplexobj(a):
        a.data = a.data + 1j * rng.random(a.nnz)
    return a
