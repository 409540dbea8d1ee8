#include "trisweep/solve/explicit_factors.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trisweep/core/slabs.hpp"
#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/diagonal_block.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::solve {
namespace {

using numeric::View;

template <class T>
struct Block {
  Index rows, cols;
  std::vector<T> value = std::vector<T>(usize(rows) * usize(cols));

  View<T> view() { return {value.data(), rows, cols, std::max<Index>(rows, 1)}; }
  T& operator()(Index i, Index j) { return value[usize(i) + usize(j) * usize(rows)]; }
};

template <class T>
Block<T> out_of_slabs(const T* stored, Index height, Index width) {
  Block<T> block{height, width};
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < height; ++i) block(i, j) = stored[slab_entry(height, width, i, j)];
  }
  return block;
}

template <Scalar T>
Block<T> product(Block<T>& a, Block<T>& b) {
  Block<T> result{a.rows, b.cols};
  if (!result.view().empty())
    numeric::subtract_product(result.view(), a.view(), Op::none, b.view(), numeric::Target::overwrite);
  for (T& v : result.value) v = -v;
  return result;
}

// A supernode's part of L and U.
template <Scalar T>
struct Supernode {
  Block<T> l, u;            // L' and U' of its diagonal block, each as a full square
  Block<T> below, right;    // the panel times L', U' times the panel
  std::vector<Index> rows;  // row of the diagonal block at each position
};

template <Scalar T>
Supernode<T> supernode(const numeric::Factors<T>& factors, Index k) {
  const Index width = factors.structure->width(k), height = factors.structure->height(k);
  Block<T> d = out_of_slabs(factors.diagonal_block(k), width, width);
  std::vector<Index> pivots(usize(width)), rows(usize(width));
  std::vector<T> scratch(d.value.size());
  const auto factor_block = [&] { numeric::lu_in_place<T>(d.view(), pivots, 0); };
  factor_block();
  numeric::invert_from_lu<T>(d.view(), pivots, scratch);
  factor_block();
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) std::swap(rows[i], rows[usize(pivots[i])]);
  Block<T> l{width, width}, u{width, width};
  for (Index j = 0; j < width; ++j) {
    for (Index i = 0; i < width; ++i) (i > j ? l : u)(i, j) = d(i, j);
    l(j, j) = T(1);
  }
  Block<T> panel = out_of_slabs(factors.lower_panel(k), height, width);
  Block<T> right{width, height};
  const bool has_upper = numeric::has_upper(factors.kind);
  Block<T> upper = has_upper ? out_of_slabs(factors.upper_panel(k), height, width) : panel;
  for (Index i = 0; i < height; ++i) {
    for (Index j = 0; j < width; ++j)
      right(j, i) =
          has_upper ? upper(i, j) : numeric::mirrored(numeric::upper_of_lower(factors.kind), upper(i, j));
  }
  numeric::exchange_columns<T>(panel.view(), pivots, true);
  return {l, u, product(panel, l), product(u, right), std::move(rows)};
}

template <Scalar T>
void append_row(matrix::Csr<T>& to, std::vector<std::pair<Index, T>>& entries) {
  std::ranges::sort(entries, {}, &std::pair<Index, T>::first);
  for (const auto& [column, value] : entries) {
    if (value == T(0)) continue;
    to.pattern.col.push_back(column);
    to.value.push_back(value);
  }
  to.pattern.row_ptr.push_back(static_cast<Offset>(to.value.size()));
  entries.clear();
}

}  // namespace

template <Scalar T>
ExplicitFactors<T> explicit_factors(const Factorization<T>& factorization) {
  const numeric::Factors<T>& factors = *factorization.factors;
  const symbolic::Structure& structure = *factors.structure;
  const ordering::Ordering& order = factorization.analysis->ordering;
  const matrix::Csr<T> none{.pattern = {.rows = structure.n, .cols = structure.n}};
  ExplicitFactors<T> result{.l_transposed = none,
                            .u = none,
                            .row_new = order.row_new,
                            .col_new = order.col_new,
                            .row_scale = order.row_scale,
                            .col_scale = order.col_scale,
                            .perturbed_pivots = factors.perturbed_pivots};
  std::vector<Supernode<T>> supernodes;
  std::vector<Index> place(usize(structure.n));  // position in L U of each row of the ordered matrix
  for (Index k = 0; k < structure.supernodes(); ++k) {
    const auto& made = supernodes.emplace_back(supernode(factors, k));
    for (Index i = 0; i < structure.width(k); ++i)
      place[usize(structure.first[usize(k)] + made.rows[usize(i)])] = structure.first[usize(k)] + i;
  }
  std::vector<std::pair<Index, T>> entries;
  for (Index k = 0; k < structure.supernodes(); ++k) {
    auto& [l, u, below, right, order_of_rows] = supernodes[usize(k)];
    const Index first = structure.first[usize(k)];
    const auto rows = structure.rows(k);
    for (Index j = 0; j < structure.width(k); ++j) {
      for (Index i = j; i < l.rows; ++i) entries.emplace_back(first + i, l(i, j));
      for (Index i = 0; i < below.rows; ++i) entries.emplace_back(place[usize(rows[usize(i)])], below(i, j));
      append_row(result.l_transposed, entries);
      for (Index i = j; i < u.cols; ++i) entries.emplace_back(first + i, u(j, i));
      for (Index i = 0; i < right.cols; ++i) entries.emplace_back(rows[usize(i)], right(j, i));
      append_row(result.u, entries);
    }
  }
  for (Index& i : result.row_new) i = place[usize(i)];
  return result;
}

#define INSTANTIATE(T) template ExplicitFactors<T> explicit_factors(const Factorization<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
