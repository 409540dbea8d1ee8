#pragma once
// Which rank eliminates which front.

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/numeric/arrowheads.hpp"

namespace trisweep::distribution {

// Entries per message that one rank adds to another's part of a front.
constexpr Offset entries_at_once = 16384;

// Groups of consecutive children of a front whose contributions are sent together, so that a small one takes
// no message of its own. `height`: by front, the rows of its contribution.
std::vector<std::span<const Index>> groups(std::span<const Index> children, std::span<const Index> height);

// A front that several ranks eliminate together.
struct SharedFront {
  numeric::Arrowheads arrowheads;  // of all of its rows
  std::vector<Index> supernode;    // by arrowhead that is eliminated: the supernode of its columns

  Index eliminated() const { return static_cast<Index>(supernode.size()); }
  // The contribution block for its parent.
  numeric::Arrowheads contribution() const { return arrowheads.from(eliminated()); }
};

// The owners of panels and fronts. Subtrees are mapped to ranks in proportion to their entries, down to whole
// subtrees on single ranks. A front above these is shared by the ranks below it if it is large enough, and
// otherwise belongs to one of them. Only the elimination tree is needed, so any order will do. The result is
// the same on all ranks.
struct FrontOwners {
  std::vector<Index> of_supernode;      // rank that keeps its panels
  std::vector<Index> of_front;          // rank, or -1: shared
  std::vector<Index> of_column;         // rank that assembles the entries of A whose smaller index it is
  std::map<Index, SharedFront> shared;  // by front
  // The order in which all ranks process fronts, the deepest first. (In a postorder a rank with parts of two
  // subtrees would keep the second one waiting until the first is done, and so on from subtree to subtree.)
  std::vector<Index> order;

  FrontOwners() = default;
  // `kind`: of the factorization, if fronts may be shared; nullopt: none is.
  FrontOwners(const symbolic::Structure& structure, Index ranks,
              std::optional<numeric::Kind> kind = std::nullopt);

  // By front: whether `rank` may take part in its assembly.
  std::vector<char> assembled_by(Index rank) const;

  // The contribution block of front f, which has `height` rows.
  numeric::Arrowheads contribution(Index f, Index height) const;
};
// By entry of `owner`: whether it is `rank`.
std::vector<char> are_of(std::span<const Index> owner, Index rank);

}  // namespace trisweep::distribution
