"""Parsing of arguments and exit status, the same for all commands of the package."""

import argparse
import signal
import sys
from collections.abc import Callable, Sequence

from trisweep.errors import UserError


class Parser(argparse.ArgumentParser):
    """Raises UserError for wrong arguments."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise UserError(message, f"see {self.prog} --help")


def end_with(run: Callable[[Sequence[str]], int], name: str) -> None:
    """Runs a command with this process's arguments, prints its error, if any, and exits with its status."""
    # SIGTERM becomes an exception, so that started ranks end and partial files are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        sys.exit(run(sys.argv[1:]))
    except UserError as error:
        print(f"{name}: error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
