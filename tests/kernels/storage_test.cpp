// A storage that the library does not have takes a type that widens, and its kernels.

#include <gtest/gtest.h>

#include <bit>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/core/buffer.hpp"
#include "trisweep/kernels/any_columns.hpp"

namespace trisweep::kernels {
namespace {

// The upper half of a float.
struct Bfloat16 {
  std::uint16_t bits = 0;
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

}  // namespace

template <>
const PanelKernels<double>& panel_kernels<Bfloat16, double>() {
  using namespace TRISWEEP_ISA;  // the test program's own
  static constexpr PanelKernels<double> kernels{
      .scatter = [](const Product<double>& p) { multiply_by_columns<Bfloat16, Rows::subtract>(p); },
      .gather = [](const Product<double>& p) { gather_by_columns<Bfloat16>(p); },
      .multiply = [](const Product<double>& p) { multiply_by_columns<Bfloat16, Rows::assign>(p); }};
  return kernels;
}

namespace {

TEST(Storage, OfAnotherTypeIsOneTypeAndItsKernels) {
  constexpr Index height = 23, width = 5;  // of one slab
  Buffer<Bfloat16> values(usize(height * width), "a panel");
  std::vector<Index> position;
  for (Index i = 0; i < height; ++i) position.push_back(width + i);
  for (Index i = 0; i < height * width; ++i)
    values[usize(i)].bits = static_cast<std::uint16_t>(0x3f00 + i + (i % 2) * 0x8000);
  const auto value = [&](Index i, Index j) { return double(values[usize(i + j * height)]); };
  EXPECT_EQ(value(0, 0), 0.5);
  const Panel<double> panel{values.data(), position.data(), height, width, 0, height, false};
  for (const Index nrhs : {1, 3, 9}) {
    const auto before = testing_support::random_vector<double>(usize((height + width) * nrhs), 3);
    auto rows = before, expected = before;
    std::vector<double> scratch(scratch_size(width, nrhs));
    const Work<double> work{rows.data(), scratch.data(), nrhs};
    const auto at = [&](Index row, Index r) -> double& { return expected[usize(row * nrhs + r)]; };
    for (Index r = 0; r < nrhs; ++r) {
      for (Index i = 0; i < height; ++i) {
        for (Index j = 0; j < width; ++j) at(width + i, r) -= value(i, j) * at(j, r);
      }
      for (Index j = 0; j < width; ++j) {
        for (Index i = 0; i < height; ++i) at(j, r) -= value(i, j) * at(width + i, r);
      }
    }
    scatter_product(panel, 0, work);
    gather_product(panel, 0, work);
    EXPECT_LT(testing_support::largest_difference(rows, expected),
              1e-14 * testing_support::largest_magnitude(expected));
  }
}

}  // namespace
}  // namespace trisweep::kernels
