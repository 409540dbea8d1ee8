"""What the package's commands have in common: how they read their words, and how they end."""

import argparse
import signal
import sys
from collections.abc import Callable, Sequence

from trisweep.errors import UserError


class Parser(argparse.ArgumentParser):
    """Wrong words are a UserError."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UserError(message, f"see {self.prog} --help")


def end_with(run: Callable[[Sequence[str]], int], name: str) -> None:
    """Runs a command with the words of this process, and ends it with its exit status, or with the error in words."""
    # As an exception, so that ranks end and half-written files go.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        sys.exit(run(sys.argv[1:]))
    except UserError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
