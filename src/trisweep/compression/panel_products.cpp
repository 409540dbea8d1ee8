// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/compression/panel_products.hpp"

#include <complex>
#include <cstring>
#include <type_traits>

#include "trisweep/compression/number_format.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

// The numbers of a run, widened: one type for each format.
template <class R, class Integer>
struct Plane {
  const Integer* number;
  Plane(const std::byte* numbers, const std::byte*) : number(reinterpret_cast<const Integer*>(numbers)) {}
  R operator()(std::size_t i) const { return static_cast<R>(number[i]); }
};
template <class R>
struct Fixed24 {
  const std::int16_t* high;
  const std::uint8_t* low;
  Fixed24(const std::byte* numbers, const std::byte* low_plane)
      : high(reinterpret_cast<const std::int16_t*>(numbers)),
        low(reinterpret_cast<const std::uint8_t*>(low_plane)) {}
  R operator()(std::size_t i) const { return static_cast<R>(std::int32_t{high[i]} * 256 + low[i]); }
};
template <class R>
struct Fixed48 {
  const std::int32_t* high;
  const std::uint16_t* low;
  Fixed48(const std::byte* numbers, const std::byte* low_plane)
      : high(reinterpret_cast<const std::int32_t*>(numbers)),
        low(reinterpret_cast<const std::uint16_t*>(low_plane)) {}
  R operator()(std::size_t i) const {
    return static_cast<R>(high[i]) * R(65536) + static_cast<R>(std::int32_t{low[i]});
  }
};

// A run's columns, at the panel's rows from `first` on.
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
};

// y += x q, for numbers q that may be complex.
template <class R>
inline void add_product(R& y, R x, R q) {
  y += x * q;
}
template <class R>
inline void add_product(std::complex<R>& y, std::complex<R> x, std::complex<R> q) {
  y = {y.real() + x.real() * q.real() - x.imag() * q.imag(),
       y.imag() + x.real() * q.imag() + x.imag() * q.real()};
}

template <Scalar T, class Numbers>
inline T number_at(const Numbers& q, std::size_t i) {
  if constexpr (is_complex<T>) {
    return {q(2 * i), q(2 * i + 1)};
  } else {
    return q(i);
  }
}

// Columns c .. c + count of a run at once, so that a row is read, and written, once for all of them.
template <int count, Scalar T, class Numbers>
inline void add_columns(const Numbers& q, const Columns& run, Index c, const T* __restrict columns,
                        T* __restrict rows) {
  T factor[count];
  for (int k = 0; k < count; ++k) factor[k] = columns[c + k] * run.step_of<RealOf<T>>(c + k);
  const std::size_t at = usize(c) * run.height + run.first;
  for (std::size_t i = 0; i < run.rows; ++i) {
    T sum = rows[i];
    for (int k = 0; k < count; ++k)
      add_product(sum, factor[k], number_at<T>(q, at + usize(k) * run.height + i));
    rows[i] = sum;
  }
}

template <int count, Scalar T, class Numbers>
inline void add_columns_transposed(const Numbers& q, const Columns& run, Index c, const T* __restrict rows,
                                   T* __restrict columns) {
  // As many sums of a column side by side, whatever the size of vectors.
  constexpr std::size_t lanes = 8;
  const std::size_t at = usize(c) * run.height + run.first;
  T sum[count][lanes] = {}, rest[count] = {};
  std::size_t i = 0;
  for (; i + lanes <= run.rows; i += lanes) {
    for (int k = 0; k < count; ++k) {
      for (std::size_t l = 0; l < lanes; ++l)
        add_product(sum[k][l], rows[i + l], number_at<T>(q, at + usize(k) * run.height + i + l));
    }
  }
  for (; i < run.rows; ++i) {
    for (int k = 0; k < count; ++k)
      add_product(rest[k], rows[i], number_at<T>(q, at + usize(k) * run.height + i));
  }
  for (int k = 0; k < count; ++k) {
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) sum[k][l] += sum[k][l + half];
    }
    columns[c + k] += (sum[k][0] + rest[k]) * run.step_of<RealOf<T>>(c + k);
  }
}

// Calls work(constant number of columns, first of them) for all columns of a run.
template <class Work>
inline void for_columns(Index cols, const Work& work) {
  constexpr int together = 4;
  Index c = 0;
  for (; c + together <= cols; c += together) work(std::integral_constant<int, together>(), c);
  for (; c < cols; ++c) work(std::integral_constant<int, 1>(), c);
}

template <bool transposed, class Numbers, Scalar T>
void multiply_run(const Numbers& q, const Columns& run, Index column, const PanelProduct<T>& p) {
  for (Index k = 0; k < p.nrhs; ++k) {
    const T* const source = p.source + k * p.source_ld;
    T* const target = p.target + k * p.target_ld;
    for_columns(run.cols, [&](auto count, Index c) {
      if constexpr (transposed) {
        add_columns_transposed<count>(q, run, c, source, target + column);
      } else {
        add_columns<count>(q, run, c, source + column, target);
      }
    });
  }
}

template <bool transposed, Scalar T>
void multiply(const PanelProduct<T>& p) {
  using R = RealOf<T>;
  constexpr std::size_t parts = is_complex<T> ? 2 : 1;
  PanelHead head;
  std::memcpy(&head, p.panel, sizeof head);
  const std::byte* at = p.panel + sizeof head;
  for (Index column = 0; column < head.cols;) {
    RunHead run;
    std::memcpy(&run, at, sizeof run);
    const auto layout = layout_of<R>(run, usize(head.rows) * usize(run.cols) * parts);
    const Columns columns{.height = usize(head.rows),
                          .first = usize(p.first),
                          .rows = usize(p.rows),
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
