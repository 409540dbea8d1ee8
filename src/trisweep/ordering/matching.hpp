#pragma once
// Large entries to the diagonal: the row permutation that maximises the product of the diagonal's magnitudes,
// and the scaling by which the diagonal's entries become 1 and no other entry exceeds 1.
//
// Duff & Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix", SIAM J.
// Matrix Anal. Appl. 22 (2001), section 4: a bipartite matching of least total cost c(i,j) = log max_k
// |a(i,k)| - log |a(i,j)|, found by shortest augmenting paths (what HSL calls MC64, job 5), where these
// are long from the prices of an auction. Cost: O(nonzeros) where greedy choices suffice, which is usual;
// about O(nonzeros log^2 n) where many paths are long, as in chains; O(n nonzeros log n) at worst.
// Sequential, deterministic, no shared state.

#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/row_numbers.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/ordering/costs.hpp"
#include "trisweep/ordering/log_balance.hpp"
#include "trisweep/ordering/scaling.hpp"

namespace trisweep::ordering {

struct Matching {
  std::vector<Index> col_of_row;  // row i's diagonal entry is a(i, col_of_row[i]), not an explicit zero
  Scaling scaling;                // powers of two: matched entries come to [0.5, 2], others to at most 2
};

struct MatchingOptions {
  bool balanced = false;  // match in balanced units, even if the given ones suit the matrix
  RowNumbers numbers{};   // of rows and columns, for messages
};

// Throws Error(numerical), which names the structural rank and a row, if no row permutation gives a diagonal
// without zeros.
template <Scalar T>
Matching match_large_entries(const matrix::Csr<T>& a, Observer& observer,
                             const MatchingOptions& options = {});

// Costs of the candidates in some rows of a matrix, those from `first` on: by how many bits they fall short
// of 1 in these units.
template <Scalar T>
Costs costs_of_rows(const matrix::Csr<T>& rows, Index first, const Exponents& units);

// The scaling to matched entries of 1 that follows from the dual variables of costs in these units.
template <Scalar T>
Scaling scaling_by(Exponents units, const Exponents& dual);

}  // namespace trisweep::ordering
