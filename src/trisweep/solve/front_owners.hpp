#pragma once
// Which rank eliminates which front.

#include <span>
#include <vector>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::solve {

// Whose each supernode's panels, and the fronts of these, are. Subtrees go to ranks in proportion to their
// entries, whole ones to one rank, and each front above them to one of the ranks below it. It takes the
// elimination tree alone: any order does. The same on all ranks.
struct FrontOwners {
  std::vector<Index> of_supernode;
  std::vector<Index> of_front;

  FrontOwners() = default;
  FrontOwners(const symbolic::Structure& structure, Index ranks);
};
// Whether each is that rank's.
std::vector<char> are_of(std::span<const Index> owner, Index rank);

}  // namespace trisweep::solve
