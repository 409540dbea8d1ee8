#pragma once
// Inserts the results of redone fronts into the factors.

#include <span>
#include <vector>

#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/redone_front.hpp"

namespace trisweep::numeric {

// Fronts whose result has another shape than planned.
template <Scalar T>
struct RedoneFronts {
  std::vector<Index> front;
  std::vector<Piece<T>> piece;  // of all these fronts; those of one supernode in order
};

// The fronts and the shapes of their pieces, without values, as one list for other processes.
template <Scalar T>
std::vector<Index> shapes_of(const RedoneFronts<T>& redone);
// Adds the redone fronts of another process, given by its shapes_of().
template <Scalar T>
void add_shapes(std::span<const Index> shapes, RedoneFronts<T>& redone);

// Limits the number of columns that a front may delay: delayed columns enlarge the fronts above, and memory
// and work must stay bounded.
class DelayLimits {
 public:
  // `panel_entries`: of one factor, as planned.
  DelayLimits(const FrontTree& tree, Offset panel_entries);

  // `entries`: of all pieces in the subtree of front f so far. The result does not depend on the number of
  // threads.
  Index most_delayed(const FrontTree& tree, Index f, Offset entries) const;

 private:
  Index most_rows_;      // of a contribution block
  Offset most_entries_;  // of all pieces in a subtree that delays columns
};

// Replaces the panels of the redone fronts, which are undefined in `factors`, by the pieces. If there are
// any, the factors get a new structure, and row_new and col_new give the numbering in it. Pieces of other
// processes have no values, and no entries in these factors.
template <Scalar T>
void insert_redone(RedoneFronts<T> redone, const FrontTree& tree, Factors<T>& factors);

}  // namespace trisweep::numeric
