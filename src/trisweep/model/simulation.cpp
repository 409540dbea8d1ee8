#include "trisweep/model/simulation.hpp"

#include <fmt/format.h>

#include "trisweep/core/error.hpp"
#include "trisweep/plan/message_peers.hpp"

namespace trisweep::model {

Prediction Simulation::run() && {
  for (Index r = 0; r < static_cast<Index>(plans_.size()); ++r) begin_phase(r, 0);
  while (!events_.empty()) handle(events_.pop());
  for (Index r = 0; r < static_cast<Index>(plans_.size()); ++r) require_end(r);
  result_.events = events_.pushed();
  trace_back();
  return std::move(result_);
}

void Simulation::number_messages() {
  std::vector<plan::MessagePeers> peers(plans_.size());
  for (std::size_t i = 0; !plans_.empty() && i < plans_.front().plan.phase.size(); ++i) {
    for (std::size_t r = 0; r < plans_.size(); ++r)
      peers[r] = std::visit([](const auto& p) { return plan::peers_of(p); }, plans_[r].plan.phase[i]);
    number_.push_back(plan::numbers_at_receivers(peers));
  }
}

// When no events are left, every rank must have reached the end of its plan.
void Simulation::require_end(Index r) const {
  const RankState& rank = state_[usize(r)];
  if (rank.phase == static_cast<Index>(plans_[usize(r)].plan.phase.size())) return;
  throw Error(ErrorKind::usage,
              fmt::format("the plan deadlocks: rank {} waits in phase {} for {} messages, with {} tasks left",
                          r, rank.phase, rank.expected, rank.tasks_left),
              "in a plan of your own, look for a message that is never sent");
}

void Simulation::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::departure:
      return depart(event.subject, event.time);
    case EventKind::arrival:
      return arrive(event.subject, event.time);
    case EventKind::task_end:
      return end_task(event);
    case EventKind::receive_end:
      return end_receive(event);
    case EventKind::free:
      return release(step(event.subject).rank, event);
  }
}

std::int32_t Simulation::begin_step(Index r, Activity activity, Wait wait, std::int32_t cause, double now) {
  steps_.push_back({now, now, 0, r, state(r).phase, -1, cause, activity, wait});
  return static_cast<std::int32_t>(steps_.size()) - 1;
}

void Simulation::end_step(std::int32_t s, bool receiver, double end) {
  step(s).end = end;
  const Index r = step(s).rank;
  const plan::Part part = plan::part_of(phase(r));
  if (part != plan::Part::exchange && part != plan::Part::vectors) state(r).busy += end - step(s).begin;
  events_.push({end, 0, s, 0, EventKind::free, receiver});
}

void Simulation::release(Index r, const Event& event) {
  state(r).last = event.subject;
  look(r, event.receiver, event.subject, event.time);
  // Ready tasks go to waiting workers.
  for (RankState& rank = state(r); !rank.ready.empty();) {
    if (rank.idle_workers > 0) {
      --rank.idle_workers;
      start_task(r, false, none, event.time);
    } else if (rank.idle_receivers > 0) {
      --rank.idle_receivers;
      start_task(r, true, none, event.time);
    } else {
      return;
    }
  }
}

void Simulation::look(Index r, bool receiver, std::int32_t previous, double now) {
  RankState& rank = state(r);
  if (receiver) {
    if (rank.expected > 0 && std::visit([&](const auto& p) { return take(r, p, previous, now); }, phase(r)))
      return;
  }
  if (!rank.ready.empty()) return start_task(r, receiver, previous, now);
  ++(receiver ? rank.idle_receivers : rank.idle_workers);
  if (rank.tasks_left == 0 && rank.expected == 0 &&
      rank.idle_receivers + rank.idle_workers == machine_.workers)
    end_phase(r, now);
}

void Simulation::begin_phase(Index r, double now) {
  RankState& rank = state(r);
  const auto& phases = plans_[usize(r)].plan.phase;
  if (++rank.phase == static_cast<Index>(phases.size())) return;
  rank.phase_begin = now;
  // Phases other than sweeps take their steps in order, one after the other.
  const Index receivers = std::holds_alternative<SweepPhase>(phase(r)) ? machine_.receivers : 1;
  rank.idle_receivers = receivers - 1;  // all but the one that starts
  rank.idle_workers = machine_.workers - receivers;
  const std::int32_t s =
      begin_step(r, Activity::start, rank.last == none ? Wait::nothing : Wait::task, rank.last, now);
  const double end =
      std::visit([&](const auto& p) { return start(r, p, s, now); }, phases[usize(rank.phase)]);
  open_early(rank);
  end_step(s, true, end);
}

void Simulation::open_early(RankState& rank) {
  const auto of_phase = [&](const Flight& f) { return f.phase == rank.phase; };
  for (std::int32_t f; (f = flights_.extract(rank.early, of_phase)) != none;) flights_.append(rank.inbox, f);
}

double Simulation::start(Index r, const SweepPhase& sweep, std::int32_t s, double now) {
  RankState& rank = state(r);
  rank.expected = sweep.incoming.size();
  rank.tasks_left = sweep.task.size();
  rank.counters.reserve(sweep);
  rank.enabled.resize(sweep.task.size());
  // Segments that are complete from the start are sent by all receivers side by side.
  machine(r, sweep, s, now, machine_.receivers).start();
  return now;
}

double Simulation::start(Index r, const ExchangePhase& exchange, std::int32_t, double now) {
  state(r).expected = exchange.step.size();
  state(r).exchanged.clear();
  return now;
}

double Simulation::start(Index r, const VectorPhase& vectors, std::int32_t, double now) {
  state(r).expected = vectors.sent.size() + 1 + vectors.received.size();  // + 1: the rows that stay
  return now;
}

double Simulation::start(Index r, const DiagonalPhase& diagonal, std::int32_t s, double now) {
  if (diagonal.row_block.empty()) return now;
  state(r).tasks_left = 1;
  state(r).enabled.assign(1, s);
  make_ready(state(r), 0, s);
  return now;
}

double Simulation::end_product(Index r, const SweepPhase& sweep, double now) {
  const double seconds = copying_seconds(replaced_rows(sweep));
  step(state(r).last).end = now + seconds;
  state(r).busy += seconds;
  return now + seconds;
}

void Simulation::end_phase(Index r, double now) {
  if (const auto* sweep = std::get_if<SweepPhase>(&phase(r)); sweep != nullptr && !sweep->replaced.empty())
    now = end_product(r, *sweep, now);
  RankTimes& times = result_.rank[usize(r)];
  const double seconds = now - state(r).phase_begin;
  switch (plan::part_of(phase(r))) {
    case plan::Part::forward:
      times.l_seconds += seconds;
      break;
    case plan::Part::exchange:
      times.inter_grid_seconds += seconds;
      break;
    case plan::Part::vectors:
      times.vector_seconds += seconds;
      break;
    case plan::Part::diagonal:
    case plan::Part::backward:
      times.u_seconds += seconds;
  }
  if (state(r).phase + 1 == static_cast<Index>(plans_[usize(r)].plan.phase.size())) {
    times.idle_seconds = times.l_seconds + times.u_seconds - state(r).busy / machine_.workers;
    if (now >= result_.seconds) {
      result_.seconds = now;
      last_step_ = state(r).last;
    }
  }
  begin_phase(r, now);
}

}  // namespace trisweep::model
