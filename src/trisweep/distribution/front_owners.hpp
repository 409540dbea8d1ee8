#pragma once
// Which rank eliminates which front.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/numeric/arrowheads.hpp"

namespace trisweep::distribution {

// Of what one rank adds to another's part of a front so many in a message.
constexpr Offset entries_at_once = 16384;

// Of a front's children, as they come, those that follow each other and whose contributions, of so many rows,
// go to it together: a small one takes no message of its own.
std::vector<std::span<const Index>> groups(std::span<const Index> children, std::span<const Index> height);

// A front that several ranks eliminate together.
struct SharedFront {
  numeric::Arrowheads arrowheads;  // of all of its rows
  std::vector<Index>
      supernode;  // of the first arrowheads, those that are eliminated: whose columns they have

  Index eliminated() const { return static_cast<Index>(supernode.size()); }
  // What it hands to its parent.
  numeric::Arrowheads contribution() const { return arrowheads.from(eliminated()); }
};

// Whose each supernode's panels, and the fronts of these, are. Subtrees go to ranks in proportion to their
// entries, whole ones to one rank. Each front above them is shared by the ranks below it where it is large
// enough, and else one of these ranks'. It takes the elimination tree alone: any order does. The same on all
// ranks.
struct FrontOwners {
  std::vector<Index> of_supernode;  // who keeps its panels
  std::vector<Index> of_front;      // -1: shared
  std::vector<Index> of_column;     // who assembles entries of A of which it is the lesser of row and column
  std::map<Index, SharedFront> shared;  // by front
  // The fronts as all ranks come to them, the deepest first. (In a postorder a rank with parts of two
  // subtrees would keep the second one waiting until the first is done, and so on from subtree to subtree.)
  std::vector<Index> order;

  FrontOwners() = default;
  // `kind`: of the factorization, where fronts are shared; nothing: none is.
  FrontOwners(const symbolic::Structure& structure, Index ranks,
              std::optional<numeric::Kind> kind = std::nullopt);

  // Whether that rank may have a part in the assembly of each front.
  std::vector<char> assembled_by(Index rank) const;

  // The contribution block of front f, of so many rows.
  numeric::Arrowheads contribution(Index f, Index height) const;
};
// Whether each is that rank's.
std::vector<char> are_of(std::span<const Index> owner, Index rank);

}  // namespace trisweep::distribution
