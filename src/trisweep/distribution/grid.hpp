#pragma once
// The Px x Py x Pz process grid: Pz layers of Px x Py ranks (SC'23 section 2.2).

#include <string>

#include "trisweep/core/types.hpp"

namespace trisweep::distribution {

struct GridPoint {
  Index x;  // process row
  Index y;  // process column
  Index z;  // layer
};

struct ProcessGrid {
  Index px = 1;
  Index py = 1;
  Index pz = 1;  // a power of two: layers follow the binary separator tree

  Index ranks() const { return px * py * pz; }
  Index rank(GridPoint p) const { return (p.z * px + p.x) * py + p.y; }
  GridPoint point(Index rank) const { return {rank / py % px, rank % py, rank / (px * py)}; }
  std::string name() const;  // "2x3x1"
};

// "PXxPYxPZ", such as "2x3x4" ("2x3" means Pz = 1). Throws Error(usage) when `text` is not of that form, a
// factor is not positive, Pz is not a power of two, or the product overflows.
ProcessGrid parse_grid(const std::string& text);

// Throws Error(usage), with the remedy, unless the grid is one that parse_grid() returns, with exactly
// `ranks` points.
void check_grid(const ProcessGrid& grid, Index ranks);

// A plain default for `ranks`: Pz = 1 and Px x Py as square as can be, Px <= Py.
ProcessGrid square_grid(Index ranks);

}  // namespace trisweep::distribution
