#include "trisweep/numeric/elimination.hpp"

#include <complex>
#include <numeric>
#include <utility>

#include "trisweep/numeric/diagonal_block.hpp"

namespace trisweep::numeric {
namespace {

// A panel's rows from front row `row` on.
template <Scalar T>
View<T> rows_from(const Panel<T>& panel, View<T> side, Index row) {
  const Index skip = row - panel.end();
  return side.block(skip, 0, side.rows - skip, side.cols);
}

template <Scalar T>
Target contribution_target(Front<T>& front) {
  return std::exchange(front.contribution_is_set, true) ? Target::accumulate : Target::overwrite;
}

// With L21 in lower and U12^T in upper: subtracts L21 U12 from the later panels and the contribution.
template <Scalar T>
void update_lu(Front<T>& front, std::size_t i, EliminationScratch<T>& scratch) {
  const Panel<T>& source = front.panels[i];
  for (std::size_t j = i + 1; j < front.panels.size(); ++j) {
    const Panel<T>& target = front.panels[j];
    const View<T> l = rows_from(source, source.lower, target.start);
    const View<T> u = rows_from(source, source.upper, target.start);
    const Index w = target.width(), below = target.lower.rows;
    subtract_product(target.diagonal, l.block(0, 0, w, l.cols), Op::transpose, u.block(0, 0, w, u.cols));
    subtract_product(target.lower, l.block(w, 0, below, l.cols), Op::transpose, u.block(0, 0, w, u.cols));
    subtract_product(target.upper, u.block(w, 0, below, u.cols), Op::transpose, l.block(0, 0, w, l.cols));
    scratch.did(2.0 * w * (w + 2.0 * below) * l.cols);
  }
  if (front.contribution.empty()) return;
  subtract_product(front.contribution, rows_from(source, source.lower, front.width), Op::transpose,
                   rows_from(source, source.upper, front.width), contribution_target(front));
  scratch.did(2.0 * front.contribution.rows * front.contribution.cols * source.width());
}

// With L21 in lower: subtracts L21 op(product) from the later panels and the contribution. `product`: L21 B.
template <Scalar T>
void update_symmetric(Front<T>& front, std::size_t i, View<T> product, Op op,
                      EliminationScratch<T>& scratch) {
  const Panel<T>& source = front.panels[i];
  for (std::size_t j = i + 1; j < front.panels.size(); ++j) {
    const Panel<T>& target = front.panels[j];
    const View<T> l = rows_from(source, source.lower, target.start);
    const View<T> beside = rows_from(source, product, target.start).block(0, 0, target.width(), l.cols);
    subtract_lower_product(target.diagonal, l.block(0, 0, target.width(), l.cols), op, beside);
    subtract_product(target.lower, l.block(target.width(), 0, target.lower.rows, l.cols), op, beside);
    scratch.did(double(target.width()) * (target.width() + 2.0 * target.lower.rows) * l.cols);
  }
  if (front.contribution.empty()) return;
  subtract_lower_product(front.contribution, rows_from(source, source.lower, front.width), op,
                         rows_from(source, product, front.width), contribution_target(front));
  scratch.did(double(front.contribution.rows) * front.contribution.cols * source.width());
}

template <Scalar T>
RealOf<T> largest_part(const Front<T>& front) {
  RealOf<T> largest = 0;
  for (const Panel<T>& p : front.panels)
    for (const View<T>& part : {p.diagonal, p.lower, p.upper})
      largest = std::max(largest, largest_part(part));
  return largest;
}

// Within a diagonal block, whose columns are all there: the largest threshold for which a good pivot is
// always found (Duff and Reid 1983).
constexpr double threshold_within_block = 0.5;

template <Scalar T>
void copy_columns(View<T> from, std::span<const Index> order, View<T> to) {
  for (Index k = 0; k < from.cols; ++k) std::copy_n(from.column(order[usize(k)]), from.rows, to.column(k));
}

}  // namespace

template <Scalar T>
std::optional<Index> eliminate_lu(Front<T>& front, const PivotRules<RealOf<T>>& rules,
                                  EliminationScratch<T>& scratch) {
  Index perturbed = 0;
  const bool may_delay = rules.relative > 0;
  const RealOf<T> bound = rules.growth > 0 ? rules.growth * largest_part(front) : 0;
  for (std::size_t i = 0; i < front.panels.size(); ++i) {
    const Panel<T>& p = front.panels[i];
    const auto pivots = std::span(scratch.pivots).first(usize(p.width()));
    perturbed += lu_in_place(p.diagonal, pivots, rules.replacement);
    if (may_delay && perturbed > 0) return std::nullopt;
    exchange_columns<T>(p.upper, pivots, true);
    solve_right(p.lower, p.diagonal, Triangle::upper, Op::none, Diagonal::stored);
    if (may_delay && exceeds(p.lower, 1 / rules.relative)) return std::nullopt;
    solve_right(p.upper, p.diagonal, Triangle::lower, Op::transpose, Diagonal::unit);
    if (bound > 0 && (exceeds(p.diagonal, bound) || exceeds(p.upper, bound))) return std::nullopt;
    update_lu(front, i, scratch);
    solve_right(p.lower, p.diagonal, Triangle::lower, Op::none, Diagonal::unit);
    solve_right(p.upper, p.diagonal, Triangle::upper, Op::transpose, Diagonal::stored);
    exchange_columns<T>(p.lower, pivots, false);
    invert_from_lu<T>(p.diagonal, pivots, scratch.block);
  }
  return perturbed;
}

template <Scalar T>
bool eliminate_cholesky(Front<T>& front, PivotSummary& pivots, EliminationScratch<T>& scratch) {
  for (std::size_t i = 0; i < front.panels.size(); ++i) {
    const Panel<T>& p = front.panels[i];
    if (!cholesky_in_place(p.diagonal)) return false;
    for (Index k = 0; k < p.width(); ++k) pivots.add(p.diagonal(k, k) * p.diagonal(k, k), Kind::cholesky);
    solve_right(p.lower, p.diagonal, Triangle::lower, Op::conjugate_transpose, Diagonal::stored);
    update_symmetric(front, i, p.lower, Op::conjugate_transpose, scratch);
    solve_right(p.lower, p.diagonal, Triangle::lower, Op::none, Diagonal::stored);
    invert_from_cholesky<T>(p.diagonal, scratch.block);
  }
  return true;
}

template <Scalar T>
std::optional<Index> eliminate_ldl(Front<T>& front, Kind kind, const PivotRules<RealOf<T>>& rules,
                                   PivotSummary& pivots, EliminationScratch<T>& scratch) {
  Index perturbed = 0;
  const bool may_delay = rules.relative > 0;
  PivotRules<RealOf<T>> within = rules;
  within.relative = threshold_within_block;
  within.smallest = rules.replacement;
  const Op op = upper_of_lower(kind);
  for (std::size_t i = 0; i < front.panels.size(); ++i) {
    const Panel<T>& p = front.panels[i];
    NamedMatrix<T>& named = scratch.named;
    named.value = p.diagonal;
    named.row.resize(usize(p.width()));
    std::iota(named.row.begin(), named.row.end(), 0);
    named.col = named.row;
    ThresholdLdl<T> ldl(named, kind, within);
    ldl.eliminate(p.width(), 0, rules.replacement);
    perturbed += ldl.perturbed_pivots();
    if (may_delay && perturbed > 0) return std::nullopt;
    pivots += ldl.pivots();
    const BlockPivots<T> factors = ldl.factors();
    const View<T> product = scratch.panel_like(p.lower);
    copy_columns<T>(p.lower, named.row, product);
    solve_right(product, p.diagonal, Triangle::lower, op, Diagonal::unit);
    std::copy_n(product.data, usize(product.rows) * usize(product.cols), p.lower.data);
    divide_by_pivots(p.lower, factors);
    if (may_delay && exceeds(p.lower, 1 / rules.relative)) return std::nullopt;
    update_symmetric(front, i, product, op, scratch);
    solve_right(p.lower, p.diagonal, Triangle::lower, Op::none, Diagonal::unit);
    std::copy_n(p.lower.data, usize(product.rows) * usize(product.cols), product.data);
    for (Index k = 0; k < p.width(); ++k)
      std::copy_n(product.column(k), product.rows, p.lower.column(named.row[usize(k)]));
    invert_from_ldl<T>(factors, named.row, scratch.block);
  }
  return perturbed;
}

#define TRISWEEP_INSTANTIATE(T)                                                                 \
  template std::optional<Index> eliminate_lu<T>(Front<T>&, const PivotRules<RealOf<T>>&,        \
                                                EliminationScratch<T>&);                        \
  template bool eliminate_cholesky<T>(Front<T>&, PivotSummary&, EliminationScratch<T>&);        \
  template std::optional<Index> eliminate_ldl<T>(Front<T>&, Kind, const PivotRules<RealOf<T>>&, \
                                                 PivotSummary&, EliminationScratch<T>&);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
