#pragma once
// Elimination of a dense front with threshold partial pivoting among its fully summed rows and columns, as in
// Duff and Reid (The multifrontal solution of unsymmetric sets of linear equations, 1984). Columns without a
// good pivot are left to the caller, which delays them to another front; null columns and rows are not.

#include <vector>

#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/pivot_summary.hpp"
#include "trisweep/numeric/threshold_passes.hpp"

namespace trisweep::numeric {

// Criteria for accepting a pivot.
template <class Real>
struct PivotRules {
  Real relative;     // least share of its column's largest entry, bounds growth; 0: pivots are never delayed
  Real smallest;     // least modulus; a smaller pivot that has to be taken is replaced
  Real replacement;  // by this; also if below this, where `relative` is 0 or no more may be delayed
  Real growth = 0;   // most growth of a front's entries, relative to its largest one; 0: unlimited
};

// A square matrix with indices that name its rows and columns and move with them.
template <Scalar T>
struct NamedMatrix {
  View<T> value;
  std::vector<Index> row;
  std::vector<Index> col;
};

// Computes F = L U, L unit lower, in place, for the leading rows and columns in which pivots are found. All
// rows of F take part in exchanges and updates; columns from a call's `end` on are updated at its end.
template <Scalar T>
class ThresholdLu : public ThresholdPasses<ThresholdLu<T>> {
 public:
  ThresholdLu(NamedMatrix<T>& matrix, const PivotRules<RealOf<T>>& rules)
      : ThresholdPasses<ThresholdLu>(matrix.value.cols), m_(matrix), f_(matrix.value), rules_(rules) {}

  // Complete pivoting, whose growth is far below exponential (Wilkinson 1961), among rows and columns before
  // `end`, until the largest remaining entry is not a good pivot.
  void eliminate_by_largest(Index end);

  Index perturbed_pivots() const { return perturbed_; }
  // The same interface as ThresholdLdl.
  static PivotSummary pivots() { return {}; }
  static bool divides_pair(Index) { return false; }

 private:
  friend class ThresholdPasses<ThresholdLu>;
  using ThresholdPasses<ThresholdLu>::done_;
  void factor_panel(Index last, Index end);
  void replace_null(Index end);
  void force(Index end, Index most_left, RealOf<T> bound);
  void bring_largest(Index end);
  Index row_of_pivot(Index end) const;
  void swap_rows(Index a, Index b);
  void swap_columns(Index a, Index b);
  void eliminate_column(Index end);
  void update(Index first, Index begin, Index end);

  NamedMatrix<T>& m_;
  View<T> f_;
  PivotRules<RealOf<T>> rules_;
  Index perturbed_ = 0;
};

}  // namespace trisweep::numeric
