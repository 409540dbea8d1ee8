#include "trisweep/sptrsv/row_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <utility>

namespace trisweep::sptrsv {
namespace {

// The thread that computes a row, and the block of that thread.
struct Place {
  Index thread;
  Index block;
};

std::vector<Place> places_of(const matrix::Pattern& below, const Assignment& assignment) {
  std::vector<Place> place(usize(below.rows));
  for (std::size_t t = 0; t < assignment.size(); ++t) {
    Index row = 0;
    for (std::size_t b = 0; b < assignment[t].block_end.size(); ++b) {
      for (; row < assignment[t].block_end[b]; ++row)
        place[usize(assignment[t].row[usize(row)])] = {static_cast<Index>(t), static_cast<Index>(b)};
    }
  }
  return place;
}

// Model of a thread's cache for lines of unknowns: direct-mapped.
class Cache {
 public:
  // Accesses the line of an unknown; returns true if it had to be fetched.
  bool misses(Index unknown) {
    const Index line = unknown / 8;
    return std::exchange(line_[usize(line) % line_.size()], line) != line;
  }

 private:
  std::vector<Index> line_ = std::vector<Index>(8192, -1);
};

// Reorders the rows of each block, a few at a time, by their levels among themselves: a row then seldom
// depends on the previous one, and the processor works on several rows at once. Few, so that their data stays
// in cache.
class Interleaver {
 public:
  explicit Interleaver(const matrix::Pattern& below) : below_(below), level_(usize(below.rows), -1) {}

  void apply(std::vector<Index>& rows, std::span<const Index> block_end) {
    constexpr Index few = 1024;
    for (Index begin = 0; const Index end : block_end) {
      for (; begin < end; begin = std::min(begin + few, end))
        order(std::span(rows).subspan(usize(begin), usize(std::min(few, end - begin))));
    }
  }

 private:
  void order(std::span<Index> rows) {
    std::ranges::fill(count_, 0);
    const Index first = std::ranges::min(rows);  // earlier rows are not among `rows`
    for (const Index i : rows) {
      Index level = 0;
      for (const Index j : below_.row(i) | std::views::reverse) {
        if (j < first) break;
        level = std::max(level, level_[usize(j)] + 1);
      }
      level_[usize(i)] = level;
      if (usize(level) + 1 >= count_.size()) count_.resize(usize(level) + 2);
      ++count_[usize(level) + 1];
    }
    std::partial_sum(count_.begin(), count_.end(), count_.begin());
    ordered_.resize(rows.size());
    for (const Index i : rows) ordered_[usize(count_[usize(level_[usize(i)])]++)] = i;
    for (const Index i : rows) level_[usize(i)] = -1;
    std::ranges::copy(ordered_, rows.begin());
  }

  const matrix::Pattern& below_;
  std::vector<Index> level_;    // by row; -1: not among the current rows
  std::vector<Index> count_;    // by level: number of rows of lower levels
  std::vector<Index> ordered_;  // the current rows
};

// Computes the waits of a thread's blocks: numbers of completed blocks of other threads.
class Waits {
 public:
  Waits(const matrix::Pattern& below, const Assignment& assignment)
      : below_(below), place_(places_of(below, assignment)), needed_(assignment.size()) {}

  void add_to(ThreadSchedule& mine, std::size_t t) {
    std::vector<Index> waited(needed_.size());
    std::ranges::fill(needed_, 0);
    Index row = 0;
    for (Block& block : mine.block) {
      for (; row < block.row_end; ++row) need(mine.row[usize(row)]);
      for (std::size_t other = 0; other < needed_.size(); ++other) {
        if (other != t && needed_[other] > waited[other])
          mine.wait.push_back({static_cast<Index>(other), needed_[other]});
      }
      waited = needed_;
      block.wait_end = static_cast<Index>(mine.wait.size());
    }
  }

 private:
  void need(Index row) {
    for (const Index j : below_.row(row)) {
      const Place& p = place_[usize(j)];
      needed_[usize(p.thread)] = std::max(needed_[usize(p.thread)], p.block + 1);
    }
  }

  const matrix::Pattern& below_;
  const std::vector<Place> place_;
  std::vector<Index> needed_;  // by thread: number of blocks that it must have completed
};

}  // namespace

RowSchedule make_schedule(const matrix::Pattern& below, Assignment assignment) {
  const auto idle = std::ranges::count_if(assignment, [](const ThreadRows& t) { return t.row.empty(); });
  std::optional<Waits> waits;  // unset if only one thread has rows
  if (idle + 1 < std::ssize(assignment)) waits.emplace(below, assignment);
  RowSchedule schedule(assignment.size());
  Interleaver interleaver(below);
  for (std::size_t t = 0; t < assignment.size(); ++t) {
    ThreadSchedule& mine = schedule[t];
    mine.row = std::move(assignment[t].row);
    interleaver.apply(mine.row, assignment[t].block_end);
    for (const Index end : assignment[t].block_end) mine.block.push_back({end, 0});
    if (waits) waits->add_to(mine, t);
  }
  return schedule;
}

double estimate(const matrix::Pattern& below, const RowSchedule& schedule, const Costs& costs) {
  struct Thread {
    std::vector<double> ended;  // by block
    std::size_t wait = 0;
    Index row = 0;
    Cache cache;
  };
  std::vector<Thread> thread(schedule.size());
  std::vector<std::size_t> computed_by(usize(below.rows));
  const auto seconds_of = [&](std::size_t t, Index row) {
    Cache& cache = thread[t].cache;
    double seconds = costs.entry * double(work_of(below, row));
    for (const Index j : below.row(row)) {
      if (cache.misses(j)) seconds += computed_by[usize(j)] == t ? costs.line : costs.foreign;
    }
    computed_by[usize(row)] = t;
    return cache.misses(row) ? seconds + costs.line : seconds;
  };
  // Returns the time at which thread t can begin its next block; nullopt: not known yet.
  const auto begin_of = [&](std::size_t t) -> std::optional<double> {
    const Thread& mine = thread[t];
    double begin = mine.ended.empty() ? 0 : mine.ended.back();
    for (std::size_t w = mine.wait; w < usize(schedule[t].block[mine.ended.size()].wait_end); ++w) {
      const Wait& wait = schedule[t].wait[w];
      const auto& ended = thread[usize(wait.thread)].ended;
      if (ended.size() < usize(wait.blocks)) return std::nullopt;
      begin = std::max(begin, ended[usize(wait.blocks) - 1] + costs.wait);
    }
    return begin;
  };
  double last = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t t = 0; t < thread.size(); ++t) {
      Thread& mine = thread[t];
      while (mine.ended.size() < schedule[t].block.size()) {
        const auto begin = begin_of(t);
        if (!begin) break;
        const Block& block = schedule[t].block[mine.ended.size()];
        double end = *begin;
        for (; mine.row < block.row_end; ++mine.row) end += seconds_of(t, schedule[t].row[usize(mine.row)]);
        mine.wait = usize(block.wait_end);
        mine.ended.push_back(end);
        last = std::max(last, mine.ended.back());
        moved = true;
      }
    }
  }
  for (std::size_t t = 0; t < thread.size(); ++t) {
    if (thread[t].ended.size() < schedule[t].block.size())
      throw std::logic_error("threads of a triangular solve wait for one another");
  }
  return last;
}

}  // namespace trisweep::sptrsv
