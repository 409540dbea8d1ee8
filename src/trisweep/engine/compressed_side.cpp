#include "trisweep/engine/compressed_side.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <new>

#include "trisweep/compression/tile_products.hpp"
#include "trisweep/compression/tiles.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::engine {
namespace {

using distribution::SideShare;

constexpr const char* content = "the compressed factors";
constexpr std::size_t line = 64;       // panels in tiles begin at cache lines
constexpr std::size_t readable = 256;  // bytes over the end that a kernel may read, as behind a Buffer
constexpr std::size_t block_bytes = 16 << 20;  // bytes that a thread takes from the system at a time

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

template <class S>
std::size_t bytes_as_it_is(const SideShare& side, Index p) {
  return usize(side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)]) * sizeof(S);
}

template <Scalar T, class S>
std::vector<std::byte> piece_in_tiles(const SideShare& side, Index p, const S* values, double eps) {
  const Index width = static_cast<Index>((side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)]) /
                                         std::max(side.height(p), Index{1}));
  std::vector<Index> ends;
  for (const auto& block : side.blocks(p))
    ends.push_back((ends.empty() ? 0 : ends.back()) + block.end - block.begin);
  return compression::in_tiles<T>(compression::SlabPanel<S>{values, side.height(p), width},
                                  compression::tile_rows(ends), eps);
}

}  // namespace

std::byte* PanelMemory::place(std::size_t bytes) {
  if (memory_.empty() || memory_.back().size() - used_ < bytes) {
    memory_.emplace_back(std::max(bytes, block_), content);
    used_ = 0;
  }
  Buffer<std::byte>& last = memory_.back();
  std::byte* const place = last.data() + used_;
  used_ += bytes;
  std::memset(place + bytes, 0, std::min(readable, last.size() - used_));
  return place;
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> SideCompressor<T, S>::SideCompressor(const SideShare& side, double eps,
                                                                       int threads)
    : side_(side), eps_(eps) {
  const std::size_t block = std::min(block_bytes, whole_lines(usize(side.value_ptr.back()) * sizeof(S)));
  for (int t = 0; t < threads; ++t) memory_.push_back({PanelMemory(block), PanelMemory(block)});
  made_.piece.resize(usize(side.pieces()));
  made_.bytes.resize(usize(side.pieces()));
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
void SideCompressor<T, S>::take(int thread, Index p, const S* values) {
  try {
    compress(memory_[usize(thread)], p, values);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::environment, "not enough memory to compress the factors",
                "solve with --compress off, or on more ranks");
  }
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T>
void SideCompressor<T, S>::compress(Memory& memory, Index p, const S* values) {
  const auto tiles = piece_in_tiles<T>(side_, p, values, eps_);
  const std::size_t bytes = tiles.empty() ? bytes_as_it_is<S>(side_, p) : tiles.size();
  made_.bytes[usize(p)] = bytes;
  if (tiles.empty()) {
    std::byte* const numbers = memory.numbers.place(bytes);
    std::memcpy(numbers, values, bytes);
    made_.piece[usize(p)] = reinterpret_cast<const S*>(numbers);
  } else {
    std::byte* const panel = memory.tiles.place(whole_lines(bytes));
    std::memcpy(panel, tiles.data(), bytes);
    made_.piece[usize(p)] = compression::stored_tiles<T>(panel);
  }
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> SideCompressor<T, S>::finish() && {
  for (Memory& of_thread : memory_) {
    for (PanelMemory* part : {&of_thread.numbers, &of_thread.tiles})
      std::ranges::move(std::move(*part).take(), std::back_inserter(made_.memory));
  }
  return std::move(made_);
}

template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> compressed_side(const SideShare& side, const S* values,
                                                                    double eps, Crew& crew) {
  SideCompressor<T, S> compressor(side, eps, crew.size());
  std::atomic<Index> next{0};
  crew.run([&](int thread) {
    for (Index p = next.fetch_add(1); p < side.pieces(); p = next.fetch_add(1))
      compressor.take(thread, p, values + side.value_ptr[usize(p)]);
  });
  return std::move(compressor).finish();
}

#define INSTANTIATE(S, T)              \
  template class SideCompressor<T, S>; \
  template CompressedSide<T> compressed_side<T>(const SideShare&, const S*, double, Crew&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::engine
