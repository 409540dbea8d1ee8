#pragma once
// How a contribution of one PE reaches a component of another, for each exchange of designs.hpp, as source
// code of kernels. Each exchange defines
//   begin       the PEs that a lane must ask about a component, if it asks others,
//   complete    true if all contributions of other PEs that this lane checks have arrived,
//   sum         this lane's part of their sum, after complete(),
//   contribute  false if the contribution must be tried again.

#include "studies/pes/pe_view.hpp"
#include "trisweep/backend/machine.hpp"
#include "trisweep/core/occupancy.hpp"

namespace trisweep::studies {

using backend::Scope;

// A lane's part of what a warp checks: every `lanes`-th entry from `lane` on.
struct LanePart {
  int lane;
  int lanes;
  TRISWEEP_DEVICE bool leads() const { return lane == 0; }
};

// A component of the asking PE: its index among that PE's own, and its number among all.
struct Component {
  Index at;
  Index number;
};

// One bit per PE: 1 if it may still have contributions.
using PeSet = std::uint64_t;
inline constexpr int most_pes = 64;

// Base of exchanges in which contributions come to the owner of a component, which asks no other PE.
struct AsksNobody {
  template <class T>
  TRISWEEP_DEVICE static PeSet begin(const PeView<T>& /*pe*/, LanePart /*part*/) {
    return 0;
  }
};

// Base of exchanges with one sum for each component, to which all PEs add.
struct SharedSums : AsksNobody {
  template <class T>
  TRISWEEP_DEVICE static T sum(const PeView<T>& pe, Component one, LanePart part, PeCounts& /*counts*/) {
    return part.leads() ? pe.mine.shared.sum[one.number] : T{};
  }
};

// Sums and counters are in pages that migrate to the PE that touches them.
struct Unified : SharedSums {
  static constexpr int resident_blocks = resident_blocks_of("RunDesign<double, Unified>");
  template <class T>
  TRISWEEP_DEVICE static bool complete(const PeView<T>& pe, Component one, LanePart part, PeSet& /*asks*/,
                                       PeCounts& counts) {
    if (!part.leads()) return true;
    touch(pe, one.number, counts);
    return backend::load_acquire<Scope::system>(&pe.mine.shared.missing[one.number]) == 0;
  }
  template <class T>
  TRISWEEP_DEVICE static bool contribute(const PeView<T>& pe, Index user, T value, PeCounts& counts) {
    touch(pe, user, counts);
    const Sums<T>& shared = pe.mine.shared;
    backend::atomic_add<Scope::system>(&shared.sum[user], value);
    backend::add_release<Scope::system>(&shared.missing[user], -1);
    return true;
  }

 private:
  template <class T>
  TRISWEEP_DEVICE static void touch(const PeView<T>& pe, Index component, PeCounts& counts) {
    if (pe.mine.page == nullptr) return;
    Index* const page = &pe.mine.page[component / components_of_page<T>];
    if (backend::exchange<Scope::system>(page, 1 + pe.me) == 1 + pe.me) return;
    ++counts.migrations;
    counts.bytes += page_bytes;
  }
};

struct GetUpdatePut : SharedSums {
  static constexpr int resident_blocks = resident_blocks_of("RunDesign<double, GetUpdatePut>");
  template <class T>
  TRISWEEP_DEVICE static bool complete(const PeView<T>& pe, Component one, LanePart part, PeSet& /*asks*/,
                                       PeCounts& /*counts*/) {
    return !part.leads() || backend::load_acquire<Scope::system>(&pe.mine.shared.missing[one.number]) == 0;
  }
  // A lane that finds the owner's memory locked tries again later: lanes that run in lockstep must not wait
  // for one another.
  template <class T>
  TRISWEEP_DEVICE static bool contribute(const PeView<T>& pe, Index user, T value, PeCounts& counts) {
    const PeHeap<T>& owner = pe.heap[pe.owner[user]];
    if (backend::exchange<Scope::system>(&owner.control->lock, 1) != 0) return false;
    owner.shared.sum[user] += value;
    backend::store_release<Scope::system>(&owner.shared.missing[user], owner.shared.missing[user] - 1);
    backend::store_release<Scope::system>(&owner.control->lock, 0);
    counts.ordered += 2;
    counts.bytes += 2 * static_cast<Offset>(sizeof(T) + sizeof(Degree));
    return true;
  }
};

// Each lane reads the sums of one PE, all PEs at the same time (section IV-B).
struct ReadOnly {
  static constexpr int resident_blocks = resident_blocks_of("RunDesign<double, ReadOnly>");
  template <class T>
  TRISWEEP_DEVICE static PeSet begin(const PeView<T>& pe, LanePart part) {
    PeSet asks = 0;
    for (Index p = part.lane; p < pe.pes; p += part.lanes) asks |= p == pe.me ? 0 : PeSet{1} << p;
    return asks;
  }
  // A PE that had nothing left is not asked again (Algorithm 3, line 21).
  template <class T>
  TRISWEEP_DEVICE static bool complete(const PeView<T>& pe, Component one, LanePart part, PeSet& asks,
                                       PeCounts& counts) {
    for (Index p = part.lane; p < pe.pes; p += part.lanes) {
      if ((asks >> p & 1) == 0) continue;
      ++counts.reads;
      counts.bytes += static_cast<Offset>(sizeof(Degree));
      if (backend::load_acquire<Scope::system>(&pe.heap[p].own.missing[one.number]) == 0)
        asks &= ~(PeSet{1} << p);
    }
    return asks == 0;
  }
  template <class T>
  TRISWEEP_DEVICE static T sum(const PeView<T>& pe, Component one, LanePart part, PeCounts& counts) {
    T total{};
    for (Index p = part.lane; p < pe.pes; p += part.lanes) {
      if (p == pe.me) continue;
      ++counts.reads;
      counts.bytes += static_cast<Offset>(sizeof(T));
      total += pe.heap[p].own.sum[one.number];
    }
    return total;
  }
  template <class T>
  TRISWEEP_DEVICE static bool contribute(const PeView<T>& pe, Index user, T value, PeCounts& /*counts*/) {
    backend::atomic_add(&pe.mine.own.sum[user], value);
    backend::add_release<Scope::system>(&pe.mine.own.missing[user], -1);
    return true;
  }
};

// The lane that makes the last contribution of a PE puts the sum into the owner's memory, followed by a
// signal.
struct Push : AsksNobody {
  static constexpr int resident_blocks = resident_blocks_of("RunDesign<double, Push>");
  template <class T>
  TRISWEEP_DEVICE static bool complete(const PeView<T>& pe, Component one, LanePart part, PeSet& /*asks*/,
                                       PeCounts& /*counts*/) {
    for (Offset slot = pe.arrival[one.at] + part.lane; slot < pe.arrival[one.at + 1]; slot += part.lanes) {
      if (backend::load_acquire<Scope::system>(&pe.mine.signal[slot]) == 0) return false;
    }
    return true;
  }
  template <class T>
  TRISWEEP_DEVICE static T sum(const PeView<T>& pe, Component one, LanePart part, PeCounts& /*counts*/) {
    T total{};
    for (Offset slot = pe.arrival[one.at] + part.lane; slot < pe.arrival[one.at + 1]; slot += part.lanes)
      total += pe.mine.arrived[slot];
    return total;
  }
  template <class T>
  TRISWEEP_DEVICE static bool contribute(const PeView<T>& pe, Index user, T value, PeCounts& counts) {
    const Sums<T>& own = pe.mine.own;
    backend::atomic_add(&own.sum[user], value);
    if (backend::add<Scope::device>(&own.missing[user], -1) != 1) return true;
    const PeHeap<T>& owner = pe.heap[pe.owner[user]];
    owner.arrived[pe.slot[user]] = own.sum[user];
    backend::store_release<Scope::system>(&owner.signal[pe.slot[user]], 1);
    ++counts.writes;
    counts.bytes += static_cast<Offset>(sizeof(T) + sizeof(Degree));
    return true;
  }
};

// Calls visit(one of the above).
template <class Visit>
decltype(auto) with_exchange(Exchange exchange, const Visit& visit) {
  switch (exchange) {
    case Exchange::unified:
      return visit(Unified{});
    case Exchange::get_update_put:
      return visit(GetUpdatePut{});
    case Exchange::read_only:
      return visit(ReadOnly{});
    default:
      return visit(Push{});
  }
}

}  // namespace trisweep::studies
