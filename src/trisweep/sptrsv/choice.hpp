#pragma once
// The choice of the algorithm, and its reason.

#include <string>
#include <string_view>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/sptrsv/row_schedule.hpp"

namespace trisweep::sptrsv {

// In place of the name of an algorithm (algorithms.hpp): the one estimated to be the fastest.
inline constexpr std::string_view automatic = "auto";

struct RowSolverOptions {
  std::string algorithm{automatic};
  int threads = 1;
  int solves = 1000;  // expected number of solves; for few, `auto` does not try all algorithms
};

struct Choice {
  std::string algorithm;
  std::string reason;  // of `auto`; empty if an algorithm was asked for
  Index blocks = 0;
  Index waits = 0;
};

struct Chosen {
  RowSchedule schedule;
  Choice choice;
};

// `pool`: of options.threads threads, which try several algorithms at a time. Throws Error(usage) for an
// unknown algorithm.
Chosen choose(const matrix::Pattern& below, const RowSolverOptions& options, ThreadPool& pool);

}  // namespace trisweep::sptrsv
