"""Trisweep as a preconditioner of PETSc, chosen by PETSc's options.

    -pc_type python -pc_python_type trisweep.petsc.PC -trisweep_precision mixed

One solver uses the rows as PETSc's ranks have them, and matrices of the same nonzero pattern are
factored again with the same analysis. Needs petsc4py and mpi4py.
"""

from petsc4py import PETSc
from scipy import sparse

from trisweep.solver import Solver, Trans, splu

__all__ = ["PC"]

_READS = {
    "threads": PETSc.Options.getInt,
    "device": PETSc.Options.getString,
    "precision": PETSc.Options.getString,
    "compress": PETSc.Options.getString,
    "ordering": PETSc.Options.getString,
    "factorization": PETSc.Options.getString,
    "kind": PETSc.Options.getString,
    "block_triangular": PETSc.Options.getString,
    "refine": PETSc.Options.getString,
    "deterministic": PETSc.Options.getBool,
}


class PC:
    """A PC of the type "python": factors the preconditioner's matrix and applies its inverse or that of its
    transpose.

    PETSc creates it and calls its methods: `setUp` factors, and reuses the analysis if the pattern is
    unchanged.

    The options are those of `splu`, as `-trisweep_NAME` after the prefix of the PC, and `-trisweep_on_doubt`
    as in `Solver.solve`: with a singular matrix "raise" ends the solve, "ignore" continues with one of many
    solutions.
    """

    def __init__(self) -> None:
        self.lu: Solver | None = None
        self.options: dict[str, object] = {}
        self.on_doubt = "raise"

    def setFromOptions(self, pc: PETSc.PC) -> None:
        """Reads the options."""
        given = PETSc.Options(f"{pc.getOptionsPrefix() or ''}trisweep_")
        self.options = {name: read(given, name) for name, read in _READS.items() if given.hasName(name)}
        if "compress" in self.options:
            self.options["compress"] = _number_or_word(str(self.options["compress"]))
        self.on_doubt = given.getString("on_doubt", self.on_doubt)

    def setUp(self, pc: PETSc.PC) -> None:
        """Factors the matrix; reuses the analysis if it has the pattern of the previous matrix."""
        rows = _rows(pc.getOperators()[1])
        if self.lu is not None and self.lu.has_pattern_of(rows):
            self.lu.refactor(rows)
            return
        self.reset(pc)
        self.lu = splu(rows, comm=pc.getComm().tompi4py(), **self.options)

    def apply(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """y = A^-1 x."""
        self._solve(pc, x, y, "N")

    def applyTranspose(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec) -> None:
        """y = A^-T x."""
        self._solve(pc, x, y, "T")

    def reset(self, _: PETSc.PC) -> None:
        """Frees the factors. PETSc calls it to free what depends on the matrix."""
        if self.lu is not None:
            self.lu.close()
        self.lu = None

    def destroy(self, pc: PETSc.PC) -> None:
        """Frees everything."""
        self.reset(pc)

    def view(self, _: PETSc.PC, viewer: PETSc.Viewer) -> None:
        """Prints the solver's line for -ksp_view."""
        if self.lu is not None:
            viewer.printfASCII(f"  Trisweep: {self.lu.nnz} entries in the factors\n")

    def _solve(self, pc: PETSc.PC, x: PETSc.Vec, y: PETSc.Vec, trans: Trans) -> None:
        if self.lu is None:  # petsc4py does not call setUp after options are set again
            self.setUp(pc)
        self.lu.solve(x.getArray(readonly=True), trans, self.on_doubt, out=y.getArray())


def _rows(a: PETSc.Mat) -> sparse.csr_array:
    """Returns this rank's rows of any matrix that is of PETSc's type AIJ or can be converted to it."""
    if a.getType() not in ("seqaij", "mpiaij"):
        a = a.convert("aij")
    indptr, indices, values = a.getValuesCSR()
    return sparse.csr_array((values, indices, indptr), shape=(len(indptr) - 1, a.getSize()[1]))


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
