#pragma once
// Which algorithm solves, and why.

#include <string>
#include <string_view>

#include "trisweep/core/thread_pool.hpp"
#include "trisweep/sptrsv/row_schedule.hpp"

namespace trisweep::sptrsv {

// The name of an algorithm (algorithms.hpp), or this: the one that is estimated to be the fastest.
inline constexpr std::string_view automatic = "auto";

struct RowSolverOptions {
  std::string algorithm{automatic};
  int threads = 1;
  int solves = 1000;  // about as many are expected; `auto` does not look at all algorithms for a few
};

struct Choice {
  std::string algorithm;
  std::string reason;  // of `auto`; empty where an algorithm was asked for
  Index blocks = 0;
  Index waits = 0;
};

struct Chosen {
  RowSchedule schedule;
  Choice choice;
};

// The thread pool, of options.threads, looks at several algorithms at a time. Throws Error(usage) for an
// unknown one.
Chosen choose(const matrix::Pattern& below, const RowSolverOptions& options, ThreadPool& pool);

}  // namespace trisweep::sptrsv
