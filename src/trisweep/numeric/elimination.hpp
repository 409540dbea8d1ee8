#pragma once
// Eliminates the columns of an assembled front and brings its panels into the form of Factors.

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/numeric/front.hpp"
#include "trisweep/numeric/threshold_ldl.hpp"

namespace trisweep::numeric {

// Means of elimination besides the front; one per thread. `width`: of the widest supernode.
template <Scalar T>
struct EliminationScratch {
  EliminationScratch(Index width, std::function<void(double)> did_some)
      : pivots(usize(width)), block(usize(width) * usize(width)), did(std::move(did_some)) {}

  // Memory for a panel like `side`.
  View<T> panel_like(const View<T>& side) {
    panel.resize(std::max(panel.size(), usize(side.rows) * usize(side.cols)));
    return {panel.data(), side.rows, side.cols, side.rows};
  }

  std::vector<Index> pivots;
  std::vector<T> block;
  std::vector<T> panel;
  NamedMatrix<T> named;
  std::function<void(double)> did;  // called with the flops of each product, as it is done
};

// P F11 = L11 U11 within each supernode, then with D = P^T L11 U11
//   lower = F21 D^-1,  upper = (D^-1 F12)^T,  diagonal = D^-1,  contribution = F22 - F21 D^-1 F12.
// The update of the rest uses L21 = F21 U11^-1 and U12 = L11^-1 P F12, not the inverse: that is as stable as
// partial pivoting within the block. Returns how many pivots were replaced. But where pivots can be delayed
// it gives up at the first that would have to be replaced, or that leaves an entry of L21 above 1 /
// rules.relative, or one of U above what rules.growth allows: nullopt, with the front in no defined state.
template <Scalar T>
std::optional<Index> eliminate_lu(Front<T>& front, const PivotRules<RealOf<T>>& rules,
                                  EliminationScratch<T>& scratch);

// F11 = L11 L11^H; the same results, and what the pivots tell. False, with the front in no defined state,
// when F11 is not positive definite.
template <Scalar T>
bool eliminate_cholesky(Front<T>& front, PivotSummary& pivots, EliminationScratch<T>& scratch);

// F11 = P L11 B L11^T P^T or P L11 B L11^H P^T within each supernode; the same results. Gives up as
// eliminate_lu() does.
template <Scalar T>
std::optional<Index> eliminate_ldl(Front<T>& front, Kind kind, const PivotRules<RealOf<T>>& rules,
                                   PivotSummary& pivots, EliminationScratch<T>& scratch);

}  // namespace trisweep::numeric
