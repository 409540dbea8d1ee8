"""Tables: rows of named values, as Markdown for readers and as JSON for programs."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Spread:
    """What repeated measurements of one thing gave."""

    median: float
    low: float
    high: float


def spread(values: Iterable[float]) -> Spread:
    measured = list(values)
    return Spread(statistics.median(measured), min(measured), max(measured))


@dataclass(frozen=True)
class Column:
    """One column: `key` of the rows, its heading, and how numbers are written (a format specification)."""

    key: str
    heading: str
    number: str = ""

    def text(self, value: Any) -> str:  # noqa: ANN401
        if value is None:
            return ""
        if isinstance(value, Spread) and value.low == value.high:
            return format(value.median, self.number)
        if isinstance(value, Spread):
            return f"{value.median:{self.number}} ({value.low:{self.number}} to {value.high:{self.number}})"
        return format(value, self.number)


@dataclass
class Table:
    """Rows under columns. A row may have values that no column shows: JSON and figures have those too. `data` is for
    figures: arrays that are no table."""

    columns: Sequence[Column]
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def markdown(self) -> str:
        lines = [self._line(column.heading for column in self.columns)]
        lines.append(self._line("---:" if column.number else "---" for column in self.columns))
        for row in self.rows:
            lines.append(self._line(column.text(row.get(column.key)) for column in self.columns))
        text = "\n".join(lines) + "\n"
        return text + "".join(f"\n{note}\n" for note in self.notes)

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    def document(self) -> dict[str, Any]:
        """For JSON; `from_document` reads it."""
        rows = [{key: _plain(value) for key, value in row.items()} for row in self.rows]
        columns = [asdict(column) for column in self.columns]
        return {"columns": columns, "rows": rows, "notes": self.notes, "data": self.data}

    def groups(self, *keys: str) -> dict[tuple, list[dict[str, Any]]]:
        """The rows by their values of these keys, in the order of the first of each."""
        found: dict[tuple, list[dict[str, Any]]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[key] for key in keys), []).append(row)
        return found


def from_document(document: dict[str, Any]) -> Table:
    rows = [{key: _rich(value) for key, value in row.items()} for row in document["rows"]]
    columns = [Column(**column) for column in document["columns"]]
    return Table(columns, rows, document["notes"], document["data"])


def _plain(value: Any) -> Any:  # noqa: ANN401
    return asdict(value) if isinstance(value, Spread) else value


def _rich(value: Any) -> Any:  # noqa: ANN401
    is_spread = isinstance(value, dict) and set(value) == {"median", "low", "high"}
    return Spread(**value) if is_spread else value
