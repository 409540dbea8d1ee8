#pragma once
// The memory of a PE and of those that it exchanges messages with, for PEs that write directly to each
// other's memory: virtual PEs of one process or one grid of blocks, ranks that share memory, devices that are
// peers of one another.

#include "trisweep/backend/symmetric_heap.hpp"
#include "trisweep/backend/team.hpp"
#include "trisweep/core/cache_line.hpp"
#include "trisweep/device/program.hpp"

namespace trisweep::device {

// Control words of one PE, zero before the first solve. `Word`: Count, except in tests of memory orders.
template <class Word>
struct ControlWords {
  alignas(cache_line) Word ticket = 0;
  alignas(cache_line) Word finished = 0;  // number of finished items
  alignas(cache_line) Word failed = 0;    // 1: workers must leave
  Word stalled = 0;                       // 1 + the item that has waited for too long; 0: none

  // When each phase of the last solve began, and then when the solve ended: nanoseconds; 0 for a phase
  // without items.
  TRISWEEP_DEVICE Count* times() { return reinterpret_cast<Count*>(this + 1); }
};
using Control = ControlWords<Count>;

template <class T, class Word = Count>
struct PeMemory {
  T* row;  // work rows
  Word* signal;
  ControlWords<Word>* control;
  Index number = 0;  // of its process in a symmetric heap
};

template <class T, class W = Count>
struct DirectPeers {
  using Word = W;

  const PeMemory<T, Word>* pe;
  Index count;
  Index me;

  TRISWEEP_DEVICE const PeMemory<T, Word>& mine() const { return pe[me]; }

  // Called by all threads of a block: writes values to work rows of a PE from the entry `at` on.
  template <class Block>
  TRISWEEP_DEVICE void put(const Block& block, Index to, std::size_t at, const T* value,
                           std::size_t size) const {
    T* const there = pe[to].row + at;
    for_each(block, size, [&](std::size_t i) { there[i] = value[i]; });
  }
  // Called by one thread, after a barrier: its later signals and fenced stores become visible after all that
  // its block has put and written.
  TRISWEEP_DEVICE void fence() const { release_fence<Scope::system>(); }
  TRISWEEP_DEVICE void signal(Index to, Index number, Count value) const {
    store_fenced<Scope::system>(&pe[to].signal[number], value);
  }
  TRISWEEP_DEVICE bool has_come(Index number, Count value) const {
    return has_reached<Scope::system>(&mine().signal[number], value);
  }
  TRISWEEP_DEVICE bool has_message(Index number, Count value) const { return has_come(number, value); }
  TRISWEEP_DEVICE bool failed() const { return load_relaxed<Scope::system>(&mine().control->failed) != 0; }
  // Makes the workers of all these PEs leave.
  TRISWEEP_DEVICE void fail() const {
    for (Index p = 0; p < count; ++p) store_release<Scope::system>(&pe[p].control->failed, 1);
  }
};

// The same for PEs in a symmetric heap: memory of another PE is given by an address of this PE and that PE's
// number.
template <class T, class Puts = HeapPuts>
struct HeapPeers {
  using Word = Count;

  const PeMemory<T>* pe;
  Index count;
  Index me;

  TRISWEEP_DEVICE const PeMemory<T>& mine() const { return pe[me]; }

  template <class Block>
  TRISWEEP_DEVICE void put(const Block& /*block*/, Index to, std::size_t at, const T* value,
                           std::size_t size) const {
    Puts::put(pe[to].row + at, value, size * sizeof(T), pe[to].number);
  }
  TRISWEEP_DEVICE void fence() const {
    release_fence<Scope::device>();
    Puts::fence();
  }
  TRISWEEP_DEVICE void signal(Index to, Index number, Count value) const {
    Puts::signal(pe[to].signal + number, value, pe[to].number);
  }
  TRISWEEP_DEVICE bool has_come(Index number, Count value) const {
    return Puts::has_come(mine().signal + number, value);
  }
  TRISWEEP_DEVICE bool has_message(Index number, Count value) const { return has_come(number, value); }
  TRISWEEP_DEVICE bool failed() const { return load_relaxed<Scope::system>(&mine().control->failed) != 0; }
  TRISWEEP_DEVICE void fail() const {
    for (Index p = 0; p < count; ++p) Puts::signal(&pe[p].control->failed, 1, pe[p].number);
  }
};

// The same if another kernel takes the messages (TakeMessages), and records in this device's own memory which
// have arrived.
template <class Peers>
struct TakenMessages : Peers {
  Count* taken;  // by signal

  TRISWEEP_DEVICE bool has_message(Index number, Count value) const {
    return has_reached<Scope::device>(&taken[number], value);
  }
};

}  // namespace trisweep::device
