// Compiled once for each instruction set, TRISWEEP_ISA being its namespace (CMakeLists.txt).

#include "trisweep/lowrank/panel_products.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "trisweep/core/slabs.hpp"
#include "trisweep/lowrank/packed_blocks.hpp"

namespace trisweep::lowrank::TRISWEEP_ISA {
namespace {

// A factor of a column's numbers: adds the product with its real part first, then that with its imaginary
// part.
template <class T>
struct Factor {
  Lanes<T> factor;

  TRISWEEP_INLINE Factor(T value, const Lanes<T>& scale) : factor(value * scale) {}
  TRISWEEP_INLINE void add_product(Lanes<T>& y, const Lanes<T>& q) const { y += factor * q; }
};
template <class R>
struct Factor<std::complex<R>> {
  Lanes<R> factor, crossed;

  TRISWEEP_INLINE Factor(std::complex<R> value, const Lanes<R>& scale)
      : factor(value.real() * scale), crossed(alternating(-value.imag(), value.imag()) * swapped<R>(scale)) {}
  TRISWEEP_INLINE void add_product(Lanes<R>& y, const Lanes<R>& q) const {
    y += factor * q;
    y += crossed * swapped<R>(q);
  }
};

// target += the columns of a slab times `factor`, one after the other, for the rows of the product.
template <int groups, Way way, bool is_short, Scalar T>
void multiply_slab(const PackedBlock<T>& packed_block, const Slab& slab, const T* factor, RealOf<T>* target) {
  using R = RealOf<T>;
  Lanes<R> sum[groups] = {};
  for_each_column<way>(
      packed_block, slab, [&](Index c, const std::byte* at) __attribute__((always_inline)) {
        const Factor<T> by(factor[c], scale_of<R>(packed_block.bits[c]));
        const auto add = [&](int g, const Lanes<R>& q) __attribute__((always_inline)) {
          by.add_product(sum[g], q);
        };
        return widen<R, groups, way, is_short>(at, packed_block.bits[c], slab.rest, add);
      });
  const std::size_t rows = slab.end - slab.begin;
  if (rows > usize(groups - 1) * group &&
      slab.begin == slab.first) {  // all groups, but perhaps not the last one's end
    for (int g = 0; g + 1 < groups; ++g)
      store(target + g * lanes, load<Lanes<R>>(target + g * lanes) + sum[g]);
    target += (groups - 1) * lanes;
    if (rows == usize(groups) * group) return store(target, load<Lanes<R>>(target) + sum[groups - 1]);
    R last[lanes];
    store(last, sum[groups - 1]);
    for (std::size_t i = 0; i < rows % group; ++i) target[i] += last[i];
    return;
  }
  alignas(line) R sums[slab_reals];
  for (int g = 0; g < groups; ++g) store(sums + g * lanes, sum[g]);
  for (std::size_t i = 0; i < rows; ++i) target[i] += sums[slab.begin - slab.first + i];
}

template <Way way, Scalar T>
void add_packed_block(const PackedBlock<T>& packed_block, const PanelProduct<T>& p, Index k) {
  using R = RealOf<T>;
  const T* const source = p.source + k * p.source_ld + packed_block.first;
  alignas(line) T factor[packed_block_cols];
  for (Index c = 0; c < packed_block.cols; ++c) factor[c] = source[c] * packed_block.step[c];
  const std::size_t begin = usize(p.first) * parts<T>, end = begin + usize(p.rows) * parts<T>;
  R* const target = reinterpret_cast<R*>(p.target + k * p.target_ld);
  for_each_slab<way>(packed_block, begin, end, [&](const Slab& slab) {
    with_groups(slab.groups, packed_block.is_short, [&]<int groups, bool is_short>() {
      multiply_slab<groups, way, is_short>(packed_block, slab, factor, target + (slab.begin - begin));
    });
  });
}

// Sums of x q for real numbers; for complex ones also of x times q with its parts swapped.
template <Scalar T>
struct Sums {
  using R = RealOf<T>;
  Lanes<R> product;

  TRISWEEP_INLINE void add(const Lanes<R>& x, const Lanes<R>& q) { product += x * q; }
  T total(const Lanes<R>& scale) const { return sum_of_lanes<R>(product * scale); }
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
  T total(const Lanes<R>& scale) const {
    return T(sum_of_lanes<R>(product * scale * alternating(R(1), R(-1))),
             sum_of_lanes<R>(crossed * swapped<R>(scale)));
  }
};

// sums += the transpose of a slab times x, which is zero outside the rows of the product.
template <int groups, Way way, bool is_short, Scalar T>
void multiply_slab_transposed(const PackedBlock<T>& packed_block, const Slab& slab, const RealOf<T>* x,
                              Sums<T>* sums) {
  using R = RealOf<T>;
  Lanes<R> factor[groups];
  for (int g = 0; g < groups; ++g) factor[g] = load<Lanes<R>>(x + g * lanes);
  for_each_column<way>(
      packed_block, slab, [&](Index c, const std::byte* at) __attribute__((always_inline)) {
        Sums<T> sum = sums[c];
        const auto add = [&](int g, const Lanes<R>& q) __attribute__((always_inline)) {
          sum.add(factor[g], q);
        };
        at = widen<R, groups, way, is_short>(at, packed_block.bits[c], slab.rest, add);
        sums[c] = sum;
        return at;
      });
}

template <Way way, Scalar T>
void add_packed_block_transposed(const PackedBlock<T>& packed_block, const PanelProduct<T>& p, Index k) {
  using R = RealOf<T>;
  const std::size_t begin = usize(p.first) * parts<T>, end = begin + usize(p.rows) * parts<T>;
  const R* const source = reinterpret_cast<const R*>(p.source + k * p.source_ld);
  Sums<T> sums[packed_block_cols];
  std::fill_n(sums, packed_block.cols, Sums<T>{});
  for_each_slab<way>(packed_block, begin, end, [&](const Slab& slab) {
    const R* x = source + (slab.begin - begin);
    alignas(line) R padded[slab_reals];
    if (slab.end - slab.begin < usize(slab.groups) * group) {
      for (int g = 0; g < slab_groups; ++g) store(padded + g * lanes, Lanes<R>{});
      std::copy_n(x, slab.end - slab.begin, padded + (slab.begin - slab.first));
      x = padded;
    }
    with_groups(slab.groups, packed_block.is_short, [&]<int groups, bool is_short>() {
      multiply_slab_transposed<groups, way, is_short>(packed_block, slab, x, sums);
    });
  });
  T* const target = p.target + k * p.target_ld + packed_block.first;
  for (Index c = 0; c < packed_block.cols; ++c)
    target[c] += sums[c].total(scale_of<RealOf<T>>(packed_block.bits[c])) * packed_block.step[c];
}

template <bool transposed, Way way, Scalar T>
void multiply_in(const PanelProduct<T>& p) {
  for_each_packed_block<T>(p.panel, [&](const PackedBlock<T>& packed_block) {
    for (Index k = 0; k < p.nrhs; ++k)
      transposed ? add_packed_block_transposed<way>(packed_block, p, k)
                 : add_packed_block<way>(packed_block, p, k);
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
  for_each_packed_block<T>(panel, [&](const PackedBlock<T>& packed_block) {
    for_each_slab<Way::forward>(packed_block, 0, packed_block.height, [&](const Slab& slab) {
      const std::byte* at = slab.numbers;
      for (Index c = 0; c < packed_block.cols; ++c) {
        for (std::size_t row = slab.first; row < slab.end; row += group) {
          R numbers[lanes];
          const std::size_t count = std::min<std::size_t>(group, slab.end - row);
          const Lanes<R> step = packed_block.step[c] * scale_of<R>(packed_block.bits[c]);
          at = widen<R, 1, Way::forward, false>(at, packed_block.bits[c], count,
                                                [&](int, const Lanes<R>& q) { store(numbers, step * q); });
          const auto first = static_cast<Index>(row / parts<T>);
          auto* const to =
              reinterpret_cast<R*>(slabs + slab_entry(head.rows, head.cols, first, packed_block.first + c));
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

}  // namespace trisweep::lowrank::TRISWEEP_ISA
