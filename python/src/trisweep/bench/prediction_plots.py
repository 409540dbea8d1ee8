"""How the figures of predictions are drawn: from the rows of their tables alone (predictions.py)."""

from collections.abc import Callable, Sequence

from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.heatmap import at_place
from trisweep.grids import parse_grid
from trisweep.tables import Spread, Table


def _ranks_axis(axes: plots.Axes, ranks: Sequence[int]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(ranks, [str(p) for p in ranks])
    axes.set_yscale("log")
    axes.set_xlabel("ranks")


def _milliseconds(row: dict, time: str) -> float:
    return 1e3 * row[time]


def scaling(time: str = "seconds") -> Callable[[Table], Figure]:
    """Time over the number of ranks; a curve for each series and Pz."""

    def draw(table: Table) -> Figure:
        systems = table.groups("matrix", "nrhs")
        layers = list(dict.fromkeys(row["pz"] for row in table.rows))
        series = list(dict.fromkeys(row["series"] for row in table.rows))
        figure, axes = plots.new_figure((len(systems) + 1) // 2, min(2, len(systems)), width=4.6, height=3.4)
        for one, ((matrix, nrhs), rows) in zip(axes.flat, systems.items(), strict=False):
            for place, name in enumerate(series):
                for colour, pz in enumerate(layers):
                    points = [row for row in rows if (row["series"], row["pz"]) == (name, pz)]
                    plots.curve(
                        one,
                        [row["ranks"] for row in points],
                        [_milliseconds(row, time) for row in points],
                        label=name,
                        colour=colour if len(layers) > 1 else place,
                        style=place,
                    )
            _ranks_axis(one, sorted({row["ranks"] for row in rows}))
            one.set_ylabel("predicted time, ms" if time == "seconds" else "predicted time of the L-solve, ms")
            one.set_title(plots.system_title(matrix, nrhs), fontsize=9)
        for one in axes.flat[len(systems) :]:
            one.set_visible(False)
        if len(layers) > 1:
            plots.family_legend(figure, [f"Pz = {pz}" for pz in layers], series)
        else:
            plots.legend(figure, axes[0, 0])
        return figure

    return draw


def parts(table: Table) -> Figure:
    """Time of the whole and of its parts over the number of ranks; a line style for each series."""
    kinds = {"all": "seconds", "L-solve": "l_seconds", "U-solve": "u_seconds", "inter-grid": "inter_grid_seconds"}
    systems = table.groups("matrix", "nrhs")
    right = len({nrhs for _, nrhs in systems})
    names = list(dict.fromkeys(row["series"] for row in table.rows))
    figure, axes = plots.new_figure(len(systems) // right, right, width=4.6, height=3.0)
    for one, ((matrix, nrhs), rows) in zip(axes.flat, systems.items(), strict=True):
        for style, name in enumerate(names):
            for colour, key in enumerate(kinds.values()):
                points = [row for row in rows if row["series"] == name and row[key] > 0]
                at, values = [row["ranks"] for row in points], [_milliseconds(row, key) for row in points]
                plots.curve(one, at, values, label=name, colour=colour, style=style)
        _ranks_axis(one, sorted({row["ranks"] for row in rows}))
        one.set_ylabel("predicted time, ms")
        one.set_title(plots.system_title(matrix, nrhs), fontsize=9)
    plots.family_legend(figure, list(kinds), names)
    return figure


def breakdown(table: Table) -> Figure:
    """Means over the ranks, stacked, for each number of ranks and Pz."""
    kinds = {"inter-grid": "inter_grid", "intra-grid": "intra_grid", "floating point": "floating_point"}
    groups = table.groups("matrix", "nrhs", "series")
    figure, axes = plots.new_figure(1, len(groups), width=5.6, height=3.6)
    top = max(row["milliseconds"] for row in table.rows)
    for one, ((matrix, nrhs, series), rows) in zip(axes.flat, groups.items(), strict=True):
        names = [f"{row['ranks']}\nPz {row['pz']}" for row in rows]
        shown = {kind: [row["milliseconds"] * row[key] / 100 for row in rows] for kind, key in kinds.items()}
        plots.stacked_bars(one, names, shown)
        one.set_ylim(0, 1.05 * top)
        one.tick_params(axis="x", labelsize=6)
        one.set_ylabel("predicted time, mean of the ranks, ms")
        one.set_title(f"{plots.system_title(matrix, nrhs)}, {series}", fontsize=9)
    plots.legend(figure, axes[0, 0])
    return figure


def balance(table: Table) -> Figure:
    """Mean, smallest and largest of the ranks' times in the L-solve and in the U-solve, over Pz."""
    groups = table.groups("matrix", "nrhs", "ranks")
    figure, axes = plots.new_figure(len(groups), 2, width=4.8, height=3.0)
    for line, ((matrix, nrhs, ranks), rows) in zip(axes, groups.items(), strict=True):
        layers = list(dict.fromkeys(row["pz"] for row in rows))
        values = {(row["series"], row["pz"]): row for row in rows}
        series = list(dict.fromkeys(row["series"] for row in rows))
        for one, solve in zip(line, "lu", strict=True):
            key = f"{solve}_of_ranks"
            shown = {name: [_scaled(values[name, pz][key]) for pz in layers] for name in series}
            plots.bars(one, [f"Pz {pz}" for pz in layers], shown)
            one.set_ylabel(f"{solve.upper()}-solve, ms: mean, extremes")
            one.set_title(f"{plots.system_title(matrix, nrhs)}, {ranks} ranks", fontsize=9)
    plots.legend(figure, axes[0, 0])
    return figure


def _scaled(seconds: Spread) -> Spread:
    return Spread(1e3 * seconds.median, 1e3 * seconds.low, 1e3 * seconds.high)


def matrices(table: Table) -> Figure:
    """How many times faster than the first series, for each matrix; grids, when several, beside each other."""
    groups = table.groups("nrhs", "grid")
    figure, axes = plots.new_figure(len(groups), 1, width=9.0, height=2.8)
    for one, ((nrhs, grid), rows) in zip(axes.flat, groups.items(), strict=True):
        names = list(dict.fromkeys(row["matrix"] for row in rows))
        series = list(dict.fromkeys(row["series"] for row in rows))
        ratios = {(row["matrix"], row["series"]): row["ratio"] for row in rows}
        plots.bars(one, names, {name: [ratios[matrix, name] for matrix in names] for name in series})
        plots.reference(one)
        one.set_ylabel(f"speed over {series[0]}")
        one.set_title(f"{grid}, {nrhs} right-hand side{'s' if nrhs > 1 else ''}", fontsize=9)
    plots.legend(figure, axes[0, 0])
    return figure


def heat(table: Table) -> Figure:
    """Messages and bytes of every rank at its place in the grid; a map for each series."""
    groups = table.groups("matrix", "nrhs", "grid")
    across = len({row["series"] for row in table.rows})
    figure, axes = plots.new_figure(len(groups), 2 * across, width=2.6, height=2.4)
    for line, ((matrix, nrhs, grid), rows) in zip(axes, groups.items(), strict=True):
        for half, unit in enumerate(("messages", "bytes")):
            panels = line[half * across : (half + 1) * across]
            maps = [at_place(row[f"{unit}_of_ranks"], parse_grid(grid)) for row in rows]
            plots.heat_maps(figure, panels, maps, f"{unit} of a rank")
            for panel, row, map_ in zip(panels, rows, maps, strict=True):
                panel.set_title(f"{row['series']}: busiest {int(map_.max()):,}", fontsize=8)
        line[0].set_ylabel(f"{plots.system_title(matrix, nrhs)}, {grid}\nprocess row", fontsize=8)
    return figure
