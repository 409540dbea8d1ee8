#include "trisweep/distribution/storage.hpp"

namespace trisweep::distribution {

std::vector<Offset> stored_values(const symbolic::Structure& structure, const Mapping& mapping,
                                  bool upper_is_lower) {
  std::vector<Offset> values(usize(mapping.ranks()));
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const Offset width = structure.width(k);
    const LayerRange layers = mapping.layers_of(k);
    for (Index layer = layers.first; layer < layers.last; ++layer) {
      values[usize(mapping.diagonal_owner(layer, k))] += width * width;
      for (const auto& block : structure.blocks(k)) {
        const Offset size = width * (block.end - block.begin);
        values[usize(mapping.owner(layer, Side::lower, block.row_supernode, k))] += size;
        if (!upper_is_lower) values[usize(mapping.owner(layer, Side::upper, block.row_supernode, k))] += size;
      }
    }
  }
  return values;
}

}  // namespace trisweep::distribution
