"""Exceptions and warnings; messages have the form of the command's: the error and its remedy."""

from pathlib import Path
from typing import Any

from numpy.linalg import LinAlgError


class UserError(Exception):
    """Wrong use, or something is missing; `remedy` says what to do. Commands exit with status 2."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.args[0]}\n  remedy: {self.remedy}"


def unreadable(file: Path, error: OSError) -> UserError:
    """Returns the UserError to raise when reading the file has failed with this error."""
    return UserError(f"cannot read {file}: {error.strerror or error}", "give an existing file")


class NumericalError(LinAlgError, ArithmeticError):
    """The matrix is singular, or a solution does not satisfy its equations: the message says which.

    `x` is the solution that was not accepted, and `report` the `Solver.report()` on it:
    `["solve"]["solved_columns"]` has for each right-hand side whether its solution is accepted. Both are None
    where nothing was solved.
    """

    def __init__(self, message: str, x: object = None, report: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.x = x
        self.report = report


class NumericalWarning(RuntimeWarning):
    """Replaces NumericalError with `on_doubt="warn"`; also for an accepted x if A is ill-conditioned."""
