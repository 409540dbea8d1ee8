#pragma once
// Elimination trees: which column depends on which when a symmetric pattern is eliminated in its own order.
//
// Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1990). A
// forest is given by its parent array: parent[v] > v, or -1 at a root.

#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::symbolic {

// The elimination tree of `pattern` (symmetric). Cost: nearly linear in the nonzeros.
std::vector<Index> elimination_tree(const matrix::Pattern& pattern);

// The vertices, children before parents and every subtree contiguous; siblings ascend.
std::vector<Index> postorder(const std::vector<Index>& parent);

// Number of nonzeros of each column of L, the diagonal included, without forming L: Gilbert, Ng & Peyton, "An
// efficient algorithm to compute row and column counts for sparse Cholesky factorization", SIAM J. Matrix
// Anal. Appl. 15 (1994). Cost: nearly linear in the nonzeros of `pattern`. `post`: the postorder of `parent`.
std::vector<Index> column_counts(const matrix::Pattern& pattern, const std::vector<Index>& parent,
                                 const std::vector<Index>& post);

// Renumbers vertices so that those of range 0 come first, then those of range 1, ..., and each range is in
// the postorder `post`; children keep preceding parents when range_of never decreases from child to parent.
// Returns the new number of each vertex.
std::vector<Index> numbered_by_range(const std::vector<Index>& post, const std::vector<Index>& range_of,
                                     Index ranges);

}  // namespace trisweep::symbolic
