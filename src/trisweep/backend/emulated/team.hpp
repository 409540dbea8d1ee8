#pragma once
// A block, and the lanes of a warp, played by one thread of the host.

#include <array>
#include <cstddef>
#include <functional>
#include <utility>

#include "trisweep/backend/number.hpp"
#include "trisweep/core/slabs.hpp"

namespace trisweep::backend {

template <int count>
struct HostLanes {
  static constexpr int lanes = count;
  template <class V>
  using Register = std::array<V, usize(lanes)>;

  template <class Visit>
  void each(const Visit& visit) const {
    for (int lane = 0; lane < lanes; ++lane) visit(lane);
  }
  // If lanes are independent of each other, this many are played at a time, so that their values stay in
  // registers.
  static constexpr int at_a_time = 16;
  template <class V>
  using Few = std::array<V, at_a_time>;
  template <class Visit>
  void few(const Visit& visit) const {
    for (int i = 0; i < at_a_time; ++i) visit(i);
  }
  // Adds to each lane's value that of the lane whose number differs in this bit.
  template <class V>
  void add_from(Register<V>& value, int bit) const {
    const Register<V> before = value;
    each([&](int lane) { value[usize(lane)] += before[usize(lane ^ bit)]; });
  }
  // Sum over all lanes: repeatedly adds the upper half of the lanes to the lower half.
  template <class V>
  V sum(Register<V> value) const {
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) value[usize(lane)] += value[usize(lane + half)];
    return value[0];
  }
  // Calls work() on one lane.
  template <class Work>
  void lead(const Work& work) const {
    work();
  }
  // Returns to all lanes what find() returns on one of them.
  template <class Find>
  Count find(const Find& find) const {
    return find();
  }
  // Makes what lanes have written to memory visible to the other lanes.
  void sync() const {}
  void idle() const { pause(); }
};
using HostWarp = HostLanes<slab_rows>;

// Called while a kernel runs or waits. Throws if waiting makes no sense any more.
using Poll = std::function<void()>;

struct HostBlock {
  static constexpr int lane = 0, lanes = 1, group = 0, groups = 1;
  Index number = 0;  // index in the launch
  const Poll* poll = nullptr;

  bool leads() const { return true; }
  void sync() const {}
  void publish() const {}
  // Returns to all threads what find() returns on one of them. Writes of all threads before the call are
  // visible to all after it.
  template <class Find>
  Count find(const Find& find) const {
    return find();
  }
  // Returns to all threads what take() returns on one of them, if is_ready() is true on the lanes of one
  // group, else no_item; the other groups, by their numbers, call prepare() meanwhile.
  template <class Take, class IsReady, class Prepare>
  Count take(const Take& take, const IsReady& is_ready, const Prepare& /*prepare*/) const {
    const Count taken = take();
    return taken != no_item && is_ready(taken) ? taken : no_item;
  }
  // Lanes of the first group for which is_so() is true, as bits.
  template <class IsSo>
  unsigned lanes_of_group(const IsSo& is_so) const {
    return is_so() ? 1 : 0;
  }
  // True if `is_so` is true on all lanes of a group, all of which call this.
  static bool on_all_lanes(bool is_so) { return is_so; }
  // A copy of a value, shared by all threads; one of them modifies it by set() first.
  template <class Value, class Set>
  Value share(Value value, const Set& set) const {
    set(value);
    return value;
  }
  // True if a group multiplies tiles of T (tile_product.hpp).
  template <class T>
  static constexpr bool multiplies_tiles = false;
  HostWarp warp() const { return {}; }
  // A warp with fewer lanes, for rows most of which are shorter than a warp.
  HostLanes<4> short_warp() const { return {}; }
  template <class N>
  N sum_over_lanes(N value) const {
    return value;
  }
  // Calls visit(k, sum of value[k] over the lanes) once for each of eight values.
  template <class N, class Visit>
  void sums_over_lanes(const N (&value)[8], const Visit& visit) const {
    for (Index k = 0; k < 8; ++k) visit(k, value[k]);
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
  // Called before an item is run.
  void begin(Index /*item*/) const {}
  void idle() const {
    if (poll != nullptr) (*poll)();
    pause();
  }

  alignas(std::max_align_t) mutable std::array<std::byte, tile_bytes> tile_;
};

}  // namespace trisweep::backend
