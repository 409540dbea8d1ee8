#pragma once
// A block of threads of a GPU, and a warp, or half a wavefront. Lanes load from neighbouring rows of a slab,
// so that a load is one contiguous piece of memory.

#include <type_traits>

#include "trisweep/backend/number.hpp"
#include "trisweep/backend/unrolled.hpp"
#include "trisweep/core/slabs.hpp"

namespace trisweep::backend {

// The value of the lane whose number differs in this bit. All lanes of a warp call it.
template <class R>
__device__ inline R from_lane(R value, int bit) {
#if defined(__HIPCC__)
  return __shfl_xor(value, bit, slab_rows);
#else
  return __shfl_xor_sync(0xffffffffU, value, bit, slab_rows);
#endif
}
template <class R>
__device__ inline Complex<R> from_lane(Complex<R> value, int bit) {
  return {from_lane(value.re, bit), from_lane(value.im, bit)};
}

struct GpuWarp {
  static constexpr int lanes = slab_rows;
  template <class V>
  struct Register {
    V value;
    __device__ V& operator[](std::size_t /*lane*/) { return value; }
    __device__ const V& operator[](std::size_t /*lane*/) const { return value; }
  };
  int lane = static_cast<int>(threadIdx.x) % lanes;
  static constexpr int at_a_time = lanes;
  template <class V>
  using Few = Register<V>;

  template <class Visit>
  __device__ void each(const Visit& visit) const {
    visit(lane);
  }
  template <class Visit>
  __device__ void few(const Visit& visit) const {
    visit(lane);
  }
  template <class V>
  __device__ void add_from(Register<V>& value, int bit) const {
    value.value += from_lane(value.value, bit);
  }
  template <class V>
  __device__ V sum(Register<V> value) const {
    for (int half = lanes / 2; half > 0; half /= 2) value.value += from_lane(value.value, half);
    return value.value;
  }
  template <class Work>
  __device__ void lead(const Work& work) const {
    if (lane == 0) work();
  }
  template <class Find>
  __device__ Count find(const Find& find) const {
    unsigned long long found = lane == 0 ? find() : 0;  // a type that shuffles accept
#if defined(__HIPCC__)
    return __shfl(found, 0, lanes);
#else
    return __shfl_sync(0xffffffffU, found, 0, lanes);
#endif
  }
  __device__ void sync() const {
#if !defined(__HIPCC__)
    __syncwarp();
#endif
  }
  __device__ void idle() const {
    pause();
  }
  // C += A B of tiles (device/tile_product.hpp), by tensor cores; not called on chips without them.
  __device__ void multiply_add([[maybe_unused]] double (&c)[2], [[maybe_unused]] double a,
                               [[maybe_unused]] double b) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
#endif
  }
};

struct GpuBlock {
  static constexpr int lanes = slab_rows;
  int lane = static_cast<int>(threadIdx.x) % lanes;
  int group = static_cast<int>(threadIdx.x) / lanes;
  int groups = static_cast<int>(blockDim.x) / lanes;
  Index number = static_cast<Index>(blockIdx.x);

  __device__ bool leads() const { return threadIdx.x == 0; }
  __device__ void sync() const { __syncthreads(); }
  // A barrier after which one thread releases the writes of all. On AMD's GPUs the barrier alone leaves
  // stores of other wavefronts pending, which that thread's release does not wait for.
  __device__ void publish() const {
#if defined(__HIPCC__)
    __threadfence();
#endif
    __syncthreads();
  }
  template <class Find>
  __device__ Count find(const Find& find) const {
    __shared__ Count found;
    __syncthreads();
    if (leads()) found = find();
    __syncthreads();
    return found;
  }
  // Returns to all threads what take() returns on one of them, if is_ready() is true on the lanes of one
  // group, else no_item; the other groups call prepare() meanwhile.
  template <class Take, class IsReady, class Prepare>
  __device__ Count take(const Take& take, const IsReady& is_ready, const Prepare& prepare) const {
    __shared__ Count taken;
    __shared__ bool can_be_run;
    __syncthreads();
    if (leads()) taken = take();
    __syncthreads();
    if (taken == no_item) return no_item;
    if (group == 0) {
      const bool is_so = is_ready(taken);
      if (leads()) can_be_run = is_so;
    } else {
      prepare(taken, group - 1, groups - 1);
    }
    __syncthreads();
    return can_be_run ? taken : no_item;
  }
  // Lanes of the first group for which is_so() is true, as bits.
  template <class IsSo>
  __device__ unsigned lanes_of_group(const IsSo& is_so) const {
    __shared__ unsigned found;
    __syncthreads();
    if (group == 0) {
#if defined(__HIPCC__)
      const auto these = static_cast<unsigned>(__ballot(is_so()));  // the lower half of a wavefront
#else
      const unsigned these = __ballot_sync(0xffffffffU, is_so());
#endif
      if (leads()) found = these;
    }
    __syncthreads();
    return found;
  }
  // True if `is_so` is true on all lanes of a group, all of which call this.
  __device__ bool on_all_lanes(bool is_so) const {
#if defined(__HIPCC__)
    return __all(is_so);  // considers active lanes only
#else
    return __all_sync(0xffffffffU, is_so);
#endif
  }
  // A copy of a value in shared memory, which one thread modifies by set() first; once in a kernel. All
  // threads copy, since a single thread would need a register for every word.
  template <class Value, class Set>
  __device__ const Value& share(const Value& from, const Set& set) const {
    using Word = unsigned;
    constexpr int words = sizeof(Value) / sizeof(Word);
    static_assert(std::is_trivially_copyable_v<Value> && words * sizeof(Word) == sizeof(Value));
    alignas(Value) __shared__ Word word[words];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
      word[i] = reinterpret_cast<const Word*>(&from)[i];
    __syncthreads();
    Value& value = *reinterpret_cast<Value*>(word);
    if (leads()) set(value);
    __syncthreads();
    return value;
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
  __device__ GpuWarp short_warp() const {
    return {};
  }
  template <class N>
  __device__ N sum_over_lanes(N value) const {
    for (int bit = lanes / 2; bit > 0; bit /= 2) value += from_lane(value, bit);
    return value;
  }
  // Calls visit(k, sum of value[k] over the lanes) once for each of eight values, each on a different lane:
  // in each of three steps a lane sends half of its values to another lane.
  template <class N, class Visit>
  __device__ void sums_over_lanes(N (&value)[8], const Visit& visit) const {
    unrolled_halves<4>(value);
    unrolled_halves<2>(value);
    unrolled_halves<1>(value);
    for (int bit = 2; bit > 0; bit /= 2) value[0] += from_lane(value[0], bit);
    if (lane % 4 == 0) visit(lane / 4, value[0]);
  }
  template <int half, class N>
  __device__ void unrolled_halves(N (&value)[8]) const {
    const bool is_upper = (lane & 4 * half) != 0;
    unrolled<half>([&](int k) {
      N sent = value[k + half];  // not by ?:, which would take an address of either
      if (is_upper) {
        sent = value[k];
        value[k] = value[k + half];
      }
      value[k] += from_lane(sent, 4 * half);
    });
  }
  template <class R>
  __device__ R largest_over_lanes(R value) const {
    for (int bit = lanes / 2; bit > 0; bit /= 2) {
      const R other = from_lane(value, bit);
      if (!(other <= value)) value = other;
    }
    return value;
  }
  static constexpr std::size_t tile_bytes = 16384;  // does not reduce the number of resident blocks
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

}  // namespace trisweep::backend
