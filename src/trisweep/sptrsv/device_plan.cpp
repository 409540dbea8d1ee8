#include "trisweep/sptrsv/device_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "trisweep/core/named.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/sptrsv/choice.hpp"

namespace trisweep::sptrsv {
namespace {

// In order of increasing lanes: of equal estimates, the first is chosen.
constexpr auto table_of_device_algorithms = std::to_array<NamedDeviceAlgorithm>({
    {"thread-level", "one thread per row, for very short rows", 1, false},
    {"sub-warp", "as many threads per row as it has entries", fitting, false},
    {"sync-free", "one warp per row, waiting for its dependencies only", slab_rows, false},
    {"level-set", "one launch per level of the dependency graph, small levels merged", fitting, true},
});

// Fewer rows leave most of a device idle: a launch then costs more than waiting.
constexpr Index rows_of_launch = 4096;

double mean_entries(const matrix::Pattern& below) {
  return double(below.nonzeros()) / double(std::max(below.rows, 1));
}

std::vector<RowLaunch> launches_of(const Levels& levels) {
  std::vector<RowLaunch> launch;
  Index begin = 0;
  for (const Index end : levels.end) {
    const bool small = end - begin < rows_of_launch;
    if (small && !launch.empty() && launch.back().waits) {
      launch.back().end = end;
    } else {
      launch.push_back({begin, end, small});
    }
    begin = end;
  }
  return launch;
}

DevicePlan plan_of(const matrix::Pattern& below, const Levels& levels,
                   const NamedDeviceAlgorithm& algorithm) {
  const auto fits = std::bit_ceil(static_cast<unsigned>(std::max(mean_entries(below), 1.0)));
  return {.row = levels.row,
          .launch = algorithm.by_level ? launches_of(levels) : std::vector<RowLaunch>{{0, below.rows, true}},
          .lanes = algorithm.lanes == fitting ? std::min(static_cast<int>(fits), static_cast<int>(slab_rows))
                                              : algorithm.lanes};
}

}  // namespace

std::span<const NamedDeviceAlgorithm> device_algorithms() {
  return table_of_device_algorithms;
}

const NamedDeviceAlgorithm& find_device_algorithm(std::string_view name) {
  return find_named(device_algorithms(), "algorithm for devices", name);
}

DevicePlan device_plan(const matrix::Pattern& below, const NamedDeviceAlgorithm& algorithm) {
  return plan_of(below, rows_by_level(shape_of(below)), algorithm);
}

double estimate(const matrix::Pattern& below, const DevicePlan& plan, Index levels,
                const DeviceCosts& costs) {
  const double of_row = costs.round * std::max(1.0, mean_entries(below) / plan.lanes) +
                        costs.step * std::countr_zero(static_cast<unsigned>(plan.lanes));
  double alone = 0;  // launches of a single large level
  for (const RowLaunch& launch : plan.launch) alone += launch.waits ? 0 : 1;
  const double taken = double(below.rows) * plan.lanes / costs.resident_lanes;
  const double of_waits = costs.hop * (alone == 0 ? std::max(double(levels), taken) : levels - alone);
  return costs.launch * double(plan.launch.size()) + of_row * std::max(double(levels), taken) + of_waits;
}

DeviceChoice choose_for_device(const matrix::Pattern& below, std::string_view algorithm) {
  const Shape shape = shape_of(below);
  const Levels levels = rows_by_level(shape);
  if (algorithm != automatic) {
    const auto& asked = find_device_algorithm(algorithm);
    return {.algorithm = std::string(algorithm), .plan = plan_of(below, levels, asked)};
  }
  DeviceChoice best;
  std::string estimates;
  double least = 0;
  for (const NamedDeviceAlgorithm& one : device_algorithms()) {
    DevicePlan plan = plan_of(below, levels, one);
    const double seconds = estimate(below, plan, shape.levels);
    estimates += fmt::format("{}{} {:.3g} ms", estimates.empty() ? "" : ", ", one.name, 1e3 * seconds);
    if (!best.algorithm.empty() && seconds >= least) continue;
    least = seconds;
    best.algorithm = one.name;
    best.plan = std::move(plan);
  }
  best.reason = "estimated: " + estimates;
  return best;
}

}  // namespace trisweep::sptrsv
