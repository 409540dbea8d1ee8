#include "trisweep/distribution/storage.hpp"

#include "trisweep/distribution/local_blocks.hpp"

namespace trisweep::distribution {

std::vector<Offset> stored_values(const symbolic::Structure& structure, const Mapping& mapping,
                                  bool upper_is_lower) {
  std::vector<Offset> values(usize(mapping.ranks()));
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const Offset width = structure.width(k);
    const LayerRange layers = mapping.layers_of(k);
    for (Index layer = layers.first; layer < layers.last; ++layer) {
      for (const Side side : sides) {
        if (side == Side::upper && upper_is_lower) continue;
        for_each_block(structure, side, k, [&](const symbolic::Block& block) {
          values[usize(mapping.owner(layer, side, block.row_supernode, k))] +=
              width * (block.end - block.begin);
        });
      }
    }
  }
  return values;
}

}  // namespace trisweep::distribution
