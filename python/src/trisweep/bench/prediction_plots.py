"""Figures of predictions, drawn from the rows of their tables alone (predictions.py)."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trisweep import plots
from trisweep.bench.heatmap import at_place
from trisweep.grids import parse_grid
from trisweep.tables import Row, Spread, Table, distinct, pivot


def _over_ranks(axes: Axes, rows: list[Row]) -> None:
    plots.log2_axis(axes, sorted({row["ranks"] for row in rows}), "ranks")
    axes.set_yscale("log")


def _curve(axes: Axes, rows: list[Row], time: str, label: str, colour: int, style: int) -> None:
    """Draws a time of the rows, given in seconds, in milliseconds over the number of ranks."""
    plots.curve(axes, [row["ranks"] for row in rows], [1e3 * row[time] for row in rows], label, colour, style)


def scaling(time: str = "seconds") -> Callable[[Table], Figure]:
    """Time over the number of ranks; a curve for each series and Pz."""

    def draw(table: Table) -> Figure:
        layers, series = distinct(table.rows, "pz"), distinct(table.rows, "series")
        figure, facets = plots.facets(table, "matrix", "nrhs", columns=2, width=4.6, height=3.4)
        for axes, rows in facets:
            for place, name in enumerate(series):
                for colour, pz in enumerate(layers):
                    points = [row for row in rows if (row["series"], row["pz"]) == (name, pz)]
                    _curve(axes, points, time, label=name, colour=colour if len(layers) > 1 else place, style=place)
            _over_ranks(axes, rows)
            axes.set_ylabel("predicted time, ms" if time == "seconds" else "predicted time of the L-solve, ms")
        if len(layers) > 1:
            plots.family_legend(figure, [f"Pz = {pz}" for pz in layers], series)
        else:
            plots.legend(figure)
        return figure

    return draw


def parts(table: Table) -> Figure:
    """Time of the whole and of its parts over the number of ranks; a line style for each series."""
    kinds = {"all": "seconds", "L-solve": "l_seconds", "U-solve": "u_seconds", "inter-grid": "inter_grid_seconds"}
    names, right = distinct(table.rows, "series"), len(distinct(table.rows, "nrhs"))
    figure, facets = plots.facets(table, "matrix", "nrhs", columns=right, width=4.6, height=3.0)
    for axes, rows in facets:
        for style, name in enumerate(names):
            for colour, key in enumerate(kinds.values()):
                points = [row for row in rows if row["series"] == name and row[key] > 0]
                _curve(axes, points, key, label=name, colour=colour, style=style)
        _over_ranks(axes, rows)
        axes.set_ylabel("predicted time, ms")
    plots.family_legend(figure, list(kinds), names)
    return figure


def breakdown(table: Table) -> Figure:
    """Stacked means over the ranks, for each number of ranks and Pz."""
    kinds = {"inter-grid": "inter_grid", "intra-grid": "intra_grid", "floating point": "floating_point"}
    figure, facets = plots.facets(table, "matrix", "nrhs", "series", width=5.6)
    top = max(row["milliseconds"] for row in table.rows)
    for axes, rows in facets:
        names = [f"{row['ranks']}\nPz {row['pz']}" for row in rows]
        shown = {kind: [row["milliseconds"] * row[key] / 100 for row in rows] for kind, key in kinds.items()}
        plots.stacked_bars(axes, names, shown)
        axes.set_ylim(0, 1.05 * top)
        axes.tick_params(axis="x", labelsize=6)
        axes.set_ylabel("predicted time, mean of the ranks, ms")
    plots.legend(figure)
    return figure


def balance(table: Table) -> Figure:
    """Mean, smallest and largest of the ranks' times in the L-solve and in the U-solve, over Pz."""
    groups = table.groups("matrix", "nrhs", "ranks")
    figure, axes = plots.new_figure(len(groups), 2, width=4.8, height=3.0)
    for line, ((matrix, nrhs, ranks), rows) in zip(axes, groups.items(), strict=True):
        for one, solve in zip(line, "lu", strict=True):
            layers, series = pivot(rows, "pz", "series", f"{solve}_of_ranks")
            milliseconds = {name: list(map(_in_milliseconds, values)) for name, values in series.items()}
            plots.bars(one, [f"Pz {pz}" for pz in layers], milliseconds)
            one.set_ylabel(f"{solve.upper()}-solve, ms: mean, extremes")
            one.set_title(f"{plots.system_title(matrix, nrhs)}, {ranks} ranks", fontsize=9)
    plots.legend(figure)
    return figure


def _in_milliseconds(seconds: Spread) -> Spread:
    return Spread(1e3 * seconds.median, 1e3 * seconds.low, 1e3 * seconds.high)


def matrices(table: Table) -> Figure:
    """Speedup over the first series, for each matrix; several grids are side by side."""
    figure, facets = plots.facets(table, "grid", "nrhs", columns=1, width=9.0, height=2.8)
    for axes, rows in facets:
        plots.bars(axes, *pivot(rows, "matrix", "series", "ratio"))
        plots.reference(axes)
        axes.set_ylabel(f"speed over {rows[0]['series']}")
    plots.legend(figure)
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
