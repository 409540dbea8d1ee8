#pragma once
// Pairs of rows that make good pivots of order 2 in a symmetric matrix, from a matching of large entries:
// Duff and Pralet (Strategies for scaling and pivoting for sparse symmetric indefinite problems, 2005),
// section 3.

#include <span>
#include <vector>

#include "trisweep/ordering/matching.hpp"

namespace trisweep::ordering {

// Magnitudes of the diagonal entries in some rows of a matrix, those from `first` on, times their scales.
template <Scalar T>
std::vector<double> scaled_diagonal(const matrix::Csr<T>& rows, const Scaling& scaling, Index first = 0);

// The partner of each row, or itself. A cycle of the matching is divided into pairs that it matches; in one
// of odd length, the row of the largest scaled diagonal entry remains single.
std::vector<Index> pairs_of(std::span<const double> scaled_diagonal, std::span<const Index> col_of_row);

// The same without the pairs of which a row has a large scaled diagonal entry: that row is a good pivot
// alone, and fills the other's diagonal once it is eliminated.
std::vector<Index> without_good_pivots(std::span<const double> scaled_diagonal, std::vector<Index> partner);

// Powers of two, the same for row and column, that make matched entries about 1 and none much larger: the
// geometric means of the matching's factors.
Scaling symmetric_scaling(const Scaling& scaling);

// The pattern in which the two rows of a pair are united, and so are its columns. `pattern` is symmetric.
matrix::Pattern with_pairs_united(const matrix::Pattern& pattern, const std::vector<Index>& partner);

}  // namespace trisweep::ordering
