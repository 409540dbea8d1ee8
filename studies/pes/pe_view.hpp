#pragma once
// A PE of a design as its warps see it, in the memory of its device, and the memory that PEs access of one
// another: their symmetric heaps.

#include "studies/pes/pe_program.hpp"
#include "trisweep/backend/number.hpp"

namespace trisweep::studies {

// Counts of a PE's work so far.
struct PeCounts {
  Offset rows = 0;
  Offset entries = 0;     // contributions that it made
  Offset polls = 0;       // checks whether a component has all its contributions
  Offset reads = 0;       // of another PE's memory
  Offset writes = 0;      // to another PE's memory, for which no warp waits
  Offset ordered = 0;     // reads and writes that no other PE may make at the same time
  Offset bytes = 0;       // moved between memories
  Offset migrations = 0;  // pages taken from another PE or the host

  // Calls add(count of `to`, count of this) for each count.
  template <class Add>
  TRISWEEP_DEVICE void add_to(PeCounts& to, const Add& add) const {
    add(to.rows, rows);
    add(to.entries, entries);
    add(to.polls, polls);
    add(to.reads, reads);
    add(to.writes, writes);
    add(to.ordered, ordered);
    add(to.bytes, bytes);
    add(to.migrations, migrations);
  }
  PeCounts& operator+=(const PeCounts& other) {
    other.add_to(*this, [](Offset& sum, Offset value) { sum += value; });
    return *this;
  }
};

struct PeControl {
  backend::Count ticket = 0;   // own components that warps have taken
  backend::Count stalled = 0;  // 1 + the component that has waited for too long
  Degree lock = 0;             // 1: a lane is updating the sums of other PEs' contributions
  backend::Count waited = 0;   // nanoseconds, summed over warps that waited for contributions
  PeCounts counts;
};

// By component.
template <class T>
struct Sums {
  T* sum;
  Degree* missing;  // contributions that are still to come
};

template <class T>
struct PeHeap {
  PeControl* control;
  Sums<T> own;     // contributions of this PE
  Sums<T> shared;  // contributions of other PEs: in managed memory common to all, or in the owner's memory
  Index* page;     // managed memory: 1 + the PE that has a page; 0: the host; null: not recorded
  T* arrived;      // by slot: sums of other PEs
  Degree* signal;  // by slot: 1 when the sum has arrived
};

// Managed memory migrates to the PE that touches it: a page fault moves the 64 KiB around it (Ganguly, Zhang,
// Yang, Melhem, ISCA 2019).
inline constexpr Offset page_bytes = 65536;
template <class T>
inline constexpr Index components_of_page = static_cast<Index>(page_bytes / (sizeof(T) + sizeof(Degree)));

template <class T>
struct PeView {
  Index me;
  Index pes;
  Index components;  // its own
  PeHeap<T> mine;
  const PeHeap<T>* heap;  // by PE
  const Index* owner;
  // See PeProgram.
  const Index* component;
  const Index* number;
  const T* diagonal;
  const Offset* begin;
  const Offset* arrival;
  const Index* user;
  const T* value;
  const Offset* slot;
};

// A solve with one right-hand side: the caller's rows.
template <class T>
struct PeTask {
  const T* b;
  T* x;
  backend::Count watchdog = 0;  // nanoseconds; 0: no limit
};

}  // namespace trisweep::studies
