#include "trisweep/sptrsv/choice.hpp"

#include <fmt/format.h>

#include "trisweep/core/parallel_for.hpp"

namespace trisweep::sptrsv {
namespace {

// Trying all algorithms takes as long as about 50 solves; the fastest saves at most half of a solve's time.
constexpr int least_solves = 100;

// An algorithm replaces an earlier one in the table only if its estimate is at most this multiple.
constexpr double clear_gain = 0.95;

Chosen chosen(RowSchedule schedule, std::string_view algorithm, std::string reason) {
  Choice choice{.algorithm = std::string(algorithm), .reason = std::move(reason)};
  for (const ThreadSchedule& thread : schedule) {
    choice.blocks += static_cast<Index>(thread.block.size());
    choice.waits += static_cast<Index>(thread.wait.size());
  }
  return {std::move(schedule), std::move(choice)};
}

struct Candidate {
  RowSchedule schedule;
  double seconds = 0;  // estimated
};

// Returns the candidates in the order of algorithms(). The last ones take longest and are started first.
std::vector<Candidate> all_candidates(const matrix::Pattern& below, ThreadPool& pool) {
  std::vector<Candidate> candidates(algorithms().size());
  parallel_for(pool, candidates.size(), [&](int, std::size_t before) {
    const std::size_t k = candidates.size() - 1 - before;
    candidates[k].schedule = make_schedule(below, algorithms()[k].assign(below, pool.size()));
    candidates[k].seconds = estimate(below, candidates[k].schedule);
  });
  return candidates;
}

Chosen fastest(const matrix::Pattern& below, ThreadPool& pool) {
  std::vector<Candidate> candidates = all_candidates(below, pool);
  std::string estimates;
  std::size_t best = 0;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    estimates += fmt::format("{} {} {:.3g} ms", k == 0 ? "estimated:" : ",", algorithms()[k].name,
                             1e3 * candidates[k].seconds);
    if (candidates[k].seconds <= clear_gain * candidates[best].seconds) best = k;
  }
  return chosen(std::move(candidates[best].schedule), algorithms()[best].name, std::move(estimates));
}

}  // namespace

Chosen choose(const matrix::Pattern& below, const RowSolverOptions& options, ThreadPool& pool) {
  const auto by = [&](const NamedAlgorithm& algorithm, std::string_view reason) {
    return chosen(make_schedule(below, algorithm.assign(below, options.threads)), algorithm.name,
                  std::string(reason));
  };
  if (options.algorithm != automatic) return by(find_algorithm(options.algorithm), {});
  const NamedAlgorithm& simplest = algorithms().front();
  if (options.threads == 1) return by(simplest, "one thread needs no synchronization");
  if (options.solves < least_solves)
    return by(simplest, "too few solves to pay for trying the other algorithms");
  return fastest(below, pool);
}

}  // namespace trisweep::sptrsv
