#pragma once
// The plan of a triangular solve on a device: rows ordered by levels, in one or several launches.

#include <span>
#include <string>
#include <string_view>

#include "trisweep/core/occupancy.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace trisweep::sptrsv {

// Positions [begin, end) in the order. If `waits`, warps poll each unknown that they need until it is solved;
// otherwise they depend only on earlier launches.
struct RowLaunch {
  Index begin;
  Index end;
  bool waits;
};

struct DevicePlan {
  std::vector<Index> row;         // by position in the order
  std::vector<RowLaunch> launch;  // in order
  int lanes = 1;                  // lanes of a warp that share a row's entries: a power of two
};

// Value of NamedDeviceAlgorithm::lanes: as many lanes as a row has entries on average, up to a warp.
inline constexpr int fitting = 0;

struct NamedDeviceAlgorithm {
  std::string_view name;
  std::string_view description;
  int lanes;      // that share a row's entries
  bool by_level;  // a launch for each large level, and for each run of small ones; otherwise one launch
};
std::span<const NamedDeviceAlgorithm> device_algorithms();
// Throws Error(usage), listing the names, if there is none.
const NamedDeviceAlgorithm& find_device_algorithm(std::string_view name);

// `below`: strictly lower triangular.
DevicePlan device_plan(const matrix::Pattern& below, const NamedDeviceAlgorithm& algorithm);

// Costs on one GPU, in seconds. Estimated, not measured.
struct DeviceCosts {
  double launch = 3e-6;
  double hop = 1e-6;      // from a solved unknown until a waiting lane sees it
  double round = 0.5e-6;  // of one entry of a lane, including the read of its unknown
  double step = 0.03e-6;  // of one step of a sum over lanes, which halves their number
  double resident_lanes = 132 * 256 * resident_blocks_of("SolveRows<double>");  // an H100's
};
// Returns the estimated seconds of a solve: limited by the chain of levels or by resident lanes.
double estimate(const matrix::Pattern& below, const DevicePlan& plan, Index levels,
                const DeviceCosts& costs = {});

struct DeviceChoice {
  std::string algorithm;
  std::string reason;  // estimates of all algorithms; empty if one was asked for
  DevicePlan plan;
};
// Returns the algorithm of this name, or for `automatic` (choice.hpp) the one with the least estimate.
DeviceChoice choose_for_device(const matrix::Pattern& below, std::string_view algorithm);

}  // namespace trisweep::sptrsv
