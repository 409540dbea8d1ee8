#include "trisweep/distribution/storage.hpp"

#include <gtest/gtest.h>

#include "support/structure.hpp"
#include "trisweep/distribution/local_blocks.hpp"

namespace trisweep::distribution {
namespace {

TEST(Storage, IsWhatSharesHavePlacesFor) {
  const auto s = testing_support::random_structure(150, 3, 2);
  for (const ProcessGrid grid : {ProcessGrid{1, 1, 1}, {2, 3, 1}, {3, 2, 4}}) {
    const auto mapping = block_cyclic(s, grid);
    for (const bool upper_is_lower : {false, true}) {
      const auto values = stored_values(s, *mapping, upper_is_lower);
      ASSERT_EQ(values.size(), usize(grid.ranks()));
      for (Index r = 0; r < grid.ranks(); ++r) {
        const LocalBlocks local_blocks = make_local_blocks(s, *mapping, r);
        EXPECT_EQ(values[usize(r)], local_blocks.lower.value_ptr.back() +
                                        local_blocks.diagonal.value_ptr.back() +
                                        (upper_is_lower ? 0 : local_blocks.upper.value_ptr.back()));
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::distribution
