"""Latency of a message between two ranks by its size: two-sided, one-sided, and in shared memory windows.

The poster's round-trip benchmark, of which half is given. It limits the gain of a one-sided solve."""

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.experiment import Experiment
from trisweep.lab import Lab, Settings
from trisweep.tables import Column, Spread, Table, spread

BASELINE = "two-sided"


def _columns(names: list[str]) -> list[Column]:
    times = [Column(name, f"{name}, µs", ".2f") for name in names]
    ratios = [Column(f"{BASELINE} / {name}", f"{BASELINE} / {name}", ".2f") for name in names if name != BASELINE]
    return [Column("bytes", "bytes", "d"), *times, *ratios]


def _medians(document: dict) -> dict[str, dict[int, float]]:
    """Microseconds one way, by transport and size."""
    return {
        transport["name"]: {sample["bytes"]: 1e6 * sample["seconds_median"] for sample in transport["samples"]}
        for transport in document["transports"]
    }


def _row(size: int, rounds: list[dict[str, dict[int, float]]], names: list[str]) -> dict[str, int | Spread]:
    row: dict[str, int | Spread] = {"bytes": size}
    for name in names:
        row[name] = spread(one[name][size] for one in rounds)
        if name != BASELINE:
            row[f"{BASELINE} / {name}"] = spread(one[BASELINE][size] / one[name][size] for one in rounds)
    return row


def measure(lab: Lab) -> Table:
    (rounds,) = lab.in_turns(["pingpong"], lambda command: _medians(lab.trisweep.document([command], ranks=2)))
    names = list(rounds[0])
    return Table(_columns(names), [_row(size, rounds, names) for size in rounds[0][BASELINE]])


def draw(table: Table) -> Figure:
    figure, [[axes]] = plots.new_figure(width=6)
    names = [column.key for column in table.columns[1:] if " / " not in column.key]
    sizes = [row["bytes"] for row in table.rows]
    plots.lines(axes, sizes, {name: [row[name] for row in table.rows] for name in names})
    axes.set_xscale("log", base=2)
    axes.set(yscale="log", xlabel="bytes", ylabel="one way, µs")
    plots.legend(figure)
    return figure


EXPERIMENT = Experiment(
    name="pingpong",
    title="latency of a message by its size: two-sided, one-sided, shared memory windows",
    paper="one-sided poster",
    measure=measure,
    draw=draw,
    settings=Settings(rounds=15),
    quick=Settings(rounds=1),
    takes=(),
)
