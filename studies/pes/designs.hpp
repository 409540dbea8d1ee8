#pragma once
// How several PEs (GPUs, or virtual PEs) share a triangular solve: which PE has which components, and how
// contributions get from one PE to another. The designs of the multi-GPU zero-copy paper and ours are
// combinations of the two choices.

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::studies {

// Components are divided into pes * tasks tasks of consecutive components, about the same number in each.
struct PeLayout {
  int pes = 1;
  int tasks = 8;  // per PE

  Index all_tasks() const { return static_cast<Index>(pes) * tasks; }
  Index task_of(Index row, Index rows) const {
    return static_cast<Index>(Offset{row} * all_tasks() / std::max(rows, 1));
  }
};

// Returns the PE of each task.
using PlacementFunction = std::vector<Index>(const matrix::Pattern& below, const PeLayout& layout);

// Each PE has consecutive tasks: later PEs wait for earlier ones.
PlacementFunction contiguous;
// Tasks are assigned to PEs in turn: the task pool of the paper, section V.
PlacementFunction round_robin;
// Each task in order is assigned to the PE that finishes it first (HEFT: Topcuoglu, Hariri, Wu 2002),
// including the wait for contributions of other PEs.
PlacementFunction earliest_finish;

// How a PE's contributions reach the PE whose component they are for.
enum class Exchange {
  unified,         // atomics on managed memory, whose pages migrate to the PE that touches them (Algorithm 2)
  get_update_put,  // one PE at a time gets the owner's sum, adds to it and puts it back (section IV-B)
  read_only,       // each PE sums in its own memory; the owner reads the sums of all PEs (Algorithm 3)
  push,            // each PE sums, and puts the complete sum with a signal, once
};

struct NamedDesign {
  std::string_view name;
  std::string_view description;
  std::vector<PlacementFunction*> places;  // if several: the fastest one by the model is used
  Exchange exchange;
  bool has_tasks;  // false: one task per PE
};
std::span<const NamedDesign> designs();
// Throws Error(usage), which lists the names, for an unknown one.
const NamedDesign& find_design(std::string_view name);

}  // namespace trisweep::studies
