#pragma once
// The exchanges of designs.hpp as data in a symmetric heap: one object that all PEs use at the same time.

#include <memory>
#include <vector>

#include "trisweep/component/designs.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::component {

// What a PE has done so far.
struct PeCounts {
  Offset rows = 0;
  Offset entries = 0;     // contributions that it made
  Offset polls = 0;       // looks at whether a component has all that it needs
  Offset reads = 0;       // of another PE's memory
  Offset writes = 0;      // to another PE's memory, which nobody waits for
  Offset ordered = 0;     // reads and writes that nobody else may make at the same time
  Offset bytes = 0;       // that it moved between memories
  Offset migrations = 0;  // pages that it took from another PE or the host

  PeCounts& operator+=(const PeCounts& other);
};

// By component, what comes from other PEs: contributions[p] of PE p.
struct Crossings {
  std::vector<Index> owner;                       // by component
  std::vector<std::vector<Index>> contributions;  // by PE and component; zero for its own
};

// A component's sum is read once, by its owner, when complete() has said so.
template <Scalar T>
class Exchanger {
 public:
  virtual ~Exchanger() = default;
  // PE `pe` adds to a component of another PE.
  virtual void contribute(Index pe, Index component, T value, PeCounts& counts) = 0;
  // Whether all contributions of other PEs are there; asked by the owner.
  virtual bool complete(Index component, PeCounts& counts) = 0;
  virtual T sum(Index component, PeCounts& counts) = 0;
};

template <Scalar T>
std::unique_ptr<Exchanger<T>> make_exchanger(Exchange exchange, const Crossings& crossings);

}  // namespace trisweep::component
