"""What goes wrong and what the user can do about it, in the form of the command's own messages."""

from pathlib import Path
from typing import Any

from numpy.linalg import LinAlgError


class UserError(Exception):
    """Wrong use, or something missing: the message says what, the remedy what to do. Exit status 2."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.args[0]}\n  remedy: {self.remedy}"


def unreadable(file: Path, error: OSError) -> UserError:
    """What to raise where reading the file fails with this error."""
    return UserError(f"cannot read {file}: {error.strerror or error}", "give an existing file")


class NumericalError(LinAlgError, ArithmeticError):
    """The matrix is singular, or a solution does not satisfy its equations: the message says which.

    `x` is the solution all the same, and `report` what `Solver.report()` says of it: its `["solve"]["solved_columns"]`
    tells for each right-hand side whether its solution is accepted. Both are None where nothing was solved.
    """

    def __init__(self, message: str, x: object = None, report: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.x = x
        self.report = report


class NumericalWarning(RuntimeWarning):
    """What NumericalError says, where a warning was asked for."""
