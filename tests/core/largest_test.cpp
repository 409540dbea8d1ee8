#include "support/largest.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

namespace trisweep::testing_support {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Largest, OfNumbersIsTheLargest) {
  EXPECT_EQ(Largest{}.value(), 0);
  EXPECT_EQ(largest_magnitude(std::vector<double>{1, -3, 2}), 3);
  EXPECT_EQ(largest_magnitude(std::vector<std::complex<float>>{{0, 1}, {3, -4}}), 5);
  EXPECT_EQ(largest_difference(std::vector<double>{1, 2, 5}, std::vector<double>{1, 4, 4}), 2);
}

// Wherever it stands, and whatever stands beside it.
TEST(Largest, IsInfiniteWhenOneIsNotANumber) {
  for (std::size_t place = 0; place < 3; ++place) {
    for (const double other : {0.0, 1.0, infinity, nan}) {
      std::vector<double> values(3, other);
      values[place] = nan;
      EXPECT_EQ(largest_magnitude(values), infinity) << place << " beside " << other;
      EXPECT_EQ(largest_difference(values, std::vector<double>(3)), infinity) << place << " beside " << other;
      EXPECT_EQ(largest_difference(std::vector<double>(3), values), infinity) << place << " beside " << other;
    }
  }
  const std::vector<std::complex<double>> imaginary{{1, 0}, {0, nan}, {1, 0}};
  EXPECT_EQ(largest_magnitude(imaginary), infinity);
  EXPECT_EQ(largest_difference(std::vector<double>{infinity}, std::vector<double>{infinity}), infinity);
}

TEST(Largest, IsInfiniteWhenLengthsDiffer) {
  EXPECT_EQ(largest_difference(std::vector<double>{}, std::vector<double>{0}), infinity);
}

}  // namespace
}  // namespace trisweep::testing_support
