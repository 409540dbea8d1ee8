#pragma once
// Tree parallelism: the forest of fronts cut into units of work, run by a few threads, children before
// parents.

#include <functional>
#include <span>
#include <vector>

#include "trisweep/numeric/front_tree.hpp"

namespace trisweep::numeric {

// Fronts [first, last] in order: a whole subtree; or several small subtrees, consecutive and of the same
// parent, or of none; or, above the cut, a path: a front whose children are in other units, and its ancestors
// as long as they have only the path and small subtrees below.
struct Unit {
  Index first = 0;
  Index last = 0;
  Index parent = -1;    // index of the parent unit
  Index children = 0;   // number of units that must be done before
  double work = 0;      // flops
  Offset stack = 0;     // entries of contribution blocks that stay within the unit
  Offset outgoing = 0;  // entries of contribution blocks passed to other units
  double urgency = 0;   // flops on the path to the root, this unit included
};

// By front: whether all fronts of its subtree are `own` (empty: all are).
std::vector<char> whole_subtrees(const FrontTree& tree, std::span<const char> own);

// `flops`: by front. For one thread, there is one unit if all fronts are own. Units cover only the subtrees
// that are whole, as above.
std::vector<Unit> cut_into_units(const FrontTree& tree, const std::vector<double>& flops, int threads,
                                 std::span<const char> own = {});

// Calls work(thread, unit) for every unit, children before parents, on `threads` threads including the
// caller's, which calls while_waiting() several times a second when idle. Stops early when work() returns
// false; an exception of work() or while_waiting() is rethrown to the caller after all threads have stopped.
// Returns true if every work() returned true.
bool run_units(const std::vector<Unit>& units, int threads, const std::function<bool(int, const Unit&)>& work,
               const std::function<void()>& while_waiting);

}  // namespace trisweep::numeric
