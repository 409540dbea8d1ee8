#pragma once
// The pieces of one side of a rank's local blocks in tiles (lowrank/tiles.hpp), or as they are where that is
// shorter.

#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep::engine {

template <Scalar T>
struct CompressedSide {
  std::vector<kernels::Stored<T>> piece;
  std::vector<std::size_t> bytes;         // by piece
  std::vector<Buffer<std::byte>> memory;  // numbers and tiles, each in the order of the pieces
};

// Memory for pieces one after the other, which stay where they are.
class PieceMemory {
 public:
  std::byte* place(std::size_t bytes);

 private:
  std::size_t used_ = 0;  // of the last buffer
  std::vector<Buffer<std::byte>> memory_;
};

// Takes numbers in S, in any order and from any of a few threads.
template <Scalar T, class S>
requires kernels::StorageOf<S, T>
class SideCompressor {
 public:
  // Each piece will be off by at most eps of itself in the Frobenius norm.
  SideCompressor(const distribution::LocalSide& side, double eps, int threads);

  // Piece p, once; what comes out does not depend on who takes it. Throws Error(environment) when memory does
  // not suffice.
  void take(int thread, Index p, const S* values);
  // When all have been taken: brings them into the order in which sweeps read them.
  CompressedSide<T> finish() &&;

 private:
  struct Made {
    const std::byte* at = nullptr;
    std::size_t bytes = 0;
    bool in_tiles = false;
  };

  Made compress(PieceMemory& memory, Index p, const S* values) const;

  const distribution::LocalSide& side_;
  const double eps_;
  std::vector<PieceMemory> memory_;  // by thread
  std::vector<Made> made_;           // by piece
};

// All of one side. `values`: of all pieces, as LocalSide has them. The threads of `thread pool` take a piece
// at a time.
template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> compressed_side(const distribution::LocalSide& side,
                                                                    const S* values, double eps,
                                                                    ThreadPool& pool);

}  // namespace trisweep::engine
