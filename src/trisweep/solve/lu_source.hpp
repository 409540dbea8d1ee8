#pragma once
// Factors L U of another library, with its permutations and scaling, on any ranks. Whatever a rank has of
// them goes to the ranks that own it in a distribution; no rank has all.
//
//   trisweep::Solver<double> solver(comm, rows, options, {.in_full = trisweep::lu_source(factors)});

#include <functional>
#include <memory>
#include <vector>

#include "trisweep/solve/explicit_factors.hpp"
#include "trisweep/solve/factor_source.hpp"

namespace trisweep::solve {

// Consecutive ones.
struct LuColumns {
  Index begin;  // the first
  Index end;    // behind the last
  // Whether column j is one of them.
  bool contains(Index j) const { return begin <= j && j < end; }
};

// Pr Dr A Dc Pc = L U, L unit lower and U upper triangular, as ExplicitFactors has it.
template <Scalar T>
struct LuParts {
  // What takes an entry of L U.
  using Visit = std::function<void(Index row, Index col, const T& value)>;

  // On rank 0; elsewhere ignored.
  std::vector<Index> row_new;     // row i of A is row row_new[i] of L U
  std::vector<Index> col_new;     // the same of columns
  std::vector<double> row_scale;  // the diagonal of Dr; empty: ones
  std::vector<double> col_scale;  // the diagonal of Dc; empty: ones
  // First columns of runs of columns whose entries are those of the first of them: what supernodes there are.
  // The same on all ranks with entries, and on rank 0; empty: every column has entries of its own.
  std::vector<Index> first{};
  // Zeros have places among the entries, too: other values of the pattern may be other than zero there.
  bool keep_zeros = false;
  // Visits the entries of L and U that this rank has, each of them on one rank, by row and column in L U;
  // without L's diagonal. Only those whose row or column, the first of them, is in `columns` are wanted. They
  // must stay until the solver is made.
  std::function<void(const Visit&, LuColumns columns)> for_each_entry;
};

// The factors with these `parts`. Supernodes, with some zeros among their entries, follow from the pattern.
// Its functions throw on every rank Error(input) when entries or permutations are not such, or not finite,
// and Error(numerical) when U has a zero on its diagonal. Cost: the pattern (by supernodes, where `first` has
// them) to rank 0, and the entries once to each rank that needs them, 16 bytes each, by at most eight sparse
// exchanges.
template <Scalar T>
std::shared_ptr<FactorSource<T>> lu_source(LuParts<T> parts);

// The same of `factors` that rank 0 has (others: empty), such as SuperLU's. L's diagonal may be left out.
template <Scalar T>
std::shared_ptr<FactorSource<T>> lu_source(ExplicitFactors<T> factors);

}  // namespace trisweep::solve

namespace trisweep {

using solve::FactorSources;
using solve::lu_source;

}  // namespace trisweep
