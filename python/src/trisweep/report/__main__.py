"""The command `trisweep report run.json [more.json ...] -o run.html`, also `trisweep-report`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from trisweep import __version__
from trisweep.errors import UserError
from trisweep.outputs import Outputs
from trisweep.report.page import page
from trisweep.report.records import read_record, read_trace, read_traffic


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UserError(message, "see trisweep report --help")


def _parser() -> Parser:
    parser = Parser(
        prog="trisweep report",
        description="Explains a run on one page: verdict, time, ranks, messages, compression; or compares runs.",
    )
    add = parser.add_argument
    add("record", nargs="+", type=Path, metavar="RUN.json", help="what solve, predict or bem wrote with --json")
    add("--traffic", type=Path, metavar="FILE.csv", help="of the first run: what solve wrote with --traffic")
    add("--trace", type=Path, metavar="FILE.json", help="of the first run: what solve wrote with --trace")
    add("-o", "--output", type=Path, metavar="FILE.html", help="the page (default: RUN.html, in this folder)")
    add("--version", action="version", version=__version__)
    return parser


def run(arguments: Sequence[str]) -> Path:
    """Writes the page and returns its name. Raises UserError."""
    options = _parser().parse_args(arguments)
    output = options.output or Path(options.record[0].stem + ".html")
    if output.suffix != ".html":
        raise UserError(f"{output} does not end in .html", "give a name that does")
    with Outputs(output.parent, output.stem, ("html",)) as outputs:
        records = [read_record(file) for file in options.record]
        traffic = read_traffic(options.traffic) if options.traffic else None
        trace = read_trace(options.trace) if options.trace else None
        outputs.write("html", page(records, traffic, trace))
    return output


def main() -> None:
    try:
        print(f"wrote {run(sys.argv[1:])}")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
