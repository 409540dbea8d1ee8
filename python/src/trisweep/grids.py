"""Process grids."""

import re
from dataclasses import dataclass
from math import isqrt

from trisweep.errors import UserError


@dataclass(frozen=True)
class Grid:
    """Px x Py x Pz ranks; rank = (z Px + x) Py + y."""

    px: int
    py: int
    pz: int

    @property
    def ranks(self) -> int:
        return self.px * self.py * self.pz

    def __str__(self) -> str:
        return f"{self.px}x{self.py}x{self.pz}"


def parse_grid(text: str) -> Grid:
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)x([1-9]\d*)", text)
    if not match:
        raise UserError(f"'{text}' is not a process grid", "write PXxPYxPZ, such as 2x2x1")
    grid = Grid(*map(int, match.groups()))
    if grid.pz & (grid.pz - 1):
        raise UserError(f"grid {grid}: {grid.pz} layers are not a power of two", "take 1, 2, 4, ... for PZ")
    return grid


def square_grid(ranks: int, pz: int = 1) -> Grid:
    """Returns the grid of that many ranks and layers whose layers are as square as possible."""
    layer = ranks // pz
    py = next(p for p in range(isqrt(layer), 0, -1) if layer % p == 0)
    return Grid(layer // py, py, pz)


def layered_grids(ranks: int) -> tuple[Grid, ...]:
    """Returns a grid for each power of two Pz that divides the number of ranks."""
    layers = [1 << k for k in range(ranks.bit_length()) if ranks % (1 << k) == 0]
    return tuple(square_grid(ranks, pz) for pz in layers)
