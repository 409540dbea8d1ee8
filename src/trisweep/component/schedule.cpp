#include "trisweep/component/schedule.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace trisweep::component {
namespace {

// Of a row: the thread that computes it, and the block of that thread.
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

}  // namespace

Schedule make_schedule(const matrix::Pattern& below, Assignment assignment) {
  const std::vector<Place> place = places_of(below, assignment);
  Schedule schedule(assignment.size());
  std::vector<Index> needed(assignment.size()), waited(assignment.size());
  for (std::size_t t = 0; t < assignment.size(); ++t) {
    ThreadSchedule& mine = schedule[t];
    mine.row = std::move(assignment[t].row);
    std::ranges::fill(waited, 0);
    Index row = 0;
    for (const Index end : assignment[t].block_end) {
      needed = waited;
      for (; row < end; ++row) {
        for (const Index j : below.row(mine.row[usize(row)])) {
          const Place& p = place[usize(j)];
          needed[usize(p.thread)] = std::max(needed[usize(p.thread)], p.block + 1);
        }
      }
      for (std::size_t other = 0; other < needed.size(); ++other) {
        if (other != t && needed[other] > waited[other])
          mine.wait.push_back({static_cast<Index>(other), needed[other]});
      }
      waited = needed;
      mine.block.push_back({end, static_cast<Index>(mine.wait.size())});
    }
  }
  return schedule;
}

double estimate(const matrix::Pattern& below, const Schedule& schedule, const Costs& costs) {
  struct Thread {
    std::vector<double> ended;  // by block
    std::size_t wait = 0;
    Index row = 0;
  };
  std::vector<Thread> thread(schedule.size());
  // The time at which thread t can begin its next block; infinite: not known yet.
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
        Offset work = 0;
        for (; mine.row < block.row_end; ++mine.row) work += work_of(below, schedule[t].row[usize(mine.row)]);
        mine.wait = usize(block.wait_end);
        mine.ended.push_back(*begin + costs.entry * double(work));
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

}  // namespace trisweep::component
