"""Summary of the comparison with other solvers: all ratios at a glance, and for each place and number of
right-hand sides the worst and the mean of the important ones."""

from collections.abc import Iterable
from statistics import geometric_mean
from typing import Any

from trisweep.peer_programs import OURS, PROPORTIONAL
from trisweep.tables import Column, Table, counted, distinct, grouped

Rows = list[dict[str, Any]]

ON_RANKS = "SuperLU_DIST"  # the only peer on several ranks


def summary(rows: Rows) -> list[str]:
    """Returns an overview, and lines for each place and number of right-hand sides and factorizations."""
    lines = [_solves(place, nrhs, same) for (place, nrhs), same in grouped(rows, "place", "nrhs").items()]
    factorizations = _factorizations([row for row in rows if row["place"] == "1 thread"])
    return [_overview(rows), *_on_ranks(rows), *(line for line in lines if line), *factorizations]


def _overview(rows: Rows) -> str:
    """A table with a line per system: the ratio of each peer's time to ours, and of ours to its bound."""
    peers = [name for name in distinct(rows, "name") if name != OURS.name]
    lines = [["time / ours", "on", "right-hand sides", "ours", *peers], ["---", "---", *["---:"] * (2 + len(peers))]]
    for ours in (row for row in rows if row["name"] == OURS.name):
        system = (ours["matrix"], ours["place"], ours["nrhs"])
        ratio = {row["name"]: _time(row) for row in rows if (row["matrix"], row["place"], row["nrhs"]) == system}
        lines.append(
            [*map(str, system), _beside_floor(ours), *(f"{ratio[p]:.2f}" if p in ratio else "" for p in peers)]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _beside_floor(row: dict[str, Any]) -> str:
    if row["floor_ratio"] is not None:
        return f"{row['floor_ratio'].median:.2f} x floor"
    return "" if row["percent"] is None else f"{row['percent'].median:.0f}% of dgemm"


def _on_ranks(rows: Rows) -> list[str]:
    """Returns a table with a line per system: the ratios of the peer's time to ours on the same grid, and to
    that of our proportional plan on as many ranks."""
    found = [row for row in rows if row["name"] == ON_RANKS and row["place"].startswith("grid")]
    lines: dict[tuple, dict[str, Any]] = {}
    columns = {}
    for row in found:
        line = lines.setdefault((row["matrix"], row["nrhs"]), {"matrix": row["matrix"], "nrhs": row["nrhs"]})
        for key, plan in (("time_ratio", ""), ("proportional_ratio", ", ours proportional")):
            heading = row["place"] + plan
            if row[key] is not None:
                line[heading] = row[key]
                columns[heading] = Column(heading, heading, ".1f")
    labels = (Column("matrix", f"{ON_RANKS} / ours"), Column("nrhs", "right-hand sides", "d"))
    return [Table((*labels, *columns.values()), list(lines.values())).markdown().strip()] if found else []


def _solves(place: str, nrhs: int, rows: Rows) -> str:
    best = [min(peers, key=_time) for peers in _peers_by_matrix(rows) if peers]
    if not best:
        return ""
    closest = min(best, key=_time)
    said = [
        f"the best peer takes {geometric_mean(map(_time, best)):.2f} times as long as we do (geometric mean), "
        f"and {_time(closest):.2f} times at worst ({closest['name']} on {closest['matrix']})"
    ]
    distributed = [row for row in rows if row["name"] == ON_RANKS]
    if distributed:
        said.append(f"SuperLU_DIST at least {min(map(_time, distributed)):.2f} times")
    ours = [row for row in rows if row["name"] == OURS.name]
    said += _range(ours, "floor_ratio", "our time / floor", ".2f") + _range(ours, "percent", "our % of dgemm", ".0f")
    return f"{place}, {counted(nrhs, 'right-hand side')}: {'; '.join(said)}."


def _factorizations(rows: Rows) -> list[str]:
    first = min((row["nrhs"] for row in rows), default=0)
    matrices = [peers for peers in _peers_by_matrix([row for row in rows if row["nrhs"] == first]) if peers]
    if not matrices:
        return []
    slower, larger = (
        geometric_mean(1 / min(row[key].median for row in peers) for peers in matrices)
        for key in ("factor_ratio", "memory_ratio")
    )
    return [
        f"Factorization on 1 thread: our time is {slower:.2f} times that of the fastest peer and our memory peak "
        f"{larger:.2f} times that of the smallest (geometric means)."
    ]


def _time(row: dict[str, Any]) -> float:
    return row["time_ratio"].median


def _peers_by_matrix(rows: Rows) -> Iterable[Rows]:
    ours = (OURS.name, PROPORTIONAL.name)
    for same in grouped(rows, "matrix").values():
        yield [row for row in same if row["name"] not in ours]


def _range(rows: Rows, key: str, what: str, number: str) -> list[str]:
    known = [(row[key].median, row["matrix"]) for row in rows if row[key] is not None]
    if not known:
        return []
    return [f"{what}: " + ", ".join(f"{matrix} {value:{number}}" for value, matrix in known)]
