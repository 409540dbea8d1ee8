#pragma once
// Puts what came out of redone fronts into the factors.

#include <span>
#include <vector>

#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/redone_front.hpp"

namespace trisweep::numeric {

// What came out in another shape than was planned.
template <Scalar T>
struct RedoneFronts {
  std::vector<Index> front;
  std::vector<Piece<T>> piece;  // of all of them, those of one supernode in order
};

// All of them but the values, for other processes.
template <Scalar T>
std::vector<Index> shapes_of(const RedoneFronts<T>& redone);
// Adds what shapes_of() says of another process's.
template <Scalar T>
void add_shapes(std::span<const Index> shapes, RedoneFronts<T>& redone);

// How many columns a front may delay, which makes the fronts above larger, so that memory and work stay
// bounded.
class DelayLimits {
 public:
  // `panel_entries`: of one factor, as planned.
  DelayLimits(const FrontTree& tree, Offset panel_entries);

  // `entries`: of all pieces in the subtree of front f so far. The same on any number of threads.
  Index most_delayed(const FrontTree& tree, Index f, Offset entries) const;

 private:
  Index most_rows_;      // of a contribution block
  Offset most_entries_;  // of all pieces in a subtree that delays columns
};

// Puts the pieces in the place of the panels of those fronts, which are undefined in `factors`. If there are
// any the factors get a structure of their own, and say how rows and columns are numbered in it. Pieces of
// other processes have no values, and no place in these factors.
template <Scalar T>
void insert_redone(RedoneFronts<T> redone, const FrontTree& tree, Factors<T>& factors);

}  // namespace trisweep::numeric
