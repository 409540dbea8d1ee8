"""What the comparison with other solvers decides: for each place and number of right-hand sides the worst and the mean
of the ratios that matter."""

from collections.abc import Iterable
from statistics import geometric_mean
from typing import Any

from trisweep.peer_programs import OURS

Rows = list[dict[str, Any]]


def summary(rows: Rows) -> list[str]:
    """One line for each place and number of right-hand sides, and one for the factorizations."""
    places = dict.fromkeys((row["place"], row["nrhs"]) for row in rows)
    lines = [
        _solves(place, nrhs, [row for row in rows if (row["place"], row["nrhs"]) == (place, nrhs)])
        for place, nrhs in places
    ]
    return [line for line in lines if line] + _factorizations([row for row in rows if row["place"] == "1 thread"])


def _solves(place: str, nrhs: int, rows: Rows) -> str:
    best = [min(peers, key=_time) for peers in _peers_by_matrix(rows) if peers]
    if not best:
        return ""
    closest = min(best, key=_time)
    said = [
        f"the best peer takes {geometric_mean(map(_time, best)):.2f} times as long as we do (geometric mean), "
        f"and {_time(closest):.2f} times at worst ({closest['name']} on {closest['matrix']})"
    ]
    distributed = [row for row in rows if row["name"] == "SuperLU_DIST"]
    if distributed:
        said.append(f"SuperLU_DIST at least {min(map(_time, distributed)):.2f} times")
    ours = [row for row in rows if row["name"] == OURS.name]
    said += _range(ours, "floor_ratio", "our time / floor", ".2f") + _range(ours, "percent", "our % of dgemm", ".0f")
    return f"{place}, {nrhs} right-hand side{'s' if nrhs > 1 else ''}: {'; '.join(said)}."


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
    for matrix in dict.fromkeys(row["matrix"] for row in rows):
        yield [row for row in rows if row["matrix"] == matrix and row["name"] != OURS.name]


def _range(rows: Rows, key: str, what: str, number: str) -> list[str]:
    known = [(row[key].median, row["matrix"]) for row in rows if row[key] is not None]
    if not known:
        return []
    return [f"{what}: " + ", ".join(f"{matrix} {value:{number}}" for value, matrix in known)]
