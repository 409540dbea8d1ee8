#include "trisweep/numeric/elimination.hpp"

#include <complex>
#include <numeric>
#include <utility>

#include "trisweep/numeric/diagonal_block.hpp"

namespace trisweep::numeric {
namespace {

// Rows of a side of a panel, from front row `row` on.
template <Scalar T>
View<T> rows_from(const Panel<T>& panel, View<T> side, Index row) {
  const Index skip = row - panel.end();
  return side.block(skip, 0, side.rows - skip, side.cols);
}

template <Scalar T>
Target contribution_target(Front<T>& front) {
  return std::exchange(front.contribution_is_set, true) ? Target::accumulate : Target::overwrite;
}

// Updates panel `target`; `left` and `right` begin at its first row.
template <Scalar T>
void update_panel(const Panel<T>& target, Kind kind, View<T> left, View<T> right) {
  const Index w = target.width(), below = target.lower.rows;
  const View<T> l = left.block(0, 0, w, left.cols), beside = right.block(0, 0, w, right.cols);
  const View<T> l_below = left.block(w, 0, below, left.cols);
  if (has_upper(kind)) {
    subtract_product(target.diagonal, l, Op::transpose, beside);
    subtract_product(target.lower, l_below, Op::transpose, beside);
    subtract_product(target.upper, right.block(w, 0, below, right.cols), Op::transpose, l);
  } else {
    subtract_lower_product(target.diagonal, l, upper_of_lower(kind), beside);
    subtract_product(target.lower, l_below, upper_of_lower(kind), beside);
  }
}

template <Scalar T>
RealOf<T> largest_part(const Front<T>& front) {
  RealOf<T> largest = 0;
  for (const Panel<T>& p : front.panels)
    for (const View<T>& part : {p.diagonal, p.lower, p.upper})
      largest = std::max(largest, largest_part(part));
  return largest;
}

// Threshold within a diagonal block, where all columns are candidates: the largest for which a good pivot is
// always found (Duff and Reid 1983).
constexpr double threshold_within_block = 0.5;

template <Scalar T>
void copy_columns(View<T> from, std::span<const Index> order, View<T> to) {
  for (Index k = 0; k < from.cols; ++k) std::copy_n(from.column(order[usize(k)]), from.rows, to.column(k));
}

}  // namespace

template <Scalar T>
void Elimination<T>::bound_growth(const Front<T>& front) {
  bound_ = rules_.growth > 0 ? rules_.growth * largest_part(front) : 0;
}

template <Scalar T>
std::optional<PanelUpdate<T>> Elimination<T>::factor(const Panel<T>& panel) {
  if (kind_ == Kind::lu) return factor_lu(panel);
  return kind_ == Kind::cholesky ? factor_cholesky(panel) : factor_ldl(panel);
}

template <Scalar T>
std::optional<PanelUpdate<T>> Elimination<T>::factor_lu(const Panel<T>& p) {
  interchanges_.resize(usize(p.width()));
  perturbed_ += lu_in_place(p.diagonal, std::span(interchanges_), rules_.replacement);
  if (may_delay() && perturbed_ > 0) return std::nullopt;
  exchange_columns<T>(p.upper, interchanges_, true);
  solve_right(p.lower, p.diagonal, Triangle::upper, Op::none, Diagonal::stored);
  if (may_delay() && exceeds(p.lower, 1 / rules_.relative)) return std::nullopt;
  solve_right(p.upper, p.diagonal, Triangle::lower, Op::transpose, Diagonal::unit);
  if (bound_ > 0 && (exceeds(p.diagonal, bound_) || exceeds(p.upper, bound_))) return std::nullopt;
  return PanelUpdate<T>{p.lower, p.upper};
}

template <Scalar T>
std::optional<PanelUpdate<T>> Elimination<T>::factor_cholesky(const Panel<T>& p) {
  if (!cholesky_in_place(p.diagonal)) return std::nullopt;
  for (Index k = 0; k < p.width(); ++k) pivots_.add(p.diagonal(k, k) * p.diagonal(k, k), Kind::cholesky);
  solve_right(p.lower, p.diagonal, Triangle::lower, Op::conjugate_transpose, Diagonal::stored);
  return PanelUpdate<T>{p.lower, p.lower};
}

template <Scalar T>
std::optional<PanelUpdate<T>> Elimination<T>::factor_ldl(const Panel<T>& p) {
  PivotRules<RealOf<T>> within = rules_;
  within.relative = threshold_within_block;
  within.smallest = rules_.replacement;
  NamedMatrix<T>& named = scratch_.named;
  named.value = p.diagonal;
  named.row.resize(usize(p.width()));
  std::iota(named.row.begin(), named.row.end(), 0);
  named.col = named.row;
  ldl_.emplace(named, kind_, within);
  ldl_->eliminate(p.width(), 0, rules_.replacement);
  perturbed_ += ldl_->perturbed_pivots();
  if (may_delay() && perturbed_ > 0) return std::nullopt;
  pivots_ += ldl_->pivots();
  const View<T> product = scratch_.panel_like(p.lower);
  copy_columns<T>(p.lower, named.row, product);
  solve_right(product, p.diagonal, Triangle::lower, upper_of_lower(kind_), Diagonal::unit);
  std::copy_n(product.data, usize(product.rows) * usize(product.cols), p.lower.data);
  divide_by_pivots(p.lower, ldl_->factors());
  if (may_delay() && exceeds(p.lower, 1 / rules_.relative)) return std::nullopt;
  return PanelUpdate<T>{p.lower, product};
}

template <Scalar T>
void Elimination<T>::update(Front<T>& front, std::size_t i, const PanelUpdate<T>& with) {
  const Panel<T>& source = front.panels[i];
  const double flops_of_entry = has_upper(kind_) ? 2.0 : 1.0;
  for (std::size_t j = i + 1; j < front.panels.size(); ++j) {
    const Panel<T>& target = front.panels[j];
    if (!target.is_here()) continue;
    update_panel(target, kind_, rows_from(source, with.left, target.start),
                 rows_from(source, with.right, target.start));
    scratch_.did(flops_of_entry * target.width() * (target.width() + 2.0 * target.lower.rows) *
                 source.width());
  }
  if (front.contribution.empty()) return;
  const View<T> left = rows_from(source, with.left, front.width);
  const View<T> right = rows_from(source, with.right, front.width);
  if (has_upper(kind_))
    subtract_product(front.contribution, left, Op::transpose, right, contribution_target(front));
  else
    subtract_lower_product(front.contribution, left, upper_of_lower(kind_), right,
                           contribution_target(front));
  scratch_.did(flops_of_entry * front.contribution.rows * front.contribution.cols * source.width());
}

template <Scalar T>
void Elimination<T>::finish(const Panel<T>& panel) {
  if (kind_ == Kind::ldlt || kind_ == Kind::ldlh)
    finish_ldl(panel);
  else
    finish(panel, interchanges_);
}

template <Scalar T>
void Elimination<T>::finish(const Panel<T>& p, std::span<const Index> interchanges) {
  if (kind_ == Kind::cholesky) {
    solve_right(p.lower, p.diagonal, Triangle::lower, Op::none, Diagonal::stored);
    invert_from_cholesky<T>(p.diagonal, scratch_.block_like(p.diagonal));
    return;
  }
  solve_right(p.lower, p.diagonal, Triangle::lower, Op::none, Diagonal::unit);
  solve_right(p.upper, p.diagonal, Triangle::upper, Op::transpose, Diagonal::stored);
  exchange_columns<T>(p.lower, interchanges, false);
  invert_from_lu<T>(p.diagonal, interchanges, scratch_.block_like(p.diagonal));
}

template <Scalar T>
void Elimination<T>::finish_ldl(const Panel<T>& p) {
  solve_right(p.lower, p.diagonal, Triangle::lower, Op::none, Diagonal::unit);
  const View<T> copy = scratch_.panel_like(p.lower);
  std::copy_n(p.lower.data, usize(copy.rows) * usize(copy.cols), copy.data);
  for (Index k = 0; k < p.width(); ++k)
    std::copy_n(copy.column(k), copy.rows, p.lower.column(scratch_.named.row[usize(k)]));
  invert_from_ldl<T>(ldl_->factors(), scratch_.named.row, scratch_.block_like(p.diagonal));
}

template <Scalar T>
std::optional<Index> eliminate(Front<T>& front, Kind kind, const PivotRules<RealOf<T>>& rules,
                               PivotSummary& pivots, EliminationScratch<T>& scratch) {
  Elimination<T> steps(kind, rules, scratch);
  steps.bound_growth(front);
  for (std::size_t i = 0; i < front.panels.size(); ++i) {
    const auto update = steps.factor(front.panels[i]);
    if (!update) return std::nullopt;
    steps.update(front, i, *update);
    steps.finish(front.panels[i]);
  }
  pivots += steps.pivots();
  return steps.perturbed_pivots();
}

#define TRISWEEP_INSTANTIATE(T)                                                                            \
  template class Elimination<T>;                                                                           \
  template std::optional<Index> eliminate<T>(Front<T>&, Kind, const PivotRules<RealOf<T>>&, PivotSummary&, \
                                             EliminationScratch<T>&);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
