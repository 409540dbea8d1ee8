#include "trisweep/model/noise.hpp"

#include <gtest/gtest.h>

namespace trisweep::model {
namespace {

TEST(Noise, HasMeanOneAndTheSpreadThatIsAskedFor) {
  for (const double sigma : {0.25, 1.0}) {
    const Noise noise{.sigma = sigma};
    const int numbers = 40000;
    double sum = 0, logs = 0, squares = 0;
    for (std::uint64_t i = 0; i < numbers; ++i) {
      const double factor = noise.factor(1e-6, {7, i / 100, i % 100}), log = std::log(factor);
      sum += factor;
      logs += log;
      squares += log * log;
    }
    EXPECT_NEAR(sum / numbers, 1, 0.03 * sigma);
    EXPECT_NEAR(std::sqrt(squares / numbers - (logs / numbers) * (logs / numbers)), sigma, 0.01 * sigma);
  }
  EXPECT_EQ(Noise{}.factor(1e-6, {1, 2}), 1);
}

TEST(Noise, EvensOutInALongTask) {
  const Noise noise{.sigma = 1};
  const int numbers = 40000, stretches = 100;
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < numbers; ++i) {
    const double factor = noise.factor(stretches * Noise::stretch_seconds, {i});
    sum += factor;
    squares += factor * factor;
  }
  EXPECT_NEAR(sum / numbers, 1, 0.005);
  EXPECT_NEAR(squares / numbers - (sum / numbers) * (sum / numbers), std::expm1(1.0) / stretches, 0.001);
}

}  // namespace
}  // namespace trisweep::model
