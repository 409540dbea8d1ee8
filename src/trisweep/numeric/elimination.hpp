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

// Work memory and callback of an elimination; one per thread.
template <Scalar T>
struct EliminationScratch {
  explicit EliminationScratch(std::function<void(double)> did_some) : did(std::move(did_some)) {}

  // Memory for a panel with the dimensions of `side`.
  View<T> panel_like(const View<T>& side) {
    panel.resize(std::max(panel.size(), usize(side.rows) * usize(side.cols)));
    return {panel.data(), side.rows, side.cols, side.rows};
  }
  // Memory for a copy of a diagonal block.
  std::span<T> block_like(const View<T>& diagonal) {
    block.resize(std::max(block.size(), usize(diagonal.rows) * usize(diagonal.cols)));
    return block;
  }

  std::vector<T> block;
  std::vector<T> panel;
  NamedMatrix<T> named;
  std::function<void(double)> did;  // called after each product, with its flops
};

// The factors of the product that updates the rest of a front: the rows beyond a panel of L21 and U12^T (LU),
// or of L21 and L21 B, with B = 1 for Cholesky.
template <Scalar T>
struct PanelUpdate {
  View<T> left;
  View<T> right;
};

// Eliminates a front step by step, one panel after another.
//   LU: P F11 = L11 U11 within each panel, then with D = P^T L11 U11
//   lower = F21 D^-1,  upper = (D^-1 F12)^T,  diagonal = D^-1,  contribution = F22 - F21 D^-1 F12.
// The update of the rest uses L21 = F21 U11^-1 and U12 = L11^-1 P F12 instead of the inverse: this is as
// stable as partial pivoting within the block. For the other kinds F11 is L11 L11^H, P L11 B L11^T P^T or P
// L11 B L11^H P^T, and the results have the same form.
template <Scalar T>
class Elimination {
 public:
  Elimination(Kind kind, const PivotRules<RealOf<T>>& rules, EliminationScratch<T>& scratch)
      : kind_(kind), rules_(rules), scratch_(scratch) {}

  // Sets the bound on the growth of entries from the assembled front; to be called first.
  void bound_growth(const Front<T>& front);
  // Returns nullopt, and leaves the front undefined, if a pivot is not positive (Cholesky); or if pivots can
  // be delayed and one would have to be replaced, an entry of L21 exceeds 1 / rules.relative, or an entry of
  // U exceeds the bound set by rules.growth.
  std::optional<PanelUpdate<T>> factor(const Panel<T>& panel);
  // Updates the contribution block, and those of the later panels that are stored here.
  void update(Front<T>& front, std::size_t panel, const PanelUpdate<T>& with);
  // Brings the panel of the last factor() into its final form.
  void finish(const Panel<T>& panel);
  // For LU: the row interchanges of the last factor(). With row interchanges given, finish() applies to any
  // panel that holds L and U.
  std::span<const Index> interchanges() const { return interchanges_; }
  void finish(const Panel<T>& panel, std::span<const Index> interchanges);

  Index perturbed_pivots() const { return perturbed_; }
  const PivotSummary& pivots() const { return pivots_; }  // of the symmetric kinds

 private:
  bool may_delay() const { return rules_.relative > 0; }
  std::optional<PanelUpdate<T>> factor_lu(const Panel<T>& panel);
  std::optional<PanelUpdate<T>> factor_cholesky(const Panel<T>& panel);
  std::optional<PanelUpdate<T>> factor_ldl(const Panel<T>& panel);
  void finish_ldl(const Panel<T>& panel);

  Kind kind_;
  PivotRules<RealOf<T>> rules_;
  EliminationScratch<T>& scratch_;
  RealOf<T> bound_ = 0;
  std::vector<Index> interchanges_;
  std::optional<ThresholdLdl<T>> ldl_;
  Index perturbed_ = 0;
  PivotSummary pivots_;
};

// Eliminates all columns of a front. Returns the number of replaced pivots; or nullopt, with the front left
// undefined, under the conditions of Elimination::factor().
template <Scalar T>
std::optional<Index> eliminate(Front<T>& front, Kind kind, const PivotRules<RealOf<T>>& rules,
                               PivotSummary& pivots, EliminationScratch<T>& scratch);

}  // namespace trisweep::numeric
