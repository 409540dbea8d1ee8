#pragma once
// Lanes that go in step, each with registers of its own, which the others can read. What each lane does is
// passed to each(); what all do together is between such calls. On the host one thread plays all lanes, one
// after another, so that the host tests what a warp does.

#include <array>

#include "trisweep/core/slabs.hpp"
#include "trisweep/device/number.hpp"

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#endif

namespace trisweep::device {

template <int count>
struct HostLanes {
  static constexpr int lanes = count;
  template <class V>
  using Register = std::array<V, usize(lanes)>;

  template <class Visit>
  void each(const Visit& visit) const {
    for (int lane = 0; lane < lanes; ++lane) visit(lane);
  }
  // Where lanes need nothing of each other, so many are played at a time, whose numbers stay in registers.
  static constexpr int at_a_time = 16;
  template <class V>
  using Few = std::array<V, at_a_time>;
  template <class Visit>
  void few(const Visit& visit) const {
    for (int i = 0; i < at_a_time; ++i) visit(i);
  }
  // To each lane's value that of the lane whose number differs in that bit.
  template <class V>
  void add_from(Register<V>& value, int bit) const {
    const Register<V> before = value;
    each([&](int lane) { value[usize(lane)] += before[usize(lane ^ bit)]; });
  }
  // Over all lanes, half of them onto the other half again and again.
  template <class V>
  V sum(Register<V> value) const {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) value[usize(lane)] += value[usize(lane + half)];
    return value[0];
  }
  // What one lane finds out, for all of them.
  template <class Find>
  Count find(const Find& find) const {
    return find();
  }
  // What lanes have written to memory is seen by the others behind it.
  void sync() const {}
  void idle() const { pause(); }
};
using HostWarp = HostLanes<slab_rows>;

// To each lane's value those of all others.
template <class Warp, class Register>
TRISWEEP_DEVICE inline void sum_over_lanes(const Warp& warp, Register& value) {
  for (int bit = Warp::lanes / 2; bit > 0; bit /= 2) warp.add_from(value, bit);
}

#if defined(__CUDACC__) || defined(__HIPCC__)

// Of the lane whose number differs in that bit. All lanes of a warp, or half a wavefront, call it.
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

// A warp, or half a wavefront.
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
  template <class Find>
  __device__ Count find(const Find& find) const {
    unsigned long long found = lane == 0 ? find() : 0;  // as shuffles know it
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
};

#endif

}  // namespace trisweep::device
