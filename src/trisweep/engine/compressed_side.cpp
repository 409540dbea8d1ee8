#include "trisweep/engine/compressed_side.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/core/parallel_for.hpp"
#include "trisweep/lowrank/tile_products.hpp"
#include "trisweep/lowrank/tiles.hpp"

namespace trisweep::engine {
namespace {

using distribution::LocalSide;

constexpr const char* content = "the compressed factors";
constexpr std::size_t cache_line = 64;         // panels in tiles begin at cache lines
constexpr std::size_t block_bytes = 16 << 20;  // that a thread allocates at a time

constexpr std::size_t room_of(std::size_t bytes, bool in_tiles) {
  return in_tiles ? (bytes + cache_line - 1) / cache_line * cache_line : bytes;
}

template <class S>
std::size_t bytes_as_it_is(const LocalSide& side, Index p) {
  return usize(side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)]) * sizeof(S);
}

template <Scalar T, class S>
std::vector<std::byte> piece_in_tiles(const LocalSide& side, Index p, const S* values, double eps) {
  const Index width = static_cast<Index>((side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)]) /
                                         std::max(side.height(p), Index{1}));
  std::vector<Index> ends;
  for (const auto& block : side.blocks(p))
    ends.push_back((ends.empty() ? 0 : ends.back()) + block.end - block.begin);
  return lowrank::in_tiles<T>(lowrank::SlabPanel<S>{values, side.height(p), width}, lowrank::tile_rows(ends),
                              eps);
}

}  // namespace

std::byte* PieceMemory::place(std::size_t bytes) {
  if (memory_.empty() || memory_.back().size() - used_ < bytes) {
    memory_.emplace_back(std::max(bytes, block_bytes), content);
    used_ = 0;
  }
  return memory_.back().data() + std::exchange(used_, used_ + bytes);
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> SideCompressor<T, S>::SideCompressor(const LocalSide& side, double eps,
                                                                       int threads)
    : side_(side), eps_(eps), memory_(usize(threads)), made_(usize(side.pieces())) {}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
void SideCompressor<T, S>::take(int thread, Index p, const S* values) {
  try {
    made_[usize(p)] = compress(memory_[usize(thread)], p, values);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::environment, "not enough memory to compress the factors",
                "solve with --compress off, or on more ranks");
  }
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
auto SideCompressor<T, S>::compress(PieceMemory& memory, Index p, const S* values) const -> Made {
  const auto tiles = piece_in_tiles<T>(side_, p, values, eps_);
  const bool in_tiles = !tiles.empty();
  const std::size_t bytes = in_tiles ? tiles.size() : bytes_as_it_is<S>(side_, p);
  std::byte* const place = memory.place(bytes);
  if (bytes > 0) std::memcpy(place, in_tiles ? static_cast<const void*>(tiles.data()) : values, bytes);
  return {place, bytes, in_tiles};
}

// Uncompressed pieces have no gaps between them, because their kernels may read past the end of a piece,
// where only values may be.
template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> SideCompressor<T, S>::finish() && {
  std::size_t numbers = 0, tiles = 0, before = 0;
  for (const Made& made : made_) (made.in_tiles ? tiles : numbers) += room_of(made.bytes, made.in_tiles);
  CompressedSide<T> side;
  std::byte* number = side.memory.emplace_back(numbers, content).data();
  std::byte* tile = side.memory.emplace_back(tiles, content).data();
  for (const Made& made : made_) {
    std::byte*& next = made.in_tiles ? tile : number;
    if (made.bytes > 0) std::memcpy(next, made.at, made.bytes);
    if (made.in_tiles) {
      lowrank::link(next, std::exchange(before, room_of(made.bytes, true)));
      side.piece.push_back(lowrank::stored_tiles<T>(next));
    } else {
      side.piece.emplace_back(reinterpret_cast<const S*>(next));
    }
    side.bytes.push_back(made.bytes);
    next += room_of(made.bytes, made.in_tiles);
  }
  memory_.clear();
  return side;
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> compressed_side(const LocalSide& side, const S* values,
                                                                    double eps, ThreadPool& pool) {
  SideCompressor<T, S> compressor(side, eps, pool.size());
  parallel_for(pool, usize(side.pieces()), [&](int thread, std::size_t p) {
    compressor.take(thread, static_cast<Index>(p), values + side.value_ptr[p]);
  });
  return std::move(compressor).finish();
}

#define INSTANTIATE(S, T)              \
  template class SideCompressor<T, S>; \
  template CompressedSide<T> compressed_side<T>(const LocalSide&, const S*, double, ThreadPool&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::engine
