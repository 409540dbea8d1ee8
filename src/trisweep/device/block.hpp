#pragma once
// Threads that run a worker together: `groups` of `lanes` threads. What lanes load goes across neighbouring
// rows of a slab, so that a load is one straight piece of memory; on the host a block is one thread.

#include <array>
#include <cstddef>
#include <type_traits>

#include "trisweep/device/warp.hpp"

namespace trisweep::device {

// Looks around while a worker of the host waits. Throws when waiting makes no sense any more.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void look() = 0;
};

struct HostBlock {
  static constexpr int lane = 0, lanes = 1, group = 0, groups = 1;
  Watch* watch = nullptr;

  bool leads() const { return true; }
  void sync() const {}
  // What one thread finds out, for all of them. All that a thread wrote before is seen by all behind it.
  template <class Find>
  Count find(const Find& find) const {
    return find();
  }
  // Whether a group multiplies tiles of T (tile_product.hpp), and as what.
  template <class T>
  static constexpr bool multiplies_tiles = false;
  HostWarp warp() const { return {}; }
  template <class N>
  N sum_over_lanes(N value) const {
    return value;
  }
  template <class R>
  R largest_over_lanes(R value) const {
    return value;
  }
  // Memory that the block's threads share.
  static constexpr std::size_t tile_bytes = 512;
  template <class T>
  T* tile() const {
    return reinterpret_cast<T*>(tile_.data());
  }
  // Before an item is run.
  void begin(Index /*item*/) const {}
  void idle() const {
    if (watch != nullptr) watch->look();
    pause();
  }

  alignas(std::max_align_t) mutable std::array<std::byte, tile_bytes> tile_;
};

#if defined(__CUDACC__) || defined(__HIPCC__)

struct GpuBlock {
  static constexpr int lanes = slab_rows;  // a warp, or half a wavefront
  int lane = static_cast<int>(threadIdx.x) % lanes;
  int group = static_cast<int>(threadIdx.x) / lanes;
  int groups = static_cast<int>(blockDim.x) / lanes;

  __device__ bool leads() const { return threadIdx.x == 0; }
  __device__ void sync() const { __syncthreads(); }
  template <class Find>
  __device__ Count find(const Find& find) const {
    __shared__ Count found;
    __syncthreads();
    if (leads()) found = find();
    __syncthreads();
    return found;
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  template <class T>
  static constexpr bool multiplies_tiles = std::is_same_v<RealPart<T>, double>;
#else
  template <class T>
  static constexpr bool multiplies_tiles = false;
#endif
  __device__ GpuWarp warp() const {
    return {};
  }
  template <class N>
  __device__ N sum_over_lanes(N value) const {
    for (int bit = lanes / 2; bit > 0; bit /= 2) value += from_lane(value, bit);
    return value;
  }
  template <class R>
  __device__ R largest_over_lanes(R value) const {
    for (int bit = lanes / 2; bit > 0; bit /= 2) {
      const R other = from_lane(value, bit);
      if (!(other <= value)) value = other;
    }
    return value;
  }
  static constexpr std::size_t tile_bytes = 16384;  // as many blocks are resident as without it
  template <class T>
  __device__ T* tile() const {
    __shared__ __align__(16) unsigned char bytes[tile_bytes];
    return reinterpret_cast<T*>(bytes);
  }
  __device__ void begin(Index) const {}
  __device__ void idle() const {
    pause();
  }
};

#endif

// Calls visit(i) for i in [0, count), each on one thread of the block.
template <class Block, class Visit>
TRISWEEP_DEVICE inline void for_each(const Block& block, std::size_t count, const Visit& visit) {
  const auto threads = usize(block.lanes) * usize(block.groups);
  for (std::size_t i = usize(block.group) * usize(block.lanes) + usize(block.lane); i < count; i += threads)
    visit(i);
}

}  // namespace trisweep::device
