#pragma once
// Elimination of a dense front whose pivots have to be searched for: threshold partial pivoting among its
// fully summed rows and columns, as in Duff and Reid (The multifrontal solution of unsymmetric sets of linear
// equations, 1984). What no good pivot is found for is left to the caller, who delays it to another front.

#include <vector>

#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/pivot_summary.hpp"
#include "trisweep/numeric/threshold_passes.hpp"

namespace trisweep::numeric {

// When a pivot is good enough.
template <class Real>
struct PivotRules {
  Real relative;     // of the largest entry in its column, which bounds growth; 0: pivots are never delayed
  Real smallest;     // no pivot is smaller by modulus, unless it has to be taken: then it is replaced
  Real replacement;  // by this; also below this, where `relative` is 0 or delaying has come to an end
  Real growth = 0;   // times its largest entry is what entries of a front may grow to; 0: to anything
};

// A square matrix with names for its rows and columns, which move with them.
template <Scalar T>
struct NamedMatrix {
  View<T> value;
  std::vector<Index> row;
  std::vector<Index> col;
};

// F = L U in place, as far as pivots are found, in the first rows and columns; L unit lower. All rows of F
// take part in exchanges and updates; columns from a call's `end` on are updated when it is over.
template <Scalar T>
class ThresholdLu : public ThresholdPasses<ThresholdLu<T>> {
 public:
  ThresholdLu(NamedMatrix<T>& matrix, const PivotRules<RealOf<T>>& rules)
      : ThresholdPasses<ThresholdLu>(matrix.value.cols), m_(matrix), f_(matrix.value), rules_(rules) {}

  // Complete pivoting among rows and columns before `end`, whose growth is polynomial (Wilkinson 1961), until
  // the largest entry that is left is no good pivot.
  void eliminate_by_largest(Index end);

  Index perturbed_pivots() const { return perturbed_; }
  // As ThresholdLdl has them.
  static PivotSummary pivots() { return {}; }
  static bool divides_pair(Index) { return false; }

 private:
  friend class ThresholdPasses<ThresholdLu>;
  using ThresholdPasses<ThresholdLu>::done_;
  void factor_panel(Index last, Index end);
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
