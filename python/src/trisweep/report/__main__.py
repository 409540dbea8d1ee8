"""The command `trisweep report run.json [more.json ...] -o run.html`, also `trisweep-report`."""

from collections.abc import Sequence
from pathlib import Path

from trisweep import __version__
from trisweep.command import Parser, end_with
from trisweep.errors import UserError
from trisweep.outputs import Outputs
from trisweep.report.page import page
from trisweep.report.records import read_block_map, read_record, read_trace
from trisweep.runs import read_traffic


def _parser() -> Parser:
    parser = Parser(
        prog="trisweep report",
        description="Explains a run on one page: verdict, time, ranks, messages, compression; or compares runs.",
    )
    add = parser.add_argument
    add("record", nargs="+", type=Path, metavar="RUN.json", help="what solve, predict or bem wrote with --json")
    add("--traffic", type=Path, metavar="FILE.csv", help="of the first run: what solve wrote with --traffic")
    add("--trace", type=Path, metavar="FILE.json", help="of the first run: what solve wrote with --trace")
    add("--block-map", type=Path, metavar="FILE.svg", help="of the first run: what bem wrote with --block-map")
    add("-o", "--output", type=Path, metavar="FILE.html", help="the page (default: RUN.html, in this folder)")
    add("--version", action="version", version=__version__)
    return parser


def run(words: Sequence[str]) -> int:
    """Writes the page. Raises UserError."""
    options = _parser().parse_args(words)
    output = options.output or Path(options.record[0].stem + ".html")
    if output.suffix != ".html":
        raise UserError(f"{output} does not end in .html", "give a name that does")
    with Outputs(output.parent, output.stem, ("html",)) as outputs:
        records = [read_record(file) for file in options.record]
        traffic = read_traffic(options.traffic) if options.traffic else None
        trace = read_trace(options.trace) if options.trace else None
        block_map = read_block_map(options.block_map, records[0]) if options.block_map else ""
        outputs.write("html", page(records, traffic, trace, block_map))
    print(f"wrote {output}")
    return 0


def main() -> None:
    end_with(run, "trisweep report")


if __name__ == "__main__":
    main()
