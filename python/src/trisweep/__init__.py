"""The commands of Trisweep that draw. The solvers themselves are the C++ library and the `trisweep` command."""

from importlib.metadata import version

__version__ = version("trisweep")
