#include "trisweep/engine/compressed_side.hpp"

#include <atomic>
#include <cstring>
#include <new>

#include "trisweep/compression/tile_products.hpp"
#include "trisweep/compression/tiles.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::engine {
namespace {

using distribution::SideShare;

constexpr const char* what = "the compressed factors";
constexpr std::size_t line = 64;  // panels in tiles begin at cache lines
// Of panels that are compressed before what came out is moved to its place: so much is there twice.
constexpr std::size_t batch_bytes = std::size_t{64} << 20;

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + line - 1) / line * line;
}

template <class S>
std::size_t bytes_as_it_is(const SideShare& side, Index p) {
  return usize(side.value_ptr[usize(p) + 1] - side.value_ptr[usize(p)]) * sizeof(S);
}

template <Scalar T, class S>
class SideCompressor {
 public:
  SideCompressor(const SideShare& side, const S* values, double eps)
      : side_(side), values_(values), eps_(eps) {}

  CompressedSide<T> run(Crew& crew) {
    CompressedSide<T> result;
    for (Index first = 0; first < side_.pieces();) {
      Index last = first;
      for (std::size_t bytes = 0; last < side_.pieces() && bytes < batch_bytes; ++last)
        bytes += bytes_as_it_is<S>(side_, last);
      tiles_.assign(usize(last - first), {});
      std::atomic<Index> next{first};
      crew.run([&](int) {
        for (Index p = next.fetch_add(1); p < last; p = next.fetch_add(1))
          tiles_[usize(p - first)] = in_tiles(p);
      });
      move(first, result);
      first = last;
    }
    return result;
  }

 private:
  std::vector<std::byte> in_tiles(Index p) const {
    const Index width = static_cast<Index>((side_.value_ptr[usize(p) + 1] - side_.value_ptr[usize(p)]) /
                                           std::max(side_.height(p), Index{1}));
    std::vector<Index> ends;
    for (const auto& block : side_.blocks(p))
      ends.push_back((ends.empty() ? 0 : ends.back()) + block.end - block.begin);
    return compression::in_tiles<T>(
        compression::SlabPanel<S>{values_ + side_.value_ptr[usize(p)], side_.height(p), width},
        compression::tile_rows(ends), eps_);
  }

  // To memory of their own, from piece `first` on: those as they are next to each other, without gaps,
  // because their kernels may read over an end, and nothing but numbers may be there.
  void move(Index first, CompressedSide<T>& result) const {
    std::size_t numbers = 0, tiles = 0;
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      const std::size_t in_tiles = tiles_[i].size();
      const std::size_t as_it_is = bytes_as_it_is<S>(side_, first + static_cast<Index>(i));
      result.bytes.push_back(in_tiles > 0 ? in_tiles : as_it_is);
      (in_tiles > 0 ? tiles : numbers) += in_tiles > 0 ? whole_lines(in_tiles) : as_it_is;
    }
    std::byte* number = result.memory.emplace_back(numbers, what).data();
    std::byte* tile = result.memory.emplace_back(tiles, what).data();
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
      const auto p = usize(first) + i;
      if (tiles_[i].empty()) {
        std::memcpy(number, values_ + side_.value_ptr[p], result.bytes[p]);
        result.piece.emplace_back(reinterpret_cast<const S*>(number));
        number += result.bytes[p];
      } else {
        std::memcpy(tile, tiles_[i].data(), result.bytes[p]);
        result.piece.push_back(compression::stored_tiles<T>(tile));
        tile += whole_lines(result.bytes[p]);
      }
    }
  }

  const SideShare& side_;
  const S* const values_;
  const double eps_;
  std::vector<std::vector<std::byte>> tiles_;  // of a batch
};

}  // namespace

template <Scalar T, class S>
requires kernels::StorageOf<S, T> CompressedSide<T> compressed_side(const SideShare& side, const S* values,
                                                                    double eps, Crew& crew) {
  try {
    return SideCompressor<T, S>(side, values, eps).run(crew);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::environment, "not enough memory to compress the factors",
                "solve with --compress off, or on more ranks");
  }
}

#define INSTANTIATE(S, T) \
  template CompressedSide<T> compressed_side<T>(const SideShare&, const S*, double, Crew&);
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE)

}  // namespace trisweep::engine
