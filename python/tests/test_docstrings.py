"""The examples in docstrings of what the package has for its users."""

import contextlib
import doctest
import inspect
import tempfile
import unittest

import numpy as np
from scipy import sparse

import trisweep

# What is no function: types of results, and errors.
WITHOUT_EXAMPLE = {
    "Analysis",
    "Batch",
    "BatchAnswer",
    "ForwardError",
    "HMatrix",
    "NumericalError",
    "NumericalWarning",
    "Solver",
}


def names():
    """As the module docstring has them."""
    a = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(5, 5)).tocsr()
    return {"np": np, "sparse": sparse, "trisweep": trisweep, "a": a, "b": np.ones(5)}


class Docstrings(unittest.TestCase):
    def test_have_examples_that_run(self):
        modules = {inspect.getmodule(getattr(trisweep, name)) for name in trisweep.__all__}
        finder = doctest.DocTestFinder(exclude_empty=True)
        tests = {test.name: test for module in modules for test in finder.find(module, extraglobs=names())}
        for name in trisweep.__all__:
            if name not in WITHOUT_EXAMPLE:
                self.assertTrue(tests[f"{getattr(trisweep, name).__module__}.{name}"].examples, name)
        for name, test in tests.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                words = []
                failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=words.append)
                self.assertEqual(failed, 0, "".join(words))
