"""Parts of figures, all in one style. No window is opened."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from trisweep.tables import Row, Spread, Table, counted

# Okabe and Ito's colours, which colour-blind readers tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#F0E442")
MARKERS = "os^Dvp"
STROKES = ("--", "-", ":")

Values = Sequence[Spread | float | None]


def new_figure(rows: int = 1, columns: int = 1, width: float = 5.0, height: float = 3.6) -> tuple[Figure, np.ndarray]:
    """Returns a figure and its rows x columns array of axes; `width` and `height` of each in inches."""
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    for one in axes.flat:
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=8)
    return figure, axes


def facets(
    table: Table, *keys: str, columns: int = 0, width: float = 5.0, height: float = 3.6
) -> tuple[Figure, list[tuple[Axes, list[Row]]]]:
    """Small multiples: returns a figure with axes for each group of rows that agree in `keys`, and each axes
    with its rows.

    Titles are the values of `keys`. At most `columns` axes are in a line, by default all; `width` and
    `height` of each are in inches. The table has at least one row.
    """
    groups = table.groups(*keys)
    columns = min(columns or len(groups), len(groups))
    figure, axes = new_figure(-(-len(groups) // columns), columns, width, height)
    for one, values in zip(axes.flat, groups, strict=False):
        one.set_title(_facet_title(keys, values), fontsize=9)
    for unused in axes.flat[len(groups) :]:
        unused.set_visible(False)
    return figure, list(zip(axes.flat, groups.values(), strict=False))


def _facet_title(keys: Sequence[str], values: Sequence[Any]) -> str:
    nouns = {"nrhs": "right-hand side", "ranks": "rank"}
    return ", ".join(
        counted(value, nouns[key]) if key in nouns else str(value) for key, value in zip(keys, values, strict=True)
    )


def legend(figure: Figure, columns: int = 0) -> None:
    """One legend above all of the figure, of the series of its first axes: a line, or rows of so many columns."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    columns = columns or len(labels)
    order = [i for column in range(columns) for i in range(column, len(labels), columns)]
    handles, labels = [handles[i] for i in order], [labels[i] for i in order]
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, fontsize=8, frameon=False)


def family_legend(figure: Figure, colours: Sequence[str], styles: Sequence[str]) -> None:
    """Two legends above the figure, for `curve`: one of colours, one of strokes with their markers."""
    by_colour = [Line2D([], [], color=COLOURS[i % len(COLOURS)], label=name) for i, name in enumerate(colours)]
    by_style = [
        Line2D([], [], color="#444444", marker=marker, linestyle=stroke, markersize=4, label=name)
        for name, marker, stroke in zip(styles, MARKERS, STROKES, strict=False)
    ]
    for handles, side in ((by_style, "left"), (by_colour, "right")):
        figure.legend(handles=handles, loc=f"outside upper {side}", ncols=len(handles), fontsize=8, frameon=False)


def png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # Without matplotlib's version in the metadata, equal figures are equal files.
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    return buffer.getvalue()


def system_title(matrix: str, nrhs: int) -> str:
    return f"{matrix}, {counted(nrhs, 'right-hand side')}"


def bars(axes: Axes, groups: Sequence[str], series: Mapping[str, Values]) -> None:
    """A group of bars for each of `groups`, in it one bar for each of the series; spreads get error bars."""
    width = 0.8 / max(len(series), 1)
    for place, (name, values) in enumerate(series.items()):
        at = np.arange(len(groups)) + (place - (len(series) - 1) / 2) * width
        axes.bar(
            at,
            [_middle(v) for v in values],
            width,
            yerr=_errors(values),
            label=name,
            capsize=2,
            color=COLOURS[place % len(COLOURS)],
            error_kw={"elinewidth": 0.8},
        )
    axes.set_xticks(np.arange(len(groups)), groups)


def lines(axes: Axes, at: Sequence[float], series: Mapping[str, Values]) -> None:
    """A line for each of the series, over the positions `at`; spreads get error bars."""
    for place, (name, values) in enumerate(series.items()):
        axes.errorbar(
            at,
            [_middle(v) for v in values],
            yerr=_errors(values),
            label=name,
            capsize=2,
            markersize=4,
            linewidth=1.2,
            elinewidth=0.8,
            color=COLOURS[place % len(COLOURS)],
            marker=MARKERS[place % len(MARKERS)],
        )


def curve(axes: Axes, at: Sequence[float], values: Sequence[float], label: str, colour: int, style: int) -> None:
    """One line of a family: its colour says one thing about it, its marker and stroke another."""
    axes.plot(
        at,
        values,
        label=label,
        color=COLOURS[colour % len(COLOURS)],
        marker=MARKERS[style % len(MARKERS)],
        linestyle=STROKES[style % len(STROKES)],
        markersize=4,
        linewidth=1.2,
    )


def stacked_bars(axes: Axes, names: Sequence[str], parts: Mapping[str, Sequence[float]]) -> None:
    """A bar for each of `names`, with the parts stacked."""
    floor = np.zeros(len(names))
    for place, (part, values) in enumerate(parts.items()):
        axes.bar(names, values, 0.8, bottom=floor, label=part, color=COLOURS[place % len(COLOURS)])
        floor = floor + np.array(values)


def heat_maps(figure: Figure, row: Sequence[Axes], maps: Sequence[np.ndarray], label: str) -> None:
    """One map on each of the axes, all with one colour scale, which is drawn beside the last."""
    scale = Normalize(0, max(float(map_.max()) for map_ in maps) or 1)
    for axes, map_ in zip(row, maps, strict=True):
        axes.imshow(map_, cmap="viridis", norm=scale, interpolation="nearest", aspect="equal")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    bar = figure.colorbar(ScalarMappable(scale, "viridis"), ax=list(row), shrink=0.8, format=EngFormatter(sep=""))
    bar.set_label(label, fontsize=8)
    bar.ax.tick_params(labelsize=7)


def reference(axes: Axes, value: float = 1.0) -> None:
    """A thin horizontal line at `value`, by default at the ratio of the baseline, 1."""
    axes.axhline(value, color="#666666", linewidth=0.8, linestyle=":")


def log2_axis(axes: Axes, ticks: Sequence[int], label: str) -> None:
    """A horizontal axis with a binary logarithmic scale and just these ticks."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xlabel(label)


def log_ratios(axes: Axes) -> None:
    """A vertical axis with a logarithmic scale and plain decimal labels."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _middle(value: Spread | float | None) -> float:
    if value is None:
        return np.nan
    return value.median if isinstance(value, Spread) else value


def _errors(values: Values) -> np.ndarray | None:
    if not any(isinstance(v, Spread) for v in values):
        return None
    pairs = [(v.median - v.low, v.high - v.median) if isinstance(v, Spread) else (0.0, 0.0) for v in values]
    return np.array(pairs).T
