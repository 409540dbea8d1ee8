#pragma once
#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {

// The structure and the owner of each of its blocks, decided before there are values. Factors are panels in a
// distribution, wherever they were computed.
struct Distribution {
  Distribution() = default;
  Distribution(std::shared_ptr<const symbolic::Structure> analyzed, const NamedMapping& named,
               const ProcessGrid& grid, const Tiling& tiling = {})
      : structure(in_tiles(std::move(analyzed), named, grid, tiling)),
        mapping(named.make(*structure, grid)) {}

  std::shared_ptr<const symbolic::Structure> structure;  // in tiles where separators are kept whole
  std::shared_ptr<const Mapping> mapping;
};

}  // namespace trisweep::distribution
