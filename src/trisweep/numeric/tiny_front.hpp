#pragma once
// Fronts of a few rows; matrices of circuits, power networks and narrow bands have one for nearly every
// column. Such a front is assembled and eliminated by plain loops as one square matrix in the first-level
// cache. The results are those of assembly.hpp and elimination.hpp, whose overhead would be many times the
// cost of the front.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/modulus.hpp"
#include "trisweep/numeric/threshold_lu.hpp"

namespace trisweep::numeric {

template <Scalar T>
class TinyFront {
 public:
  static constexpr bool fits(Index width, Index rows) { return width <= most_width && rows <= most_rows; }

  TinyFront(const Source<T>& source, const PivotRules<RealOf<T>>& rules) : source_(source), rules_(rules) {}

  // As Assembly::begin(), for a front that is one supernode and fits; `entries`: those of A in it.
  void begin(Index width, Index rows, std::span<const MatrixEntry> entries);
  // `block`: a child's contribution block, square and packed; `scattered`: FrontRecord::scattered.
  void add_child(const T* block, std::span<const Index> places, Index scattered);

  // As numeric::eliminate(), but with pivots of order 1 only, also in symmetric indefinite fronts. Panels and
  // contribution, square and packed, are undefined if it returns nullopt.
  std::optional<Index> eliminate(const PanelParts<T>& panel, T* contribution);
  // Pivot k of the last front that was eliminated.
  T pivot(Index k) { return at(k, k); }

 private:
  static constexpr Index most_rows = 32, most_width = 6;

  void set_zero();
  // Adds a block of `rows` rows, all of them scattered.
  template <class Rows>
  void add_block(const T* __restrict block, const Index* place, Rows rows);
  void add_in_runs(const T* __restrict block, std::span<const Index> places, Index scattered);
  T& at(Index i, Index j) { return value_[usize(i) + usize(j) * usize(rows_)]; }
  bool is_lu() const { return source_.fronts.kind == Kind::lu; }
  T mirrored(T value) const { return numeric::mirrored(upper_of_lower(source_.fronts.kind), value); }
  // True if pivots need only pass a threshold, so that entries may grow.
  bool may_grow() const { return source_.fronts.kind != Kind::cholesky && rules_.relative > 0; }
  bool take_pivot(Index k, Index& perturbed);
  bool accept(T& pivot, Index& perturbed) const;
  void update(Index k);
  template <Index width>
  void update_rest(T* __restrict contribution);
  template <class Rows>
  std::optional<Index> eliminate_column(Rows rows, const PanelParts<T>& panel, T* __restrict contribution);
  template <Index width>
  std::optional<Index> eliminate_columns(const PanelParts<T>& panel, T* contribution);
  void back_substitute(T* x);
  void store_lower(T* lower);
  void store_inverse(T* diagonal);

  const Source<T> source_;
  const PivotRules<RealOf<T>> rules_;
  Index width_ = 0;
  Index rows_ = 0;
  std::array<Index, most_width> pivot_;  // the row that row k was exchanged with
  std::array<T, most_width> reciprocal_;
  std::array<T, usize(most_rows) * usize(most_rows)> value_;
};

// With a constant number of stores if there are few rows.
template <Scalar T>
inline void TinyFront<T>::set_zero() {
  const auto fill = [&](auto entries) { std::fill_n(value_.data(), entries, T(0)); };
  switch (rows_) {
    case 2:
      return fill(std::integral_constant<int, 4>());
    case 3:
      return fill(std::integral_constant<int, 9>());
    case 4:
      return fill(std::integral_constant<int, 16>());
    default:
      return fill(rows_ * rows_);
  }
}

template <Scalar T>
inline void TinyFront<T>::begin(Index width, Index rows, std::span<const MatrixEntry> entries) {
  width_ = width;
  rows_ = rows;
  set_zero();
  T* const value = value_.data();
  const T* const source = source_.values.data();
  const auto ld = static_cast<std::uint32_t>(rows);  // unsigned: needs no sign extension
  for (const MatrixEntry& e : entries)
    value[static_cast<std::uint32_t>(e.row) + static_cast<std::uint32_t>(e.col) * ld] += source[e.source];
}

template <Scalar T>
template <class Rows>
inline void TinyFront<T>::add_block(const T* __restrict block, const Index* place, Rows rows) {
  const Index m = rows;
  for (Index j = 0; j < m; ++j) {
    T* const to = &at(0, place[j]);
    for (Index i = is_lu() ? 0 : j; i < m; ++i) to[place[i]] += block[i + j * m];
  }
}

template <Scalar T>
inline void TinyFront<T>::add_child(const T* block, std::span<const Index> places, Index scattered) {
  const auto m = static_cast<Index>(places.size());
  if (scattered < m) return add_in_runs(block, places, scattered);
  switch (m) {
    case 1:
      return add_block(block, places.data(), std::integral_constant<Index, 1>());
    case 2:
      return add_block(block, places.data(), std::integral_constant<Index, 2>());
    default:
      return add_block(block, places.data(), m);
  }
}

}  // namespace trisweep::numeric
