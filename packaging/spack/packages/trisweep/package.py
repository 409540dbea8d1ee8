"""Spack's recipe of the checkout that it lies in:

spack repo add packaging/spack && spack install trisweep
"""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import depends_on, license, variant, version


class Trisweep(CMakePackage):
    """Distributed sparse direct solver with C++ and MPI, for systems that are factored once and solved many
    times."""

    git = Path(__file__).resolve().parents[4].as_uri()

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("shared", default=False, description="Build shared libraries")
    variant("cli", default=True, description="Build the trisweep command")
    variant("scotch", default=False, description="Order with SCOTCH as well (license CeCILL-C)")
    variant("hmatrix", default=True, description="H-matrices, boundary elements, and files of factors")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")

    depends_on("mpi")
    depends_on("openblas threads=pthreads")  # the serial one is not safe to call from several threads
    depends_on("metis@5:")
    depends_on("suite-sparse")  # AMD, CAMD, BTF
    depends_on("scotch", when="+scotch")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("zlib-api")
    depends_on("cli11@2:", when="+cli")
    depends_on("hdf5", when="+hmatrix")
    depends_on("assimp", when="+cli+hmatrix")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("TRISWEEP_BUILD_TESTS", False),
            self.define("TRISWEEP_SOLVE_ONLY", self.spec.satisfies("~hmatrix")),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("TRISWEEP_SCOTCH", "scotch"),
            self.define_from_variant("TRISWEEP_BUILD_CLI", "cli"),
        ]
