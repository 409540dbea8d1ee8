#pragma once
// Supernodal structures for tests of what is built on them.

#include "support/random_matrix.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::testing_support {

inline std::shared_ptr<const symbolic::Structure> structure_of(const matrix::Csr<double>& a,
                                                               const ordering::OrderingOptions& ordering,
                                                               const symbolic::SymbolicOptions& options) {
  const auto order = ordering::order(a, false, ordering);
  const auto pattern = matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  return symbolic::analyze(pattern, order.tree, options).structure;
}

// Of a random matrix with nested dissection of `levels` levels and supernodes of at most four columns; the
// separators of the upper `whole_levels` are one supernode each.
inline symbolic::Structure random_structure(Index n, int levels, std::uint64_t seed = 1, int whole_levels = 0,
                                            Index per_row = 2) {
  const auto a = random_matrix<double>({.n = n, .per_row = per_row, .seed = seed});
  return *structure_of(a, {.tree_levels = levels}, {.max_width = 4, .whole_levels = whole_levels});
}

}  // namespace trisweep::testing_support
