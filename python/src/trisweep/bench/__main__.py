"""The command `trisweep bench NAME`, also `trisweep-bench NAME`."""

import argparse
import datetime
import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trisweep import __version__, plots
from trisweep.bench import EXPERIMENTS
from trisweep.bench.experiment import Experiment
from trisweep.command import Parser, end_with
from trisweep.errors import UserError
from trisweep.grids import Grid, parse_grid
from trisweep.lab import Lab, Progress, Settings
from trisweep.machine import describe_machine
from trisweep.outputs import Outputs
from trisweep.runs import find_trisweep
from trisweep.tables import Table, from_document


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise UserError(f"'{text}' is not a positive number", "give numbers of 1 and more")
    return int(text)


def _counts(text: str) -> tuple[int, ...]:
    return tuple(_count(word) for word in text.split(","))


def _grids(text: str) -> tuple[Grid, ...]:
    return tuple(parse_grid(word) for word in text.split(","))


def _parser() -> Parser:
    names = "\n".join(f"  {one.name:<14} {one.title} ({one.paper})" for one in EXPERIMENTS.values())
    parser = Parser(
        prog="trisweep bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Re-runs an experiment of the papers at the size of this machine: a table and a figure.",
        epilog=f"experiments:\n{names}",
    )
    add = parser.add_argument
    add("name", nargs="?", metavar="NAME", help="the experiment")
    add("--list", action="store_true", help="print the experiments and end")
    add("--matrix", action="append", metavar="A", help="file, or KIND:N of the gallery; may be given again")
    add("--grid", type=_grids, metavar="G,...", help="process grids, such as 2x2x1,4x4x1")
    add("--ranks", type=_counts, metavar="P,...", help="numbers of ranks, in place of --grid")
    add("--nrhs", type=_counts, metavar="K,...", help="numbers of right-hand sides")
    add("--threads", type=_counts, metavar="T,...", help="numbers of threads per rank")
    add("--rounds", type=_count, metavar="R", help="times each case is run, in turns with the others")
    add("--repeat", type=_count, metavar="R", help="solves in each run")
    add("--quick", action="store_true", help="tiny matrices and few ranks: a try in seconds")
    add(
        "-o",
        "--output",
        type=Path,
        default=Path("bench-results"),
        metavar="DIR",
        help="folder for NAME.json, NAME.md and NAME.png (default: %(default)s)",
    )
    add("--cache", type=Path, metavar="DIR", help="folder that keeps analyses and predictions for the next experiment")
    add("--redraw", type=Path, metavar="NAME.json", help="draw this earlier result again; nothing is measured")
    add("--binary", metavar="FILE", help="the trisweep command to measure")
    add("--version", action="version", version=__version__)
    return parser


def _experiment(name: str | None) -> Experiment:
    names = ", ".join(EXPERIMENTS)
    if name is None:
        raise UserError("no experiment was given", f"give one of {names}; see trisweep bench --help")
    if name not in EXPERIMENTS:
        raise UserError(f"there is no experiment '{name}'", f"give one of {names}")
    return EXPERIMENTS[name]


def _settings(experiment: Experiment, options: argparse.Namespace) -> Settings:
    for option in ("matrix", "grid", "ranks", "nrhs", "threads", "cache"):
        if getattr(options, option) is not None and option not in experiment.takes:
            raise UserError(f"--{option} means nothing to the experiment {experiment.name}", "leave it out")
    grids = options.grid
    if options.ranks:
        if grids:
            raise UserError("both --grid and --ranks were given", "give one of them")
        grids = tuple(grid for ranks in options.ranks for grid in experiment.grids_of(ranks))
    settings = experiment.quick if options.quick else experiment.settings
    return settings.with_choices(
        {
            "matrices": options.matrix and tuple(options.matrix),
            "grids": grids,
            "nrhs": options.nrhs,
            "threads": options.threads,
            "rounds": options.rounds,
            "repeats": options.repeat,
        }
    )


def _measure(experiment: Experiment, options: argparse.Namespace, command: str) -> dict[str, Any]:
    """The whole result as a JSON document."""
    settings = _settings(experiment, options)
    with Lab(find_trisweep(options.binary), settings, Progress(), options.cache) as lab:
        table = experiment.measure(lab)
    return {
        "experiment": experiment.name,
        "command": command,
        "version": __version__,
        "date": datetime.date.today().isoformat(),
        "machine": describe_machine(),
        "rounds": settings.rounds,
        "repeats": settings.repeats,
        "table": table.document(),
    }


def _earlier(file: Path, experiment: Experiment) -> dict[str, Any]:
    try:
        result = json.loads(file.read_text())
        if result["experiment"] != experiment.name:
            raise UserError(f"{file} is a result of {result['experiment']}, not of {experiment.name}", "name that one")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file}: not a result of trisweep bench: {error}", "give a NAME.json that it wrote") from None
    return result


def _markdown(experiment: Experiment, result: dict[str, Any], table: Table) -> str:
    text = (
        f"# {experiment.title} ({experiment.paper})\n\n{table.markdown()}\n"
        f"Made by `{result['command']}` on {result['date']}"
    )
    if experiment.predicts:
        return f"{text}; Trisweep {result['version']}. All times are predictions of the performance model.\n"
    return (
        f"{text}: {result['machine']}; Trisweep {result['version']}. Times: median (smallest to largest) of "
        f"{result['rounds']} rounds, in each the median of {result['repeats']} solves.\n"
    )


def run(words: Sequence[str]) -> int:
    options = _parser().parse_args(words)
    if options.list:
        for one in EXPERIMENTS.values():
            print(f"{one.name:<14} {one.title} ({one.paper})")
        return 0
    if any(os.environ.get(variable, "1") != "1" for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")):
        raise UserError("trisweep bench starts ranks itself", "run it without mpirun")
    experiment = _experiment(options.name)
    with Outputs(options.output, experiment.name) as outputs:
        if options.redraw:
            result = _earlier(options.redraw, experiment)
        else:
            result = _measure(experiment, options, shlex.join(["trisweep", "bench", *words]))
        table = from_document(result["table"])
        outputs.write("json", json.dumps(result) + "\n")
        outputs.write("md", _markdown(experiment, result, table))
        outputs.write("png", plots.png(experiment.draw(table)))
    print(table.markdown())
    print("wrote " + ", ".join(str(file) for file in outputs.files.values()))
    return 0


def main() -> None:
    end_with(run, "trisweep bench")


if __name__ == "__main__":
    main()
