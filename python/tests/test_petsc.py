"""`trisweep.petsc.PC` with Debian's petsc4py, which has a Python of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_ranks import ROOT, run

PYTHON = "/usr/bin/python3"
# Debian's petsc4py finds PETSc by this, or by an alternative that PETSc's headers install.
PETSC = {"PETSC_DIR": str(next(Path("/usr/lib/petscdir").glob("petsc*/*-real"), ""))}
PROBE = "import petsc4py, mpi4py, scipy, sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
CASES = ("preonly", "gmres", "time_stepper", "fieldsplit", "growth", "singular")


def obstacle():
    """Why there is nothing to test; empty: there is."""
    if not Path(PYTHON).exists():
        return f"there is no {PYTHON}"
    probe = subprocess.run([PYTHON, "-c", PROBE], env=os.environ | PETSC, capture_output=True, text=True)
    if probe.returncode != 0:
        return f"{PYTHON} has no petsc4py, mpi4py or SciPy: scripts/install-deps installs them"
    import trisweep._core

    if not trisweep._core.__file__.endswith(probe.stdout.strip()):
        return f"{PYTHON} is of another version than {sys.executable}, which the package is built for"
    return ""


class Petsc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        why = obstacle()
        if why:
            print(f"\nPETSc is not tested: {why}")
            raise unittest.SkipTest(why)
        # The package without what it has from PyPI: Debian's Python has NumPy and SciPy of its own.
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        import trisweep._core

        package = Path(cls.folder.name) / "trisweep"
        shutil.copytree(ROOT / "python/src/trisweep", package, ignore=shutil.ignore_patterns("__pycache__"))
        compiled = Path(trisweep._core.__file__)
        (package / compiled.name).symlink_to(compiled)
        for metadata in compiled.parent.parent.glob("trisweep-*.dist-info"):
            (package.parent / metadata.name).symlink_to(metadata)

    def test_solves_with_it(self):
        variables = PETSC | {"PYTHONPATH": self.folder.name, "PATH": os.environ["PATH"]}
        for case in CASES:
            for ranks in (1, 2, 4):
                with self.subTest(case=case, ranks=ranks):
                    run(ranks, "petsc.py", case, python=PYTHON, variables=variables)
