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
  // By one lane.
  template <class Work>
  void lead(const Work& work) const {
    work();
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

// Looks around while a kernel runs or waits. Throws when waiting makes no sense any more.
using Poll = std::function<void()>;

struct HostBlock {
  static constexpr int lane = 0, lanes = 1, group = 0, groups = 1;
  Index number = 0;  // of the launch
  const Poll* poll = nullptr;

  bool leads() const { return true; }
  void sync() const {}
  void publish() const {}
  // What one thread finds out, for all of them. All that a thread wrote before is seen by all behind it.
  template <class Find>
  Count find(const Find& find) const {
    return find();
  }
  // What one thread takes, for all, if the lanes of one group find that it can be run, and else no_item;
  // other groups, by their numbers, prepare it meanwhile.
  template <class Take, class IsReady, class Prepare>
  Count take(const Take& take, const IsReady& is_ready, const Prepare& /*prepare*/) const {
    const Count taken = take();
    return taken != no_item && is_ready(taken) ? taken : no_item;
  }
  // The lanes of the first group for which it is so, as bits.
  template <class IsSo>
  unsigned lanes_of_group(const IsSo& is_so) const {
    return is_so() ? 1 : 0;
  }
  // Whether it is so for all lanes of a group, all of which call it.
  static bool on_all_lanes(bool is_so) { return is_so; }
  // A copy of a value that all threads share, which one of them sets first.
  template <class Value, class Set>
  Value share(Value value, const Set& set) const {
    set(value);
    return value;
  }
  // Whether a group multiplies tiles of T (tile_product.hpp), and as what.
  template <class T>
  static constexpr bool multiplies_tiles = false;
  HostWarp warp() const { return {}; }
  // Where most rows are shorter than a warp: fewer lanes are played.
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
  // Before an item is run.
  void begin(Index /*item*/) const {}
  void idle() const {
    if (poll != nullptr) (*poll)();
    pause();
  }

  alignas(std::max_align_t) mutable std::array<std::byte, tile_bytes> tile_;
};

}  // namespace trisweep::backend
