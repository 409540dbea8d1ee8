// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/compression/panel_products.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "trisweep/compression/widened_numbers.hpp"
#include "trisweep/core/slabs.hpp"

namespace trisweep::compression::TRISWEEP_ISA {
namespace {

template <Scalar T>
constexpr std::size_t parts = is_complex<T> ? 2 : 1;
constexpr int slab_groups = slab_reals / group;

// Some columns of a panel.
template <Scalar T>
struct Strip {
  std::size_t height;  // in real numbers
  Index first;
  Index cols;
  const std::byte* numbers;
  std::size_t group_bytes = 0;  // of a group of every column
  Bits bits[strip_cols];
  RealOf<T> step[strip_cols];

  // Of a group of every column that has so many numbers.
  std::size_t bytes_at_end(std::size_t rest) const {
    if (rest == group) return group_bytes;
    std::size_t bytes = 0;
    for (Index c = 0; c < cols; ++c) bytes += bytes_of_group<RealOf<T>>(bits[c], rest);
    return bytes;
  }
  const std::byte* end() const {
    return numbers + (groups_of(height) - 1) * group_bytes + bytes_at_end(numbers_at_end(height));
  }
};

// The bits and steps at `at`, or those that all columns have.
template <Scalar T>
void read_columns(const PanelHead& head, const std::byte* at, Strip<T>& strip) {
  using R = RealOf<T>;
  if (!head.own) {
    std::fill_n(strip.bits, strip.cols, head.bits);
    std::fill_n(strip.step, strip.cols, static_cast<R>(head.unit));
    strip.numbers = at;
  } else {
    std::memcpy(strip.bits, at, usize(strip.cols));
    at += strip.cols;
    for (Index c = 0; c < strip.cols; ++c, at += sizeof(Multiple)) {
      Multiple multiple;
      std::memcpy(&multiple, at, sizeof multiple);
      strip.step[c] = strip.bits[c] == whole ? R(1) : static_cast<R>(head.unit * value_of(multiple));
    }
    strip.numbers = at;
  }
  for (Index c = 0; c < strip.cols; ++c) strip.group_bytes += bytes_of_group<R>(strip.bits[c]);
}

// Calls visit(strip) for all columns of a panel.
template <Scalar T, class Visit>
void for_each_strip(const std::byte* panel, const Visit& visit) {
  PanelHead head;
  std::memcpy(&head, panel, sizeof head);
  const std::byte* at = panel + sizeof head;
  for (Index first = 0; first < head.cols; first += strip_cols) {
    Strip<T> strip;
    strip.height = usize(head.rows) * parts<T>;
    strip.first = first;
    strip.cols = std::min(strip_cols, head.cols - first);
    read_columns(head, at, strip);
    visit(strip);
    at = strip.end();
  }
}

// Real rows [begin, end) of a slab of `groups`, which begins with row `first`. The last group has `rest`
// rows.
struct Slab {
  const std::byte* numbers;
  int groups;
  std::size_t rest;
  std::size_t first, begin, end;
};
// Calls visit(slab) for the slabs in which rows [begin, end) of a panel are.
template <Way way, Scalar T, class Visit>
TRISWEEP_INLINE void for_each_slab(const Strip<T>& strip, std::size_t begin, std::size_t end,
                                   const Visit& visit) {
  const std::size_t first = begin / slab_reals, last = (end + slab_reals - 1) / slab_reals;
  for (std::size_t slab = first; slab < last; ++slab) {
    const std::size_t row = (way == Way::forward ? slab : first + last - 1 - slab) * slab_reals;
    const std::size_t rows = std::min(slab_reals, strip.height - row);
    visit(Slab{.numbers = strip.numbers + row / group * strip.group_bytes,
               .groups = static_cast<int>(groups_of(rows)),
               .rest = numbers_at_end(rows),
               .first = row,
               .begin = std::max(row, begin),
               .end = std::min(row + slab_reals, end)});
  }
}
// Calls visit(c, at) for all columns in the order of the way; `at` moves on by what it returns.
template <Way way, Scalar T, class Visit>
TRISWEEP_INLINE void for_each_column(const Strip<T>& strip, const Slab& slab, const Visit& visit) {
  const std::byte* at = slab.numbers;
  if constexpr (way == Way::forward) {
    for (Index c = 0; c < strip.cols; ++c) at = visit(c, at);
  } else {
    at += usize(slab.groups - 1) * strip.group_bytes + strip.bytes_at_end(slab.rest);
    for (Index c = strip.cols; c-- > 0;) at = visit(c, at);
  }
}

// Calls visit.operator()<groups>().
template <class Visit>
TRISWEEP_INLINE void with_groups(int groups, const Visit& visit) {
  static_assert(slab_groups == 4);
  switch (groups) {
    case 1:
      return visit.template operator()<1>();
    case 2:
      return visit.template operator()<2>();
    case 3:
      return visit.template operator()<3>();
    default:
      return visit.template operator()<4>();
  }
}

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

// sums = the columns of a slab times `factor`, one after the other.
template <int groups, Way way, Scalar T>
void multiply_slab(const Strip<T>& strip, const Slab& slab, const T* factor, RealOf<T>* sums) {
  using R = RealOf<T>;
  Lanes<R> sum[groups] = {};
  for_each_column<way>(
      strip, slab, [&](Index c, const std::byte* at) __attribute__((always_inline)) {
        const auto add = [&](int g, const Lanes<R>& q) __attribute__((always_inline)) {
          add_product<R>(sum[g], factor[c], q);
        };
        return widen<R, groups, way>(at, strip.bits[c], slab.rest, add);
      });
  for (int g = 0; g < groups; ++g) store(sums + g * lanes, sum[g]);
}

template <Way way, Scalar T>
void add_strip(const Strip<T>& strip, const PanelProduct<T>& p, Index k) {
  using R = RealOf<T>;
  const T* const source = p.source + k * p.source_ld + strip.first;
  T factor[strip_cols];
  for (Index c = 0; c < strip.cols; ++c) factor[c] = source[c] * strip.step[c];
  const std::size_t begin = usize(p.first) * parts<T>, end = begin + usize(p.rows) * parts<T>;
  R* const target = reinterpret_cast<R*>(p.target + k * p.target_ld);
  for_each_slab<way>(strip, begin, end, [&](const Slab& slab) {
    alignas(line) R sums[slab_reals];
    with_groups(slab.groups, [&]<int groups>() { multiply_slab<groups, way>(strip, slab, factor, sums); });
    for (std::size_t i = slab.begin; i < slab.end; ++i) target[i - begin] += sums[i - slab.first];
  });
}

// The sums of real numbers, and of complex ones those of x q and of x times q with its parts swapped.
template <Scalar T>
struct Sums {
  using R = RealOf<T>;
  Lanes<R> product;

  TRISWEEP_INLINE void add(const Lanes<R>& x, const Lanes<R>& q) { product += x * q; }
  T total() const { return sum_of_lanes<R>(product); }
};
template <Scalar T>
requires is_complex<T>
struct Sums<T> {
  using R = RealOf<T>;
  Lanes<R> product, crossed;

  TRISWEEP_INLINE void add(const Lanes<R>& x, const Lanes<R>& q) {
    product += x * q;
    crossed += x * swapped<R>(q);
  }
  T total() const { return T(sum_of_lanes<R>(product * alternating(R(1), R(-1))), sum_of_lanes<R>(crossed)); }
};

// sums += the transpose of a slab times x, which is zero where rows are not wanted.
template <int groups, Way way, Scalar T>
void multiply_slab_transposed(const Strip<T>& strip, const Slab& slab, const RealOf<T>* x, Sums<T>* sums) {
  using R = RealOf<T>;
  Lanes<R> factor[groups];
  for (int g = 0; g < groups; ++g) factor[g] = load<Lanes<R>>(x + g * lanes);
  for_each_column<way>(
      strip, slab, [&](Index c, const std::byte* at) __attribute__((always_inline)) {
        Sums<T> sum = sums[c];
        const auto add = [&](int g, const Lanes<R>& q) __attribute__((always_inline)) {
          sum.add(factor[g], q);
        };
        at = widen<R, groups, way>(at, strip.bits[c], slab.rest, add);
        sums[c] = sum;
        return at;
      });
}

template <Way way, Scalar T>
void add_strip_transposed(const Strip<T>& strip, const PanelProduct<T>& p, Index k) {
  using R = RealOf<T>;
  const std::size_t begin = usize(p.first) * parts<T>, end = begin + usize(p.rows) * parts<T>;
  const R* const source = reinterpret_cast<const R*>(p.source + k * p.source_ld);
  Sums<T> sums[strip_cols];
  std::fill_n(sums, strip.cols, Sums<T>{});
  for_each_slab<way>(strip, begin, end, [&](const Slab& slab) {
    const R* x = source + (slab.begin - begin);
    alignas(line) R padded[slab_reals];
    if (slab.end - slab.begin < usize(slab.groups) * group) {
      for (int g = 0; g < slab_groups; ++g) store(padded + g * lanes, Lanes<R>{});
      std::copy_n(x, slab.end - slab.begin, padded + (slab.begin - slab.first));
      x = padded;
    }
    with_groups(slab.groups,
                [&]<int groups>() { multiply_slab_transposed<groups, way>(strip, slab, x, sums); });
  });
  T* const target = p.target + k * p.target_ld + strip.first;
  for (Index c = 0; c < strip.cols; ++c) target[c] += sums[c].total() * strip.step[c];
}

template <bool transposed, Way way, Scalar T>
void multiply_in(const PanelProduct<T>& p) {
  for_each_strip<T>(p.panel, [&](const Strip<T>& strip) {
    for (Index k = 0; k < p.nrhs; ++k)
      transposed ? add_strip_transposed<way>(strip, p, k) : add_strip<way>(strip, p, k);
  });
}

template <bool transposed, Scalar T>
void multiply(const PanelProduct<T>& p) {
  p.backward ? multiply_in<transposed, Way::backward>(p) : multiply_in<transposed, Way::forward>(p);
}

template <Scalar T>
void unpack(const std::byte* panel, T* slabs) {
  using R = RealOf<T>;
  PanelHead head;
  std::memcpy(&head, panel, sizeof head);
  for_each_strip<T>(panel, [&](const Strip<T>& strip) {
    for_each_slab<Way::forward>(strip, 0, strip.height, [&](const Slab& slab) {
      const std::byte* at = slab.numbers;
      for (Index c = 0; c < strip.cols; ++c) {
        for (std::size_t row = slab.first; row < slab.end; row += group) {
          R numbers[lanes];
          const std::size_t count = std::min<std::size_t>(group, slab.end - row);
          at = widen<R, 1, Way::forward>(at, strip.bits[c], count,
                                         [&](int, const Lanes<R>& q) { store(numbers, strip.step[c] * q); });
          const auto first = static_cast<Index>(row / parts<T>);
          auto* const to =
              reinterpret_cast<R*>(slabs + slab_entry(head.rows, head.cols, first, strip.first + c));
          std::copy_n(numbers, count, to);
        }
      }
    });
  });
}

}  // namespace

template <Scalar T>
PanelProducts<T> products_of_panels() {
  return {.add = multiply<false, T>, .add_transposed = multiply<true, T>, .unpack = unpack<T>};
}

#define INSTANTIATE(T) template PanelProducts<T> products_of_panels<T>();
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::compression::TRISWEEP_ISA
