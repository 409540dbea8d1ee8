// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/compression/panel_products.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "trisweep/compression/widened_numbers.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

// A run's columns, at the panel's rows from `first` on. Complex numbers count as two.
struct Columns {
  std::size_t height;  // of the panel
  std::size_t first, rows;
  Index cols;
  const float* step;  // null: `unit` alone
  double unit;

  template <class R>
  R step_of(Index c) const {
    return static_cast<R>(step == nullptr ? unit : unit * double(step[c]));
  }
  std::size_t begin_of(Index c) const { return usize(c) * height + first; }
};

// y += factor q: first what the factor's real part gives, then the imaginary one's.
template <class R>
TRISWEEP_INLINE void add_product(Lanes<R>& y, R factor, const Lanes<R>& q) {
  y += factor * q;
}
template <class R>
TRISWEEP_INLINE void add_product(Lanes<R>& y, std::complex<R> factor, const Lanes<R>& q) {
  y += factor.real() * q;
  y += alternating(-factor.imag(), factor.imag()) * swapped<R>(q);
}
template <Scalar T>
constexpr std::size_t parts = is_complex<T> ? 2 : 1;

// rows += the columns of a run times `factor`, one after the other, in `count` vectors from row `begin` on.
// The last of them begins at `last`, maybe inside of the one before: of rows that both have they make the
// same.
template <int count, Scalar T, class Numbers>
TRISWEEP_INLINE void add_tile(const Numbers& q, const Columns& run, std::size_t begin, std::size_t last,
                              const T* factor, RealOf<T>* rows) {
  using R = RealOf<T>;
  std::size_t at[count];
  for (int k = 0; k < count; ++k) at[k] = k + 1 < count ? begin + usize(k) * lanes : last;
  Lanes<R> sum[count];
  for (int k = 0; k < count; ++k) sum[k] = load<Lanes<R>>(rows + at[k]);
  std::size_t column = run.first;
  for (Index c = 0; c < run.cols; ++c, column += run.height) {
    for (int k = 0; k < count; ++k) {
      if (usize(k) * lanes % Numbers::in_line == 0) q.fetch_ahead(column + at[k]);
      add_product<R>(sum[k], factor[c], q.lanes_at(column + at[k]));
    }
  }
  for (int k = 0; k < count; ++k) store(rows + at[k], sum[k]);
}

// Fewer rows than a vector has, in one all the same: single numbers might be rounded less often.
template <Scalar T, class Numbers>
inline void add_few_rows(const Numbers& q, const Columns& run, const T* factor, RealOf<T>* rows) {
  using R = RealOf<T>;
  R padded[lanes] = {};
  std::copy_n(rows, run.rows, padded);
  auto sum = load<Lanes<R>>(padded);
  for (Index c = 0; c < run.cols; ++c) {
    R number[lanes] = {};
    for (std::size_t k = 0; k < run.rows; ++k) number[k] = q(run.begin_of(c) + k);
    add_product<R>(sum, factor[c], load<Lanes<R>>(number));
  }
  store(padded, sum);
  std::copy_n(padded, run.rows, rows);
}

template <Scalar T, class Numbers>
inline void add_columns(const Numbers& q, const Columns& run, const T* factor, RealOf<T>* rows) {
  constexpr std::size_t together = 4;
  if (run.rows < lanes) return add_few_rows(q, run, factor, rows);
  std::size_t i = 0;
  for (; run.rows - i > together * lanes + lanes; i += together * lanes)
    add_tile<together>(q, run, i, i + (together - 1) * lanes, factor, rows);
  const std::size_t last = run.rows - lanes;
  switch ((run.rows - i + lanes - 1) / lanes) {
    case 1:
      return add_tile<1>(q, run, i, last, factor, rows);
    case 2:
      return add_tile<2>(q, run, i, last, factor, rows);
    case 3:
      return add_tile<3>(q, run, i, last, factor, rows);
    case 4:
      return add_tile<4>(q, run, i, last, factor, rows);
    default:
      return add_tile<5>(q, run, i, last, factor, rows);
  }
}

// Some columns at a time, whose factors are made before.
template <Scalar T, class Numbers>
void add_run(const Numbers& q, const Columns& run, const T* columns, T* rows) {
  constexpr Index together = 64;
  for (Index c = 0; c < run.cols; c += together) {
    T factor[together];
    Columns part = run;
    part.cols = std::min(together, run.cols - c);
    part.first = run.begin_of(c);
    for (Index k = 0; k < part.cols; ++k) factor[k] = columns[c + k] * run.step_of<RealOf<T>>(c + k);
    add_columns(q, part, factor, reinterpret_cast<RealOf<T>*>(rows));
  }
}

// The sums of real numbers, and of complex ones those of x q and of x times q with its parts swapped.
template <Scalar T>
struct Sums {
  using R = RealOf<T>;
  Lanes<R> product = {}, crossed = {};
  T rest = {};

  TRISWEEP_INLINE void add(const Lanes<R>& x, const Lanes<R>& q) {
    product += x * q;
    if constexpr (is_complex<T>) crossed += x * swapped<R>(q);
  }
  template <class Numbers>
  TRISWEEP_INLINE void add_one(const R* x, const Numbers& q, std::size_t at) {
    if constexpr (is_complex<T>) {
      rest = {rest.real() + x[0] * q(at) - x[1] * q(at + 1), rest.imag() + x[0] * q(at + 1) + x[1] * q(at)};
    } else {
      rest += x[0] * q(at);
    }
  }
  TRISWEEP_INLINE T total() const {
    if constexpr (is_complex<T>) {
      return T(sum_of_lanes<R>(product * alternating(R(1), R(-1))), sum_of_lanes<R>(crossed)) + rest;
    } else {
      return sum_of_lanes<R>(product) + rest;
    }
  }
};

template <int count, Scalar T, class Numbers>
TRISWEEP_INLINE void add_columns_transposed(const Numbers& q, const Columns& run, Index c,
                                            const RealOf<T>* rows, T* columns) {
  const std::size_t at = run.begin_of(c);
  Sums<T> sum[count];
  std::size_t i = 0;
  for (; i + lanes <= run.rows; i += lanes) {
    const auto x = load<Lanes<RealOf<T>>>(rows + i);
    if (i % Numbers::in_line == 0) {
      for (int k = 0; k < count; ++k) q.fetch_ahead(at + usize(k) * run.height + i);
    }
    for (int k = 0; k < count; ++k) sum[k].add(x, q.lanes_at(at + usize(k) * run.height + i));
  }
  for (; i < run.rows; i += parts<T>) {
    for (int k = 0; k < count; ++k) sum[k].add_one(rows + i, q, at + usize(k) * run.height + i);
  }
  for (int k = 0; k < count; ++k) columns[c + k] += sum[k].total() * run.step_of<RealOf<T>>(c + k);
}

template <Scalar T, class Numbers>
void add_run_transposed(const Numbers& q, const Columns& run, const T* rows, T* columns) {
  constexpr int together = 4;
  const auto* const reals = reinterpret_cast<const RealOf<T>*>(rows);
  Index c = 0;
  for (; c + together <= run.cols; c += together)
    add_columns_transposed<together, T>(q, run, c, reals, columns);
  for (; c < run.cols; ++c) add_columns_transposed<1, T>(q, run, c, reals, columns);
}

template <bool transposed, class Numbers, Scalar T>
void multiply_run(const Numbers& q, const Columns& run, Index column, const PanelProduct<T>& p) {
  for (Index k = 0; k < p.nrhs; ++k) {
    const T* const source = p.source + k * p.source_ld;
    T* const target = p.target + k * p.target_ld;
    if constexpr (transposed) {
      add_run_transposed<T>(q, run, source, target + column);
    } else {
      add_run<T>(q, run, source + column, target);
    }
  }
}

template <bool transposed, Scalar T>
void multiply(const PanelProduct<T>& p) {
  using R = RealOf<T>;
  PanelHead head;
  std::memcpy(&head, p.panel, sizeof head);
  const std::byte* at = p.panel + sizeof head;
  for (Index column = 0; column < head.cols;) {
    RunHead run;
    std::memcpy(&run, at, sizeof run);
    const auto layout = layout_of<R>(run, usize(head.rows) * usize(run.cols) * parts<T>);
    const Columns columns{.height = usize(head.rows) * parts<T>,
                          .first = usize(p.first) * parts<T>,
                          .rows = usize(p.rows) * parts<T>,
                          .cols = run.cols,
                          .step = run.common_step ? nullptr : reinterpret_cast<const float*>(at + sizeof run),
                          .unit = run.format == NumberFormat::whole ? 1 : head.unit};
    const std::byte *const numbers = at + layout.numbers, *const low = at + layout.low;
    switch (run.format) {
      case NumberFormat::fixed8:
        multiply_run<transposed>(Plane<R, std::int8_t>(numbers, low), columns, column, p);
        break;
      case NumberFormat::fixed16:
        multiply_run<transposed>(Plane<R, std::int16_t>(numbers, low), columns, column, p);
        break;
      case NumberFormat::fixed24:
        multiply_run<transposed>(Fixed24<R>(numbers, low), columns, column, p);
        break;
      case NumberFormat::fixed32:
        multiply_run<transposed>(Plane<R, std::int32_t>(numbers, low), columns, column, p);
        break;
      case NumberFormat::fixed48:
        multiply_run<transposed>(Fixed48<R>(numbers, low), columns, column, p);
        break;
      case NumberFormat::whole:
        multiply_run<transposed>(Plane<R, R>(numbers, low), columns, column, p);
        break;
    }
    column += run.cols;
    at += layout.end;
  }
}

}  // namespace

template <Scalar T>
PanelProducts<T> products_of_panels() {
  return {.add = multiply<false, T>, .add_transposed = multiply<true, T>};
}

#define INSTANTIATE(T) template PanelProducts<T> products_of_panels<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression::TRISWEEP_ISA
