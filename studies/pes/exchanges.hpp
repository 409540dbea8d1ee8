#pragma once
// How a contribution of one PE reaches a component of another, for each exchange of designs.hpp: the text of
// kernels. Each says
//   begin     which PEs a lane has to ask about a component, where it asks others,
//   complete  whether all that other PEs contribute is there, as far as this lane looks,
//   sum       what of that this lane adds up, behind complete(),
//   contribute: false where it has to be tried again.

#include "studies/pes/pe_view.hpp"
#include "trisweep/backend/machine.hpp"
#include "trisweep/core/occupancy.hpp"

namespace trisweep::studies {

using backend::Scope;

// A lane's part of what a warp looks at: every `lanes`-th from `lane` on.
struct LanePart {
  int lane;
  int lanes;
  TRISWEEP_DEVICE bool leads() const { return lane == 0; }
};

// A component of the PE that asks: which of its own it is, and its number among all.
struct Component {
  Index at;
  Index number;
};

// By PE: 1 for those that may have something left to contribute.
using PeSet = std::uint64_t;
inline constexpr int most_pes = 64;

// Whose contributions come to the owner of a component: it asks no other PE.
struct AsksNobody {
  template <class T>
  TRISWEEP_DEVICE static PeSet begin(const PeView<T>& /*pe*/, LanePart /*part*/) {
    return 0;
  }
};

// One sum for each component, to which all PEs add.
struct SharedSums : AsksNobody {
  template <class T>
  TRISWEEP_DEVICE static T sum(const PeView<T>& pe, Component one, LanePart part, PeCounts& /*counts*/) {
    return part.leads() ? pe.mine.shared.sum[one.number] : T{};
  }
};

// Sums and counters lie in pages that move to the PE that touches them.
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
  // Who finds the owner's memory taken looks again later: lanes that go in step must not wait for one
  // another.
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

// Each lane reads what one PE has, all PEs at the same time (section IV-B).
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

// Who makes the last contribution of a PE puts the sum into the owner's memory, and a signal behind it.
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
