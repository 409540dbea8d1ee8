#pragma once
// How several PEs (GPUs, or virtual ones) share a triangular solve: which PE has which components, and how
// contributions cross from one PE to another. The designs of the multi-GPU zero-copy paper and ours are
// combinations of the two.

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::studies {

// Components are cut into pes * tasks tasks of consecutive ones, of about as many each.
struct PeLayout {
  int pes = 1;
  int tasks = 8;  // of each PE

  Index all_tasks() const { return static_cast<Index>(pes) * tasks; }
  Index task_of(Index row, Index rows) const {
    return static_cast<Index>(Offset{row} * all_tasks() / std::max(rows, 1));
  }
};

// By task: its PE.
using PlacementFunction = std::vector<Index>(const matrix::Pattern& below, const PeLayout& layout);

// Tasks of each PE follow one another: the later PEs wait for the earlier ones.
PlacementFunction contiguous;
// Tasks are dealt out in turn: the task pool of the paper, section V.
PlacementFunction round_robin;
// In their order, each task goes to the PE that ends it the soonest (HEFT: Topcuoglu, Hariri, Wu 2002), where
// it waits for what other PEs have to send.
PlacementFunction earliest_finish;

// How a PE's contributions reach the PE whose component they are for.
enum class Exchange {
  unified,         // atomics on managed memory, whose pages migrate to the PE that touches them (Algorithm 2)
  get_update_put,  // the owner's sum is fetched, added to and put back, by one PE at a time (section IV-B)
  read_only,       // each PE adds up in its own memory; the owner reads the sums of all PEs (Algorithm 3)
  push,            // each PE adds up, and puts the sum with a signal when it is complete: once
};

struct NamedDesign {
  std::string_view name;
  std::string_view description;
  std::vector<PlacementFunction*> places;  // several: the one that the model finds the fastest
  Exchange exchange;
  bool has_tasks;  // else one task a PE
};
std::span<const NamedDesign> designs();
// Throws Error(usage), listing the names.
const NamedDesign& find_design(std::string_view name);

}  // namespace trisweep::studies
