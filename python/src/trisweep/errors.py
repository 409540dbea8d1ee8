"""What goes wrong and what the user can do about it, in the form of the command's own messages."""


class UserError(Exception):
    """Wrong use, or something missing: the message says what, the remedy what to do. Exit status 2."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.args[0]}\n  remedy: {self.remedy}"


class NumericalError(ArithmeticError):
    """The matrix is singular, or no answer was found that satisfies its equations: the message says which."""
