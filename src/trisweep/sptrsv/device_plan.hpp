#pragma once
// How a device solves with a triangular matrix: rows in the order of their levels, by one launch or several.

#include <span>
#include <string>
#include <string_view>

#include "trisweep/core/occupancy.hpp"
#include "trisweep/sptrsv/shape.hpp"

namespace trisweep::sptrsv {

// Rows of the order. Where they `wait`, warps look at each unknown that they need until it is there; else all
// that they need is of earlier launches.
struct RowLaunch {
  Index begin;
  Index end;
  bool waits;
};

struct DevicePlan {
  std::vector<Index> row;         // by position in the order
  std::vector<RowLaunch> launch;  // one after another
  int lanes = 1;                  // of a warp, that share a row's entries: a power of two
};

// Lanes that share a row's entries; `fitting`: about as many as a row has, up to a warp.
inline constexpr int fitting = 0;

struct NamedDeviceAlgorithm {
  std::string_view name;
  std::string_view description;
  int lanes;
  bool by_level;  // a launch for each large level, and for small ones that follow each other; else one
};
std::span<const NamedDeviceAlgorithm> device_algorithms();
// Throws Error(usage), listing the names.
const NamedDeviceAlgorithm& find_device_algorithm(std::string_view name);

// `below`: strictly lower triangular.
DevicePlan device_plan(const matrix::Pattern& below, const NamedDeviceAlgorithm& algorithm);

// Of one GPU, in seconds. Estimates: no GPU was at hand to measure them.
struct DeviceCosts {
  double launch = 3e-6;
  double hop = 1e-6;      // from a solved unknown to its being seen by a waiting lane
  double round = 0.5e-6;  // of a lane's entry: its unknown is read
  double step = 0.03e-6;  // of a sum over lanes, each of which halves their number
  double resident_lanes = 132 * 256 * resident_blocks_of("SolveRows<double>");  // an H100's
};
// What bounds a solve from below: the chain of levels, or lanes that are all taken.
double estimate(const matrix::Pattern& below, const DevicePlan& plan, Index levels,
                const DeviceCosts& costs = {});

struct DeviceChoice {
  std::string algorithm;
  std::string reason;  // estimates of all algorithms; empty where one was asked for
  DevicePlan plan;
};
// By name, or `automatic` (triangular_solver.hpp): of the least estimate.
DeviceChoice choose_for_device(const matrix::Pattern& below, std::string_view algorithm);

}  // namespace trisweep::sptrsv
