#pragma once
// A warp of a PE, and the kernel of a design. It is synchronization-free (Liu, Li, Hogg, Duff, Vinter 2016):
// the warp polls its component until all contributions have arrived (lock-wait), solves it and contributes to
// others (solve-update; multi-GPU zero-copy paper, Algorithms 2 and 3).
//
// Warps of a PE take its components by ticket, in order. The first unsolved component has all its
// contributions, and it has a warp, since its PE's warps only hold components up to it or later ones. So
// there is no deadlock if each PE has a resident warp.

#include "studies/pes/exchanges.hpp"
#include "trisweep/backend/waiting.hpp"

namespace trisweep::studies {

template <class T, class Exchange, class Warp>
class PeWarp {
 public:
  template <class V>
  using Register = typename Warp::template Register<V>;
  // A component that waits for contributions.
  struct Waiting {
    Component component;
    Register<PeSet> asks;
  };

  TRISWEEP_DEVICE PeWarp(const PeView<T>& pe, const PeTask<T>& task, const Warp& warp)
      : pe_(pe), task_(task), warp_(warp), counts_() {}

  // Runs until no components are left. Everything is in one loop: half a wavefront runs in lockstep with the
  // other half, which may wait for what this half solves.
  TRISWEEP_DEVICE void run() {
    Waiting waiting{};
    bool has_one = false;
    backend::Count since = 0, waited = 0;
    backend::Waiting watchdog(&pe_.mine.control->ticket, task_.watchdog);
    for (;;) {
      if (!has_one) {
        const Index taken = take();
        if (taken >= pe_.components) break;
        waiting = begin(taken);
        has_one = true;
      }
      if (has_all(waiting)) {
        if (since > 0) waited += backend::now() - since;
        since = 0;
        solve(waiting);
        has_one = false;
      } else {
        if (since == 0) since = backend::now();
        warp_.idle();
        const auto leaves = [&] {
          return backend::Count(watchdog.leaves(&pe_.mine.control->stalled, usize(waiting.component.number)));
        };
        if (warp_.find(leaves) != 0) break;
      }
    }
    report(waited);
  }

  TRISWEEP_DEVICE Waiting begin(Index at) const {
    Waiting waiting{};
    waiting.component = {at, pe_.component[at]};
    warp_.each([&](int l) { waiting.asks[usize(l)] = Exchange::begin(pe_, part(l)); });
    return waiting;
  }

  TRISWEEP_DEVICE bool has_all(Waiting& waiting) {
    Register<int> missing;
    warp_.each([&](int l) {
      const std::size_t lane = usize(l);
      const bool foreign =
          Exchange::complete(pe_, waiting.component, part(l), waiting.asks[lane], counts_[lane]);
      missing[lane] = foreign && (l > 0 || has_own(waiting.component.number)) ? 0 : 1;
      if (l == 0) ++counts_[lane].polls;
    });
    backend::sum_over_lanes(warp_, missing);
    return missing[0] == 0;
  }

  TRISWEEP_DEVICE void solve(const Waiting& waiting) {
    const Index at = waiting.component.at, row = pe_.number[at];
    Register<T> value;
    warp_.each([&](int l) {
      T right{};
      if (l == 0) {
        right = task_.b[row];
        right -= pe_.mine.own.sum[waiting.component.number];
      }
      right -= Exchange::sum(pe_, waiting.component, part(l), counts_[usize(l)]);
      value[usize(l)] = right;
    });
    backend::sum_over_lanes(warp_, value);
    warp_.each([&](int l) {
      if (pe_.diagonal != nullptr) value[usize(l)] = backend::quotient(value[usize(l)], pe_.diagonal[at]);
      if (l != 0) return;
      task_.x[row] = value[usize(l)];
      ++counts_[usize(l)].rows;
    });
    for (Offset e = pe_.begin[at]; e < pe_.begin[at + 1]; e += Warp::lanes)
      contribute(e, pe_.begin[at + 1], value);
  }

  // For a warp with one lane.
  TRISWEEP_DEVICE const PeCounts& counts() const { return counts_[0]; }

 private:
  TRISWEEP_DEVICE LanePart part(int lane) const { return {lane, Warp::lanes}; }

  TRISWEEP_DEVICE Index take() const {
    return static_cast<Index>(
        warp_.find([&] { return backend::add_relaxed<Scope::device>(&pe_.mine.control->ticket, 1); }));
  }
  TRISWEEP_DEVICE bool has_own(Index component) const {
    return backend::load_acquire<Scope::device>(&pe_.mine.own.missing[component]) == 0;
  }

  // Each lane contributes one entry. The lanes leave together, when all have contributed.
  TRISWEEP_DEVICE void contribute(Offset first, Offset end, const Register<T>& value) {
    Register<int> left, tries;
    warp_.each([&](int l) { left[usize(l)] = first + l < end ? 1 : 0; });
    do {
      warp_.each([&](int l) {
        const std::size_t lane = usize(l);
        if (left[lane] == 1 && contribute_one(first + l, value[lane], counts_[lane])) left[lane] = 0;
        tries[lane] = left[lane];
      });
      backend::sum_over_lanes(warp_, tries);
    } while (tries[0] > 0);
  }
  TRISWEEP_DEVICE bool contribute_one(Offset entry, T solved, PeCounts& counts) const {
    const Index user = pe_.user[entry];
    T value{};
    backend::add_product(value, pe_.value[entry], solved, backend::RealPart<T>(1));
    if (pe_.owner[user] != pe_.me) {
      if (!Exchange::contribute(pe_, user, value, counts)) return false;
    } else {
      backend::atomic_add(&pe_.mine.own.sum[user], value);
      backend::add_release<Scope::device>(&pe_.mine.own.missing[user], -1);
    }
    ++counts.entries;
    return true;
  }

  // Adds the counts to the PE's memory.
  TRISWEEP_DEVICE void report(backend::Count waited) const {
    PeControl* const control = pe_.mine.control;
    warp_.each([&](int l) {
      counts_[usize(l)].add_to(control->counts, [](Offset& sum, Offset value) {
        backend::add_relaxed<Scope::device>(&sum, value);
      });
      if (l == 0) backend::add_relaxed<Scope::device>(&control->waited, waited);
    });
  }

  const PeView<T>& pe_;
  PeTask<T> task_;
  Warp warp_;
  Register<PeCounts> counts_;
};

// Blocks are assigned to the PEs of a device in turn, so that each PE has some.
template <class T, class Exchange>
struct RunDesign {
  static constexpr int threads = backend::threads_of_block,
                       blocks_of_processor = std::is_floating_point_v<T> ? 3 : 2;  // more would spill
  const PeView<T>* pes;
  int count;
  PeTask<T> task;

  template <class Block>
  TRISWEEP_DEVICE void operator()(const Block& block) const {
    const PeView<T> pe = pes[block.number % count];
    const auto warp = block.short_warp();
    PeWarp<T, Exchange, std::remove_const_t<decltype(warp)>>(pe, task, warp).run();
  }
};

}  // namespace trisweep::studies
