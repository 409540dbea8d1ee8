#pragma once
// The pieces of one side of a rank's local blocks, in tiles (lowrank/tiles.hpp), or uncompressed where that
// is shorter.

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
  std::vector<Buffer<std::byte>> memory;  // values and tiles, each in the order of the pieces
};

// Allocates memory for pieces, one after the other. Pieces never move.
class PieceMemory {
 public:
  std::byte* place(std::size_t bytes);

 private:
  std::size_t used_ = 0;  // bytes of the last buffer
  std::vector<Buffer<std::byte>> memory_;
};

// Compresses pieces, given as values of S, in any order and from several threads.
template <Scalar T, class S>
requires kernels::StorageOf<S, T>
class SideCompressor {
 public:
  // The error of each piece is at most eps times the piece, in the Frobenius norm.
  SideCompressor(const distribution::LocalSide& side, double eps, int threads);

  // Compresses piece p, once; the result does not depend on the thread. Throws Error(environment) if memory
  // does not suffice.
  void take(int thread, Index p, const S* values);
  // After all pieces have been taken: puts them in the order in which sweeps read them.
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

// Compresses all pieces of one side. `values`: of all pieces, as in LocalSide. The pool's threads take one
// piece at a time.
template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> compressed_side(const distribution::LocalSide& side,
                                                                    const S* values, double eps,
                                                                    ThreadPool& pool);

}  // namespace trisweep::engine
