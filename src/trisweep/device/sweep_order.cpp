#include "trisweep/device/sweep_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "trisweep/core/error.hpp"
#include "trisweep/core/permutation.hpp"
#include "trisweep/plan/grain.hpp"
#include "trisweep/plan/sweep_machine.hpp"

namespace trisweep::device {
namespace {

using plan::Direction;
using plan::MessageKind;
using plan::SweepPhase;

// Cost of one supernode on the path in addition to its panel's entries, in entries: messages and waiting.
constexpr Offset step_entries = 4096;
// Approximate number of resident workers on a GPU: A100 216, H200 264.
constexpr Offset workers_of_gpu = 256;

// Order in which a list schedule begins supernodes (Graham 1969): each after all that it waits for have
// ended, by as many workers as its panel has grains. `way[k]`: the priority of k; `waits[k]`: the number of
// supernodes that it waits for.
class ListSchedule {
 public:
  ListSchedule(const symbolic::Structure& structure, const std::vector<Offset>& way, std::vector<Index> waits)
      : structure_(structure), way_(way), waits_(std::move(waits)) {
    for (Index k = 0; k < structure.supernodes(); ++k) wait_ended(k, 0);
  }

  // for_each_next(k, visit) calls visit(other) for each supernode that waits for k. Returns the positions.
  template <class ForEachNext>
  std::vector<Index> places(const ForEachNext& for_each_next) && {
    for (Offset now = 0;; now = running_.top().first) {
      for (; !running_.empty() && running_.top().first <= now; running_.pop()) {
        const Index ended = running_.top().second;
        idle_ += workers(ended);
        for_each_next(ended, [&](Index k) { wait_ended(k, 1); });
      }
      for (; !ready_.empty() && idle_ > 0; ready_.pop()) begin(ready_.top().second, now);
      if (running_.empty()) return inverse_permutation(order_);
    }
  }

 private:
  using Timed = std::pair<Offset, Index>;

  Offset workers(Index k) const {
    return std::clamp<Offset>(structure_.entries(k) / plan::grain_of_gpus, 1, workers_of_gpu);
  }
  void wait_ended(Index k, Index waits) {
    if ((waits_[usize(k)] -= waits) == 0) ready_.emplace(way_[usize(k)], -k);
  }
  void begin(Index minus_k, Offset now) {
    const Index k = -minus_k;
    order_.push_back(k);
    idle_ -= workers(k);
    running_.emplace(now + step_entries + structure_.entries(k) / workers(k), k);
  }

  const symbolic::Structure& structure_;
  const std::vector<Offset>& way_;
  std::vector<Index> waits_;
  Offset idle_ = workers_of_gpu;
  std::vector<Index> order_;
  std::priority_queue<Timed> ready_;
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> running_;
};

// An event for the sweep machine, with its sort key.
struct Event {
  Index place;
  int stage;
  bool is_task;
  Index number;

  auto time() const { return std::tuple(place, stage, is_task, number); }
};
constexpr int before_sums = -1, sums = 0, finals = 1, after_finals = 2;

class Events {
 public:
  Events(const SweepPhase& phase, const distribution::LocalBlocks& local_blocks,
         const CriticalPathPriority& priority)
      : phase_(phase),
        local_blocks_(local_blocks),
        place_(phase.direction == Direction::scatter ? priority.upward : priority.downward),
        is_product_(phase.side == distribution::Side::diagonal),
        in_turn_(std::ranges::any_of(phase.segment, [&](const plan::Segment& s) {
          return s.next != plan::no_segment && phase.segment[s.next].supernode != s.supernode;
        })) {}

  std::vector<Event> in_order() const {
    std::vector<Event> events;
    for (Index m = 0; m < static_cast<Index>(phase_.incoming.size()); ++m) events.push_back(arrival(m));
    for (Index t = 0; t < static_cast<Index>(phase_.task.size()); ++t) events.push_back(task(t));
    std::ranges::sort(events, {}, &Event::time);
    return events;
  }

 private:
  Index supernodes() const { return static_cast<Index>(place_.size()); }
  // All ranks take part in collectives in the order of supernodes.
  Index place(Index k) const {
    if (!in_turn_) return place_[usize(k)];
    return phase_.direction == Direction::scatter ? k : supernodes() - 1 - k;
  }

  Event arrival(Index m) const {
    const plan::Incoming& message = phase_.incoming[usize(m)];
    const bool is_sum = message.kind == MessageKind::reduction;
    const Index at = place(phase_.segment[message.segment].supernode);
    return {is_product_ && is_sum ? supernodes() + at : at, is_sum ? sums : finals, false, m};
  }

  // Products with diagonal blocks, for which nothing waits in this phase, fill the time at its end.
  Event task(Index t) const {
    const plan::Task& of = phase_.task[usize(t)];
    if (of.diagonal) return {std::numeric_limits<Index>::max(), after_finals, true, t};
    if (is_product_) return {supernodes(), before_sums, true, t};
    const bool scatters = phase_.direction == Direction::scatter;
    Index at = scatters ? 0 : std::numeric_limits<Index>::max();
    for (Index i = of.row_block_begin; i < of.row_block_end; ++i) {
      const Index piece = phase_.row_block[usize(i)].piece;
      const Index here = place(local_blocks_.side(phase_.side).supernode[usize(piece)]);
      at = scatters ? std::max(at, here) : std::min(at, here);
    }
    return {at, scatters ? after_finals : before_sums, true, t};
  }

  const SweepPhase& phase_;
  const distribution::LocalBlocks& local_blocks_;
  const std::vector<Index>& place_;
  bool is_product_;
  bool in_turn_;
};

// Records the steps that the sweep machine derives from events.
struct Notes {
  std::vector<Step>& step;
  std::vector<char>& is_ready;  // by task

  void sum_up(plan::SegmentId s) { step.push_back({StepKind::reduce_forward, s.value(), -1, {}}); }
  void send(Index number) { step.back().out.push_back(number); }
  void ready(Index task) { is_ready[usize(task)] = 1; }
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::usage, "the plan deadlocks: " + what,
              "in a plan of your own, look for a message that is never sent");
}

}  // namespace

CriticalPathPriority critical_path_priority(const symbolic::Structure& s) {
  const auto count = usize(s.supernodes());
  std::vector<Offset> up(count), down(count);
  std::vector<Index> below(count), above(count);
  std::vector<std::vector<Index>> descendants(count);
  for (Index k = s.supernodes() - 1; k >= 0; --k) {
    for (const symbolic::Block& block : s.blocks(k)) {
      const auto row = usize(block.row_supernode);
      up[usize(k)] = std::max(up[usize(k)], up[row]);
      ++below[row];
      ++above[usize(k)];
      descendants[row].push_back(k);
    }
    up[usize(k)] += step_entries + s.entries(k);
  }
  for (Index k = 0; k < s.supernodes(); ++k) {
    down[usize(k)] += step_entries + s.entries(k);
    for (const symbolic::Block& block : s.blocks(k))
      down[usize(block.row_supernode)] = std::max(down[usize(block.row_supernode)], down[usize(k)]);
  }
  return {ListSchedule(s, up, below).places([&](Index k, const auto& visit) {
            for (const symbolic::Block& block : s.blocks(k)) visit(block.row_supernode);
          }),
          ListSchedule(s, down, above).places([&](Index k, const auto& visit) {
            for (const Index other : descendants[usize(k)]) visit(other);
          })};
}

std::vector<Step> order_of(const SweepPhase& phase, const distribution::LocalBlocks& local_blocks,
                           const CriticalPathPriority& priority) {
  std::vector<Step> steps;
  std::vector<char> is_ready(phase.task.size());
  plan::SweepCounters<Index> counters;
  counters.reserve(phase);
  plan::SweepMachine machine(phase, counters, Notes{steps, is_ready});
  machine.start();
  for (const Event& event : Events(phase, local_blocks, priority).in_order()) {
    if (event.is_task) {
      if (is_ready[usize(event.number)] == 0) refuse(fmt::format("task {} is never ready", event.number));
      steps.push_back({StepKind::task, event.number, -1, {}});
      machine.task_ended(event.number);
    } else {
      const plan::Incoming& message = phase.incoming[usize(event.number)];
      const bool counts =
          message.kind == MessageKind::reduction || phase.segment[message.segment].counts_final;
      if (!counts) steps.push_back({StepKind::arrive, message.segment.value(), event.number, {}});
      machine.message_came(event.number);
    }
  }
  for (plan::SegmentId s; s < phase.segment.end_key(); ++s) {
    if (phase.segment[s].pending > 0 && counters.pending[s] != 0)
      refuse(fmt::format("supernode {} is never complete", phase.segment[s].supernode));
  }
  return steps;
}

}  // namespace trisweep::device
