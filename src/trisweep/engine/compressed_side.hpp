#pragma once
// The pieces of one side of a rank's share in tiles (compression/tiles.hpp), or as they are where that is
// shorter.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/crew.hpp"
#include "trisweep/distribution/share.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep::engine {

template <Scalar T>
struct CompressedSide {
  std::vector<kernels::Stored<T>> piece;
  std::vector<std::size_t> bytes;         // by piece
  std::vector<Buffer<std::byte>> memory;  // in the order of the pieces
};

// `values`: of all pieces, as SideShare has them. Each piece is off by at most eps of itself in the Frobenius
// norm. The threads of `crew` take a piece at a time; what they make does not depend on their number. Throws
// Error(environment) when memory does not suffice.
template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> compressed_side(const distribution::SideShare& side,
                                                                    const S* values, double eps, Crew& crew);

}  // namespace trisweep::engine
