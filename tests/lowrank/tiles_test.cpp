#include "trisweep/lowrank/tiles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "lowrank/support.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/lowrank/tile_products.hpp"

namespace trisweep::lowrank {
namespace {

// Interactions of points on a line, of low rank away from the diagonal, and noise that no rank is enough for.
template <Scalar T>
struct Example {
  Index height, width;
  double noise;
  std::vector<T> slabs;

  Example(Index rows, Index cols, double level) : height(rows), width(cols), noise(level) {
    slabs.resize(usize(height) * usize(width));
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < height; ++i) {
        const double smooth = 1 / (1 + std::abs(double(i) + 3 - j));
        const double rough = noise * (pseudo_random(i, j) - 0.5);
        slabs[slab_entry(height, width, i, j)] = value(smooth + rough, 0.5 * smooth - rough);
      }
    }
  }
  static T value(double re, double im) {
    if constexpr (is_complex<T>) {
      return T(RealOf<T>(re), RealOf<T>(im));
    } else {
      return T(re + 0 * im);
    }
  }
  T at(Index i, Index j) const { return slabs[slab_entry(height, width, i, j)]; }
};

template <Scalar T>
class Tiles : public testing::Test {};
TYPED_TEST_SUITE(Tiles, testing_support::Scalars);

template <Scalar T>
constexpr double eps_of() {
  return std::same_as<RealOf<T>, float> ? 1e-3 : 1e-7;
}

// Work rows of a panel's rows: behind those of the source, in reverse.
struct Places {
  std::vector<Index> position;
  Places(Index height, Index width) : position(usize(height)) {
    for (Index i = 0; i < height; ++i) position[usize(i)] = width + height - 1 - i;
  }
};

template <Scalar T>
std::vector<T> vectors(std::size_t size) {
  std::vector<T> v(size);
  for (Index i = 0; T & e : v) {
    e = Example<T>::value(pseudo_random(3, i) - 0.5, pseudo_random(4, i));
    ++i;
  }
  return v;
}

template <Scalar T>
void compare_products(const Example<T>& e, kernels::Panel<T> panel, Index nrhs) {
  const Places places(e.height, e.width);
  panel.position = places.position.data() + panel.begin;
  const auto before = vectors<T>(usize(e.height + e.width) * usize(nrhs));
  std::vector<T> scratch(kernels::scratch_size(e.width, nrhs), Example<T>::value(NAN, NAN));
  for (const bool scatter : {true, false}) {
    auto rows = before, expected = before;
    const kernels::Work<T> work{rows.data(), scratch.data(), nrhs};
    scatter ? kernels::scatter_product(panel, 0, work) : kernels::gather_product(panel, 0, work);
    for (Index i = panel.begin; i < panel.end; ++i) {
      for (Index j = 0; j < e.width; ++j) {
        const T p = panel.conjugate ? conjugate(e.at(i, j)) : e.at(i, j);
        for (Index k = 0; k < nrhs; ++k) {
          const auto row = usize(places.position[usize(i)]) * usize(nrhs) + usize(k);
          const auto col = usize(j) * usize(nrhs) + usize(k);
          scatter ? expected[row] -= p * before[col] : expected[col] -= p * before[row];
        }
      }
    }
    EXPECT_LE(testing_support::largest_difference(rows, expected), 20 * eps_of<T>() * norm_of(e.slabs))
        << (scatter ? "scatter" : "gather") << " " << e.height << "x" << e.width << " rows " << panel.begin
        << " to " << panel.end;
  }
}

TYPED_TEST(Tiles, GiveTheProductsOfThePanel) {
  using T = TypeParam;
  for (const auto& [height, width] :
       std::vector<std::pair<Index, Index>>{{300, 100}, {129, 260}, {70, 37}, {333, 9}}) {
    for (const double noise : {0.0, 0.1}) {
      const Example<T> e(height, width, noise);
      const std::vector<Index> ends{height / 3, height};
      const auto bytes =
          in_tiles<T>(SlabPanel<T>{e.slabs.data(), height, width}, tile_rows(ends), eps_of<T>());
      ASSERT_FALSE(bytes.empty());
      EXPECT_LT(bytes.size(), e.slabs.size() * sizeof(T));
      for (const Index nrhs : {1, 3, 7}) {
        for (const bool conjugate : {false, true}) {
          kernels::Panel<T> panel{.value = stored_tiles<T>(bytes.data()),
                                  .position = nullptr,
                                  .height = height,
                                  .width = width,
                                  .begin = 0,
                                  .end = height,
                                  .conjugate = conjugate};
          compare_products(e, panel, nrhs);
          panel.begin = height / 5;
          panel.end = height - 13;
          compare_products(e, panel, nrhs);
        }
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::lowrank
