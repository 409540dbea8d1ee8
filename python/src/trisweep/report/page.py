"""The page: one HTML file without scripts, readable on screen, in dark mode and in print."""

from collections.abc import Sequence
from html import escape

from trisweep import __version__
from trisweep.report.records import Record, Trace
from trisweep.report.sections import OF_A_RECORD, block_map, comparison, messages, over_time
from trisweep.runs import Traffic

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --page: #ffffff; --quiet: #57606a; --line: #d0d7de;
  --good: #116329; --bad: #a40e26; --c1: #0969da; --c2: #bf8700; --c3: #8250df; --c4: #1a7f37; --c5: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --page: #0d1117; --quiet: #9ea7b3; --line: #3d444d;
  --good: #56d364; --bad: #ff7b72; --c1: #58a6ff; --c2: #e3b341; --c3: #bc8cff; --c4: #3fb950; --c5: #ff7b72; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 900px;
  margin: 0 auto; padding: 1rem; }
h1, h2, h3 { line-height: 1.2; } section { border-top: 1px solid var(--line); margin-top: 1.5rem; }
.verdict { font-size: 1.15rem; font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
dl { display: grid; grid-template-columns: minmax(9rem, auto) 1fr; gap: .2rem 1rem; } dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; } svg { width: 100%; height: auto; }
svg text { font-size: 13px; fill: var(--text); }
.map { max-width: 600px; } .map text { font-size: 20px; fill: #1b1f24; }
.wide { overflow-x: auto; } table { border-collapse: collapse; }
th, td { padding: .15rem .8rem .15rem 0; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr { border-bottom: 1px solid var(--line); }
.c1 { fill: var(--c1); background: var(--c1); } .c2 { fill: var(--c2); background: var(--c2); }
.c3 { fill: var(--c3); background: var(--c3); } .c4 { fill: var(--c4); background: var(--c4); }
.c5 { fill: var(--c5); background: var(--c5); } .frame { fill: none; stroke: var(--line); }
.path, .curve { fill: none; stroke: var(--text); stroke-width: 1.6; } .curve { stroke: var(--c1); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; list-style: none; padding: 0; color: var(--quiet); }
.key { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; }
summary { cursor: pointer; color: var(--quiet); } footer { color: var(--quiet); margin-top: 2rem; }
@media print { body { max-width: none; } section { break-inside: avoid; } }
@media (max-width: 500px) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
  svg { overflow: visible; } svg text { font-size: 22px; } .map text { font-size: 30px; } }
"""


def _section(title: str, content: str, level: int) -> str:
    return f"<section><h{level}>{escape(title)}</h{level}>{content}</section>" if content else ""


def _of(record: Record, level: int) -> str:
    return "".join(_section(title, make(record), level) for title, make in OF_A_RECORD)


def page(
    records: Sequence[Record], traffic: Traffic | None = None, trace: Trace | None = None, block_map_svg: str = ""
) -> str:
    """Returns the HTML for one or several records; traffic, trace and block map belong to the first."""
    first, *others = records
    what = first["bem"]["object"] if first.kind == "bem" else first["matrix"]["name"]
    body = _of(first, 2)
    if traffic:
        body += _section("Messages", messages(traffic), 2)
    if trace:
        body += _section("Over time", over_time(trace), 2)
    if block_map_svg:
        body += _section("Blocks", block_map(first, block_map_svg), 2)
    if others:
        body += _section("Runs beside each other", comparison(records), 2)
        body += "".join(_section(record.name, _of(record, 3), 2) for record in others)
    predicted = " (predicted)" if first.document.get("predicted") else ""
    title = f"Trisweep: {what}{predicted}"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body><main><h1>{escape(title)}</h1>{body}</main>"
        f"<footer>From {escape(', '.join(record.name for record in records))}, by Trisweep {__version__}.</footer>"
        "</body></html>\n"
    )
