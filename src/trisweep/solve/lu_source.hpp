#pragma once
// Factors L U of another library, with its permutations and scaling, distributed over ranks in any way. Each
// rank sends its entries to the ranks that own them in our distribution; no rank gathers all of them.
//
//   trisweep::Solver<double> solver(comm, rows, options, {.in_full = trisweep::lu_source(factors)});

#include <functional>
#include <memory>
#include <vector>

#include "trisweep/solve/explicit_factors.hpp"
#include "trisweep/solve/factor_source.hpp"

namespace trisweep::solve {

// The consecutive columns [begin, end).
struct LuColumns {
  Index begin;  // first column
  Index end;    // one past the last column
  // True if column j is one of them.
  bool contains(Index j) const { return begin <= j && j < end; }
};

// Pr Dr A Dc Pc = L U, L unit lower and U upper triangular, as ExplicitFactors has it.
template <Scalar T>
struct LuParts {
  // Callback for an entry of L or U.
  using Visit = std::function<void(Index row, Index col, const T& value)>;

  // On rank 0; elsewhere ignored.
  std::vector<Index> row_new;     // row i of A is row row_new[i] of L U
  std::vector<Index> col_new;     // the same of columns
  std::vector<double> row_scale;  // the diagonal of Dr; empty: ones
  std::vector<double> col_scale;  // the diagonal of Dc; empty: ones
  // First column of each supernode: all columns of a supernode have the pattern of its first column. The same
  // on rank 0 and on all ranks with entries; empty: every column has its own pattern.
  std::vector<Index> first{};
  // Stored zeros belong to the pattern, too: they may be nonzero in other values of the matrix.
  bool keep_zeros = false;
  // Visits this rank's entries of L and U by row and column of L U, without L's diagonal; each entry is on
  // one rank. Only entries with min(row, column) in `columns` are needed. The entries must stay valid until
  // the solver is constructed.
  std::function<void(const Visit&, LuColumns columns)> for_each_entry;
};

// Returns the factors with these `parts`. Supernodes, with some explicit zeros, follow from the pattern. The
// source throws on every rank Error(input) when entries, permutations or scales are invalid or not finite,
// and Error(numerical) when U has a zero on its diagonal. Cost: the pattern (by supernode, if `first` is
// given) is gathered on rank 0, and entries are sent once to each rank that needs them (16 bytes each in
// double), in at most eight sparse exchanges.
template <Scalar T>
std::shared_ptr<FactorSource<T>> lu_source(LuParts<T> parts);

// The same for `factors` on rank 0 (others: empty), such as SuperLU's. L's diagonal may be left out.
template <Scalar T>
std::shared_ptr<FactorSource<T>> lu_source(ExplicitFactors<T> factors);

}  // namespace trisweep::solve

namespace trisweep {

using solve::FactorSources;
using solve::lu_source;

}  // namespace trisweep
