#pragma once
// Pruned plans: sweeps that apply only the panels that sparse right-hand sides reach and those that the
// entries asked for depend on.
//
// Forward, L^-1 b is zero outside of what the nonzeros of b reach in the graph of L (Gilbert and Peierls
// 1988): from a supernode the supernodes of its panel's rows, which are its ancestors in the elimination
// tree. Backward, an entry of x depends on the same set. So a pruned plan has the same phases, each for a set
// of supernodes that is closed in this sense; code that runs or prices plans treats it like any other.

#include <memory>
#include <vector>

#include "trisweep/plan/plan.hpp"

namespace trisweep::plan {

// Some supernodes, or all of them. Cheap to copy.
class SupernodeSet {
 public:
  SupernodeSet() = default;  // all
  explicit SupernodeSet(std::vector<char> members)
      : members_(std::make_shared<const std::vector<char>>(std::move(members))) {}

  bool is_all() const { return !members_; }
  bool contains(Index k) const { return !members_ || (*members_)[usize(k)] != 0; }
  bool operator==(const SupernodeSet& other) const {
    if (members_ == other.members_) return true;
    return members_ && other.members_ && *members_ == *other.members_;
  }
  friend SupernodeSet intersection(const SupernodeSet& a, const SupernodeSet& b);
  friend SupernodeSet union_of(const SupernodeSet& a, const SupernodeSet& b);

 private:
  std::shared_ptr<const std::vector<char>> members_;  // by supernode; null: all
};

// The supernodes to which the sweeps of a plan are restricted.
struct Pruning {
  SupernodeSet forward;   // outside of it b is zero
  SupernodeSet backward;  // x is wanted here; elsewhere it is not written
  bool operator==(const Pruning&) const = default;
};

// The smallest set that contains `members` and, with each supernode, those of its panel's rows and its group
// of tiles.
SupernodeSet reach(const symbolic::Structure& structure, std::vector<char> members);

// The entries of panels that a rank reads in a solve.
Offset panel_entries(const Plan& plan);

}  // namespace trisweep::plan
