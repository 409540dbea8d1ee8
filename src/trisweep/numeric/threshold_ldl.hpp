#pragma once
// Elimination of a dense symmetric or Hermitian front with pivots of order 1 and 2 among its fully summed
// rows, each bounded by a threshold: Duff and Reid (The multifrontal solution of indefinite sparse symmetric
// linear equations, 1983), section 3. Rows without a good pivot are left to the caller, which delays them to
// another front.

#include <vector>

#include "trisweep/numeric/block_pivots.hpp"
#include "trisweep/numeric/pivot_summary.hpp"
#include "trisweep/numeric/threshold_lu.hpp"

namespace trisweep::numeric {

// Computes F = L B L^T or L B L^H, L unit lower, in place of F's lower triangle, for the leading rows and
// columns in which pivots are found. Rows and columns move together. The interface is that of ThresholdLu.
template <Scalar T>
class ThresholdLdl : public ThresholdPasses<ThresholdLdl<T>> {
 public:
  ThresholdLdl(NamedMatrix<T>& matrix, Kind kind, const PivotRules<RealOf<T>>& rules)
      : ThresholdPasses<ThresholdLdl>(matrix.value.cols),
        m_(matrix),
        f_(matrix.value),
        kind_(kind),
        op_(upper_of_lower(kind)),
        rules_(rules),
        below_(usize(f_.cols)) {}

  Index perturbed_pivots() const { return perturbed_; }
  const PivotSummary& pivots() const { return summary_; }
  // True if rows k - 1 and k form a pivot of order 2.
  bool divides_pair(Index k) const { return below_[usize(k) - 1] != T(0); }
  BlockPivots<T> factors() const { return {f_, below_, op_}; }

 private:
  friend class ThresholdPasses<ThresholdLdl>;
  using ThresholdPasses<ThresholdLdl>::done_;
  void factor_panel(Index last, Index);
  int find_pivot(Index untried);
  bool is_good_pair(Index r) const;
  RealOf<T> largest_beside(Index j, Index other) const;
  void replace_null(Index end);
  void force(Index end, Index most_left, RealOf<T> bound);
  int bring_largest(Index end, RealOf<T> bound);
  bool replace_small(RealOf<T> bound);
  void swap_columns(Index a, Index b);
  void eliminate_pivot(int order, Index end);
  void update(Index first, Index begin, Index end);

  NamedMatrix<T>& m_;
  View<T> f_;
  Kind kind_;
  Op op_;
  PivotRules<RealOf<T>> rules_;
  std::vector<T> below_;
  std::vector<T> product_;  // rows of L B
  PivotSummary summary_;
  Index perturbed_ = 0;
};

}  // namespace trisweep::numeric
