"""Tables: rows of named values, as Markdown for readers and as JSON for programs."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Spread:
    """Median and range of repeated measurements."""

    median: float
    low: float
    high: float


def spread(values: Iterable[float]) -> Spread:
    measured = list(values)
    return Spread(statistics.median(measured), min(measured), max(measured))


def spread_of_ratios(numerators: Iterable[float], denominators: Iterable[float]) -> Spread:
    """The spread of a / b, round by round. Raises ValueError when there are more of one than of the other."""
    return spread(a / b for a, b in zip(numerators, denominators, strict=True))


def counted(number: int, noun: str) -> str:
    """Returns number and noun, in the plural unless the number is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def distinct(rows: Iterable[Row], key: str) -> list[Any]:
    """Returns the distinct values of `key`, in the order in which they first occur."""
    return list(dict.fromkeys(row[key] for row in rows))


def grouped(rows: Iterable[Row], *keys: str) -> dict[tuple, list[Row]]:
    """Returns the rows grouped by their values of these keys; groups in order of first occurrence."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def pivot(
    rows: Sequence[Row], group: str, series: str, value: str, names: Sequence[Any] | None = None
) -> tuple[list[Any], dict[Any, list[Any]]]:
    """A pivot table, as `plots.bars` takes it: the distinct values of `group`, and for each value of `series` (those
    of `names`, or all in the order of the rows) its `value` in each group, None where no row has it."""
    groups = distinct(rows, group)
    cells = {(row[group], row[series]): row[value] for row in rows}
    names = distinct(rows, series) if names is None else names
    return groups, {name: [cells.get((one, name)) for one in groups] for name in names}


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
    """Rows under columns. Rows may have values without a column, which only JSON and figures use. `data`
    holds arrays for figures that do not fit into rows."""

    columns: Sequence[Column]
    rows: list[Row]
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
        """Returns the table as a JSON document, which `from_document` reads."""
        rows = [{key: _plain(value) for key, value in row.items()} for row in self.rows]
        columns = [asdict(column) for column in self.columns]
        return {"columns": columns, "rows": rows, "notes": self.notes, "data": self.data}

    def groups(self, *keys: str) -> dict[tuple, list[Row]]:
        """`grouped` of its rows."""
        return grouped(self.rows, *keys)


def from_document(document: dict[str, Any]) -> Table:
    rows = [{key: _rich(value) for key, value in row.items()} for row in document["rows"]]
    columns = [Column(**column) for column in document["columns"]]
    return Table(columns, rows, document["notes"], document["data"])


def _plain(value: Any) -> Any:  # noqa: ANN401
    return asdict(value) if isinstance(value, Spread) else value


def _rich(value: Any) -> Any:  # noqa: ANN401
    is_spread = isinstance(value, dict) and set(value) == {"median", "low", "high"}
    return Spread(**value) if is_spread else value
