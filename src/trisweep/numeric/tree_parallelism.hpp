#pragma once
// Tree parallelism: the forest of fronts cut into units of work, run by a few threads, children before
// parents.

#include <functional>
#include <span>
#include <vector>

#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::numeric {

// Fronts [first, last] in order: a whole subtree, or small ones that follow each other and have the same
// parent, or none; or above the cut a front whose children are of other units, with those on its way to a
// root that have only it and small subtrees below.
struct Unit {
  Index first = 0;
  Index last = 0;
  Index parent = -1;    // unit
  Index children = 0;   // units that must be done before
  double work = 0;      // flops
  Offset stack = 0;     // entries of contribution blocks that stay within the unit
  Offset outgoing = 0;  // of those that other units take
  double urgency = 0;   // flops on the way to the root, this unit included
};

// By front, whether its whole subtree is of `own` fronts (empty: all are).
std::vector<char> whole_subtrees(const FrontTree& tree, std::span<const char> own);

// `flops`: of each front. One thread gets one unit. The units are of the subtrees that
// are whole, as above.
std::vector<Unit> cut_into_units(const FrontTree& tree, const std::vector<double>& flops, int threads,
                                 std::span<const char> own = {});

// Calls work(thread, unit) for every unit, children before parents, on `threads` threads, the caller's among
// them, which calls while_waiting() some times a second where it has nothing to do. Stops early when a call
// returns false; an exception of either is rethrown to the caller after all threads stopped. Returns whether
// every call returned true.
bool run_units(const std::vector<Unit>& units, int threads, const std::function<bool(int, const Unit&)>& work,
               const std::function<void()>& while_waiting);

}  // namespace trisweep::numeric
