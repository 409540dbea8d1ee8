#pragma once
// Random variation of run times: other processes, interrupts, the traffic of other jobs. The time of each
// task and of each message's flight is multiplied by its own log-normal factor of mean 1: the extra time of a
// plan with noise is what it loses by waiting for the slowest of several.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

#include "trisweep/core/split_mix.hpp"

namespace trisweep::model {

struct Noise {
  double sigma = 0;        // standard deviation of a short task's log-factor; 0: no noise
  std::uint64_t seed = 1;  // another seed draws other factors

  // Noise averages out over longer tasks: their factor is the mean of one factor per stretch of this length,
  // which has as much less variance (Fenton 1960: still about log-normal).
  static constexpr double stretch_seconds = 10e-6;

  // The factor of the work that `id` names and that takes `seconds`: the same in every run, whatever happens
  // before.
  double factor(double seconds, std::initializer_list<std::uint64_t> id) const {
    if (sigma == 0) return 1;
    std::uint64_t state = split_mix(seed);
    for (const std::uint64_t part : id) state = split_mix(state ^ part);
    const double first = uniform(split_mix(state)), second = uniform(split_mix(~state));
    const double normal = std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
    const double stretches = std::max(seconds / stretch_seconds, 1.0);
    const double log_variance = std::log1p(std::expm1(sigma * sigma) / stretches);
    return std::exp(std::sqrt(log_variance) * normal - log_variance / 2);
  }

 private:
  // In (0, 1].
  static double uniform(std::uint64_t x) { return (double(x >> 11) + 1) * 0x1p-53; }
};

}  // namespace trisweep::model
