"""Reads and checks run records and traces that the command has written."""

import json
import re
from bisect import bisect, bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trisweep.errors import UserError, unreadable

Document = dict[str, Any]
SECTIONS = {"solve": ("matrix", "plan", "solve", "ranks"), "bem": ("bem",)}  # fields of a record of each kind


@dataclass(frozen=True)
class Record:
    """A record of `trisweep solve`, `predict` or `bem`; docs/run-record.md has the fields."""

    name: str
    document: Document

    @property
    def kind(self) -> str:
        return "bem" if "bem" in self.document else "solve"

    def __getitem__(self, section: str) -> Document:
        return self.document.get(section, {})


def read_record(file: Path) -> Record:
    """Reads a record. Raises UserError, naming the file, if it cannot be read or is no such record."""
    document = _parsed(file)
    record = Record(file.name, document if isinstance(document, dict) else {})
    missing = [name for name in SECTIONS[record.kind] if name not in record.document]
    if missing:
        raise UserError(
            f"{file} is not the record of a solve: it has no '{missing[0]}'",
            "give what trisweep solve, predict or bem wrote with --json",
        )
    return record


def _parsed(file: Path) -> Any:  # noqa: ANN401
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise unreadable(file, error) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file} is not JSON: {error}", "write the record again with --json") from None


@dataclass(frozen=True)
class Span:
    """One activity of a thread of a rank; times in seconds from the start of the solve."""

    name: str
    begin: float
    end: float


@dataclass
class Trace:
    """Spans by rank, in order of time, and messages by receiver, in order of arrival."""

    spans: dict[int, list[Span]] = field(default_factory=lambda: defaultdict(list))
    arrivals: dict[int, list[tuple[float, int, float]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def end(self) -> float:
        return max((span.end for spans in self.spans.values() for span in spans), default=0.0)


def read_trace(file: Path) -> Trace:
    """Reads the trace of each rank's first thread. Raises UserError, naming the file, if it is no trace."""
    trace, sent, received = Trace(), {}, []
    try:
        for event in _parsed(file)["traceEvents"]:
            rank, kind = event["pid"], event["ph"]
            if kind == "X" and event["tid"] == 0:
                begin = 1e-6 * event["ts"]
                trace.spans[rank].append(Span(event["name"], begin, begin + 1e-6 * event["dur"]))
            elif kind == "s":
                sent[event["id"]] = (rank, 1e-6 * event["ts"])
            elif kind == "f":
                received.append((event["id"], rank, 1e-6 * event["ts"]))
    except (KeyError, TypeError):
        raise UserError(f"{file} is not a trace of a solve", "write it again with trisweep solve --trace") from None
    for spans in trace.spans.values():
        spans.sort(key=lambda span: (span.begin, -span.end))
    for identity, rank, moment in received:
        if identity in sent:
            trace.arrivals[rank].append((moment, *sent[identity]))
    for arrivals in trace.arrivals.values():
        arrivals.sort()
    return trace


# Matches a line of a picture that --block-map writes. Other lines are not put into a page.
_NAMES = "x|y|width|height|fill|stroke|stroke-width|font-size|font-family|viewBox"
_GIVEN = rf'(?: (?:{_NAMES})="[-#\w.% ]*"| xmlns="[^"]*")*'
_PICTURE_LINE = re.compile(rf"<(?:svg|g){_GIVEN}>|</(?:svg|g)>|<rect{_GIVEN}/>|<text{_GIVEN}>[\w ]*</text>")


def read_block_map(file: Path, record: Record) -> str:
    """Reads the block map of `record`. Raises UserError, naming the file, if it is not one of
    `--block-map`."""
    if record.kind != "bem":
        raise UserError(f"{file} is given, and {record.name} is no record of bem", "give what trisweep bem wrote")
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(file, error) from None
    except UnicodeDecodeError:
        text = ""
    if not text or not all(_PICTURE_LINE.fullmatch(line) for line in text.splitlines()):
        raise UserError(f"{file} is not a map of blocks", "write it again with trisweep bem --block-map")
    return text


def critical_path(trace: Trace) -> list[tuple[int, float, float]]:
    """Returns the critical path as (rank, begin, end) in order of time. It is found backwards from the end of
    the solve, along the messages that ranks waited for."""
    ends = {rank: max(span.end for span in spans) for rank, spans in trace.spans.items()}
    if not ends:
        return []
    waits = {rank: _waits(trace, rank) for rank in ends}
    rank = max(ends, key=lambda r: ends[r])
    moment, path = ends[rank], []
    while True:
        before = [wait for wait in waits[rank] if wait[0] <= moment and wait[2] < moment]
        if not before:
            return [(rank, 0.0, moment), *reversed(path)]
        came, sender, left = before[-1]
        path.append((rank, came, moment))
        rank, moment = sender, left


def _waits(trace: Trace, rank: int) -> list[tuple[float, int, float]]:
    """Returns arrivals that the rank waited for: it was idle before, or they were sent after its last work."""
    worked = sorted(span.end for span in trace.spans[rank] if span.name in ("products", "send"))
    idle = sorted(span.begin for span in trace.spans[rank] if span.name == "idle")
    result = []
    for came, sender, left in trace.arrivals[rank]:
        done = worked[bisect(worked, came) - 1] if worked and worked[0] <= came else 0.0
        was_idle = bisect(idle, came) > bisect_left(idle, done)
        if left > done or was_idle:
            result.append((came, sender, left))
    return result
