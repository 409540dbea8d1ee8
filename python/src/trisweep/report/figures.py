"""Figures as SVG inside a page, in the page's colours; each has a label that describes it."""

import re
from collections.abc import Callable, Sequence
from html import escape
from math import log10

import numpy as np

from trisweep.report.records import Trace, critical_path
from trisweep.runs import Traffic

WIDTH = 860
LEFT = 150  # left edge of bars, with room for their names
COLOURS = ("c1", "c2", "c3", "c4", "c5")
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def seconds(value: float | None) -> str:
    if value is None:
        return "unknown"
    unit, name = next(((u, n) for u, n in UNITS if abs(value) >= u), UNITS[-1])
    return f"{value:,.0f} s" if abs(value) >= 1000 else f"{value / unit:.3g} {name}"


def _figure(height: float, label: str, body: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label, quote=True)}">'
        f"<title>{escape(label)}</title>{body}</svg>"
    )


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _box(x: float, y: float, width: float, height: float, style: str, words: str = "", attributes: str = "") -> str:
    title = f"<title>{escape(words)}</title>" if words else ""
    place = f'x="{x:.2f}" y="{y:.1f}" width="{max(width, 0.5):.2f}" height="{height:.2f}"'
    return f'<rect {place} class="{style}"{attributes}>{title}</rect>'


def legend(names: Sequence[str]) -> str:
    items = (f'<li><span class="key {c}"></span>{escape(n)}</li>' for c, n in zip(COLOURS, names, strict=False))
    return f'<ul class="legend">{"".join(items)}</ul>'


def stacked_bars(
    bars: Sequence[tuple[str, Sequence[float]]], parts: Sequence[str], show: Callable[[float], str], label: str
) -> str:
    """A bar for each row, with its parts one after another; `show` formats a value with its unit."""
    longest = max((sum(values) for _, values in bars), default=0) or 1
    step = 24 if len(bars) <= 24 else max(4, 560 / len(bars))
    scale, body = (WIDTH - LEFT - 90) / longest, []
    for row, (name, values) in enumerate(bars):
        y, x = row * step, float(LEFT)
        if step >= 12 or row % round(12 / step + 0.5) == 0:
            body.append(_text(LEFT - 8, y + step / 2 + 4, name, "end"))
        for colour, part, value in zip(COLOURS, parts, values, strict=False):
            words = f"{name}, {part}: {show(value)}"
            body.append(_box(x, y + 0.12 * step, value * scale, 0.76 * step, colour, words))
            x += value * scale
        if step >= 12:
            body.append(_text(x + 6, y + step / 2 + 4, show(sum(values))))
    return _figure(max(len(bars) * step, step), label, "".join(body)) + (legend(parts) if len(parts) > 1 else "")


def block_map(svg: str, label: str) -> str:
    """The picture that `trisweep bem --block-map` wrote, with a label."""
    inside = re.sub(r"^.*?<svg[^>]*>|</svg>\s*$", "", svg, flags=re.DOTALL)
    box = re.search(r'viewBox="[-\d. ]+"', svg)
    return (
        f'<svg {box[0] if box else ""} class="map" role="img" aria-label="{escape(label, quote=True)}">'
        f"<title>{escape(label)}</title>{inside}</svg>"
    )


def heat_map(traffic: Traffic, label: str) -> str:
    """Messages by sender (rows) and receiver (columns), the darkest where most go."""
    side = min(520, 26 * traffic.ranks) / traffic.ranks
    messages, size, body = traffic.matrix(traffic.messages), traffic.matrix(traffic.bytes), []
    for sender, receiver in np.argwhere(messages):
        count = messages[sender, receiver]
        words = f"rank {sender} to {receiver}: {count:.0f} messages, {size[sender, receiver]:.0f} bytes"
        share = 0.1 + 0.9 * count / messages.max()
        x, y = LEFT + receiver * side, 20 + sender * side
        body.append(_box(x, y, side, side, "c1", words, f' fill-opacity="{share:.2f}"'))
    end = traffic.ranks * side
    body.append(f'<rect x="{LEFT}" y="20" width="{end:.1f}" height="{end:.1f}" class="frame"/>')
    body.append(_text(LEFT, 13, "to rank 0") + _text(LEFT + end, 13, str(traffic.ranks - 1), "end"))
    body.append(_text(LEFT - 8, 34, "from rank 0", "end") + _text(LEFT - 8, 20 + end, str(traffic.ranks - 1), "end"))
    return _figure(30 + end, label, "".join(body))


# The innermost spans of a rank's time; the rest is bookkeeping.
ACTIVITIES = ("products", "idle", "receive", "vectors", "send")  # "vectors" has the colour of the ranks' bars
MOST_SPANS = 6000  # number drawn at most; of more, the shortest are left out


def timeline(trace: Trace, label: str) -> str:
    """What each rank does, over time, and the critical path."""
    ranks = sorted(trace.spans)
    lane, scale = max(8.0, min(26.0, 560 / max(len(ranks), 1))), (WIDTH - LEFT - 20) / (trace.end or 1)
    spans = [(r, s) for r in ranks for s in trace.spans[r] if s.name in ACTIVITIES]
    spans = sorted(spans, key=lambda rs: rs[1].begin - rs[1].end)[:MOST_SPANS]
    body = [_text(LEFT - 8, (k + 0.5) * lane + 4, f"rank {r}", "end") for k, r in enumerate(ranks) if lane >= 12]
    for rank, span in spans:
        colour = COLOURS[ACTIVITIES.index(span.name)]
        y = ranks.index(rank) * lane + 0.15 * lane
        body.append(_box(LEFT + span.begin * scale, y, (span.end - span.begin) * scale, 0.7 * lane, colour))
    points = []
    for rank, begin, end in critical_path(trace):
        y = (ranks.index(rank) + 0.5) * lane
        points += [f"{LEFT + begin * scale:.1f},{y:.1f}", f"{LEFT + end * scale:.1f},{y:.1f}"]
    body.append(f'<polyline points="{" ".join(points)}" class="path"/>')
    bottom = len(ranks) * lane
    body.append(_text(LEFT, bottom + 14, "0") + _text(WIDTH - 20, bottom + 14, seconds(trace.end), "end"))
    return _figure(bottom + 20, label, "".join(body)) + legend(ACTIVITIES)


def curve(values: Sequence[float], label: str) -> str:
    """Positive values over their index, on a logarithmic scale."""
    logs = [log10(v) for v in values if v > 0]
    if len(logs) < 2:
        return ""
    low, high, height = min(logs), max(logs), 220
    x = [LEFT + k * (WIDTH - LEFT - 30) / (len(logs) - 1) for k in range(len(logs))]
    y = [10 + (high - v) * (height - 30) / ((high - low) or 1) for v in logs]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    marks = _text(LEFT - 8, 16, f"{10**high:.1e}", "end") + _text(LEFT - 8, height - 18, f"{10**low:.1e}", "end")
    ends = _text(LEFT, height, "0") + _text(WIDTH - 30, height, str(len(logs) - 1), "end")
    return _figure(height + 6, label, f'<polyline points="{points}" class="curve"/>{marks}{ends}')
