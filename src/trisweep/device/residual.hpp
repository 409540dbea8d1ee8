#pragma once
// How well x solves op(A) x = b, measured on the device: residuals, the denominators that they are divided
// by, and the largest quotients (solve/backward_error.hpp defines them and gives the reasons). Each row is
// summed by one thread, in the order of the row's entries.

#include <limits>
#include <span>

#include "trisweep/backend/team.hpp"
#include "trisweep/device/program.hpp"

namespace trisweep::device {

// The maxima over all equations, of each right-hand side: work rows of the program, in this order.
struct Norm {
  enum Kind : Index {
    quotient,  // |r| / (|op(A)| |x| + |b|)
    x,         // |x|
    scaled_x,  // |x| / c with the scales c of the unknowns
    r,         // |r|
    b,         // |b|
    // These need the norms above:
    typical_quotient,  // as `quotient`, with the typical denominator added where its own vanishes
    small_residual,    // |r| over the typical one, or `quotient` where b is most of the terms, unless
                       // acceptable
    count
  };
};
inline constexpr Index first_norms = Norm::typical_quotient;
inline constexpr Index second_norms = Norm::count - first_norms;

// A PE's rows of op(A), whose columns are work rows, and the data that residuals are measured with, in memory
// that the kernel can access.
template <class T>
struct ResidualView {
  using Real = RealPart<T>;

  const Offset* row_ptr;
  const Index* col;
  const T* value;
  bool conjugate;
  const Real* plain;       // |op(A)| 1
  const Real* scaled;      // |op(A)| c
  const double* unknowns;  // c
  double vanishing;        // smallest meaningful denominator, as a fraction of the typical one
  double acceptable;       // largest quotient that needs no correction
  T* residual;             // columns of `rows`
  Real* magnitude;
  Index rows;
};

// The same in host memory, except for `residual` and `magnitude`, which the kernel accesses.
template <Scalar T>
struct ResidualSystem {
  std::span<const Offset> row_ptr;
  std::span<const Index> col;
  std::span<const T> value;
  bool conjugate;
  std::span<const RealOf<T>> plain;
  std::span<const RealOf<T>> scaled;
  std::span<const double> unknowns;
  double vanishing;
  double acceptable;
  T* residual;
  RealOf<T>* magnitude;

  Index rows() const { return static_cast<Index>(plain.size()); }
};
// place(span) returns where the kernel finds the span's values.
template <Scalar T, class Place>
ResidualView<NumberOf<T>> measured(const ResidualSystem<T>& m, const Place& place) {
  using Number = NumberOf<T>;
  return {.row_ptr = place(m.row_ptr),
          .col = place(m.col),
          .value = reinterpret_cast<const Number*>(place(m.value)),
          .conjugate = m.conjugate,
          .plain = place(m.plain),
          .scaled = place(m.scaled),
          .unknowns = place(m.unknowns),
          .vanishing = m.vanishing,
          .acceptable = m.acceptable,
          .residual = reinterpret_cast<Number*>(m.residual),
          .magnitude = m.magnitude,
          .rows = m.rows()};
}

// A row of op(A) times x, and the product of magnitudes. For complex numbers the real and imaginary parts of
// A are summed separately, as on the host.
template <class R>
struct RowSums {
  R product{}, size{};

  TRISWEEP_DEVICE void add(R a, R x, R /*sign*/) {
    product += a * x;
    size += magnitude(a) * magnitude(x);
  }
};
template <class R>
struct RowSums<Complex<R>> {
  Complex<R> product{}, turned{};
  R size{}, size_turned{};

  TRISWEEP_DEVICE void add(Complex<R> a, Complex<R> x, R sign) {
    product += {a.re * x.re, a.re * x.im};
    turned += {sign * a.im * x.re, sign * a.im * x.im};
    size += magnitude(a) * magnitude(x.re);
    size_turned += magnitude(a) * magnitude(x.im);
  }
};
template <class R>
TRISWEEP_DEVICE inline R product_of(const RowSums<R>& sums) {
  return sums.product;
}
template <class R>
TRISWEEP_DEVICE inline Complex<R> product_of(const RowSums<Complex<R>>& sums) {
  return {sums.product.re - sums.turned.im, sums.product.im + sums.turned.re};
}
template <class R>
TRISWEEP_DEVICE inline R size_of(const RowSums<R>& sums) {
  return sums.size;
}
template <class R>
TRISWEEP_DEVICE inline R size_of(const RowSums<Complex<R>>& sums) {
  return sums.size + sums.size_turned;
}

// The larger of the two; NaN counts as infinity.
template <class R>
TRISWEEP_DEVICE inline R larger(R largest, R candidate) {
  return candidate <= largest     ? largest
         : candidate == candidate ? candidate
                                  : std::numeric_limits<R>::infinity();
}
// True if the right-hand side is most of an equation's terms, and is no rounding error.
template <class R>
TRISWEEP_DEVICE inline bool is_given(R b, R own) {
  return 2 * b >= own;
}
template <class R>
TRISWEEP_DEVICE inline R share_of(R residual, R scale) {
  return residual == 0                            ? 0
         : scale <= std::numeric_limits<R>::max() ? residual / scale
                                                  : std::numeric_limits<R>::infinity();
}

// Measures the residuals of some rows, by one worker. In `pe.solve` the caller's b is x, and `base` is b.
template <class AnyPe, class Block>
class RowResiduals {
  using T = typename AnyPe::Number;
  using R = RealPart<T>;

 public:
  TRISWEEP_DEVICE RowResiduals(const AnyPe& pe, const Measure& of, Index nrhs, const Block& block)
      : pe_(pe),
        of_(of),
        block_(block),
        nrhs_(usize(nrhs)),
        rows_(usize(of.rows.end - of.rows.begin)),
        kept_(reinterpret_cast<R*>(pe.work.scratch)) {}

  TRISWEEP_DEVICE void run() const {
    for_each(block_, rows_ * nrhs_, [&](std::size_t e) {
      const auto row = of_.rows.begin + static_cast<Index>(e / nrhs_), column = static_cast<Index>(e % nrhs_);
      of_.norms == none ? find_first(e, row, column) : find_second(e, row, column);
    });
    block_.sync();
    const auto kinds = usize(of_.norms == none ? first_norms : second_norms);
    for (auto k = usize(block_.group); k < kinds * nrhs_; k += usize(block_.groups)) {
      R largest{};
      for (auto i = usize(block_.lane); i < rows_; i += usize(block_.lanes))
        largest = larger(largest, kept_[(k / nrhs_ * rows_ + i) * nrhs_ + k % nrhs_]);
      largest = block_.largest_over_lanes(largest);
      if (block_.lane == 0) work(of_.largest)[k] = T{largest};
    }
  }

 private:
  TRISWEEP_DEVICE T* work(Index row) const { return pe_.peers.mine().row + usize(row) * nrhs_; }
  TRISWEEP_DEVICE void keep(Index kind, std::size_t e, R value) const {
    kept_[usize(kind) * rows_ * nrhs_ + e] = value;
  }

  TRISWEEP_DEVICE void find_first(std::size_t e, Index row, Index column) const {
    const ResidualView<T>& m = pe_.measured;
    const R sign = m.conjugate ? R(-1) : R(1);
    RowSums<T> sums;
    for (Offset p = m.row_ptr[row]; p < m.row_ptr[row + 1]; ++p)
      sums.add(m.value[p], work(m.col[p])[column], sign);
    const T b = pe_.solve.caller.base[row + column * pe_.solve.caller.base_ld], x = work(row)[column];
    T r = b;
    r -= product_of(sums);
    const R size = magnitude(b) + size_of(sums);
    const std::size_t at = usize(column) * usize(m.rows) + usize(row);
    m.residual[at] = r;
    m.magnitude[at] = size;
    const R length = magnitude(x);
    keep(Norm::quotient, e, share_of(magnitude(r), size));
    keep(Norm::x, e, length);
    keep(Norm::scaled_x, e, static_cast<R>(double(length) / m.unknowns[row]));
    keep(Norm::r, e, magnitude(r));
    keep(Norm::b, e, magnitude(b));
  }

  TRISWEEP_DEVICE void find_second(std::size_t e, Index row, Index column) const {
    const ResidualView<T>& m = pe_.measured;
    const std::size_t at = usize(column) * usize(m.rows) + usize(row);
    const auto norm = [&](Index kind) { return double(real_part(work(of_.norms + kind)[column])); };
    const double plain = double(m.plain[row]) * norm(Norm::x),
                 scaled = double(m.scaled[row]) * norm(Norm::scaled_x);
    const double typical = scaled < plain ? scaled : plain;
    const R residual = magnitude(m.residual[at]), own = m.magnitude[at];
    const R size = double(own) > m.vanishing * typical ? own : own + static_cast<R>(typical);
    m.magnitude[at] = size;
    keep(Norm::typical_quotient - first_norms, e, share_of(residual, size));
    const R b = magnitude(pe_.solve.caller.base[row + column * pe_.solve.caller.base_ld]);
    const R strict = share_of(residual, own);
    const R small = is_given(b, own) ? strict : static_cast<R>(double(residual) / typical);
    keep(Norm::small_residual - first_norms, e, double(strict) > m.acceptable ? small : R{});
  }

  const AnyPe& pe_;
  const Measure& of_;
  const Block& block_;
  const std::size_t nrhs_, rows_;
  R* const kept_;  // by kind, row, right-hand side
};

}  // namespace trisweep::device
