#include <algorithm>

#include "trisweep/model/simulation.hpp"

namespace trisweep::model {

void Simulation::start_task(Index r, bool receiver, std::int32_t previous, double now) {
  RankState& rank = state(r);
  std::pop_heap(rank.ready.begin(), rank.ready.end(), std::greater<>{});
  const Index t = rank.ready.back();
  rank.ready.pop_back();
  const std::int32_t enabled = rank.enabled[usize(t)];
  const bool waited = previous != none && previous != enabled;
  const auto* sweep = std::get_if<SweepPhase>(&phase(r));
  const std::int32_t s = begin_step(r, sweep != nullptr ? Activity::task : Activity::diagonal,
                                    waited ? Wait::rank : Wait::task, waited ? previous : enabled, now);
  double products = 0;
  if (sweep != nullptr) {
    const plan::Task& task = sweep->task[usize(t)];
    const auto& side = task.diagonal ? local_blocks(r).diagonal : local_blocks(r).side(sweep->side);
    step(s).supernode = side.supernode[usize(sweep->row_block[usize(task.row_block_begin)].piece)];
    products = product_seconds(r, cost_of(task, *sweep, workload_), 1);
  } else {
    products = product_seconds(r, cost_of(std::get<DiagonalPhase>(phase(r)), workload_), machine_.workers);
  }
  const double noise = noise_of_task(r, t, machine_.task_seconds + products);
  products *= noise;
  RankTimes& times = result_.rank[usize(r)];
  (plan::part_of(phase(r)) == plan::Part::forward ? times.l_floating_point_seconds
                                                  : times.u_floating_point_seconds) +=
      products / (sweep != nullptr ? machine_.workers : 1);
  ++computing_[memory(r)];
  // A receiver has looked for a message in vain.
  const double look = receiver && rank.expected > 0 ? wire_.look_seconds() : 0;
  events_.push(
      {now + look + machine_.task_seconds * noise + products, 0, s, t, EventKind::task_end, receiver});
}

double Simulation::product_seconds(Index r, const Cost& cost, Index workers) const {
  const double share_of_memory =
      machine_.memory_bandwidth * workers / double(computing_[memory(r)] + workers);
  const double bandwidth = std::min(workers * machine_.worker_bandwidth, share_of_memory);
  return std::max(cost.bytes / bandwidth, cost.flops / (workers * machine_.worker_flops)) +
         cost.products * machine_.product_seconds / workers;
}

// The noise of a task depends on its place in the factors and the vectors, so that plans of one mapping are
// compared under the same noise as far as they do the same work.
double Simulation::noise_of_task(Index r, Index task, double seconds) const {
  std::uint64_t values = 0;
  if (const auto* sweep = std::get_if<SweepPhase>(&phase(r))) {
    const plan::RowBlock& first = sweep->row_block[usize(sweep->task[usize(task)].row_block_begin)];
    values = std::uint64_t(first.value) + std::uint64_t(first.row_begin);
  }
  return noise_.factor(seconds, {0, std::uint64_t(plan::part_of(phase(r))), std::uint64_t(r), values});
}

double Simulation::noise_of(const Flight& f) const {
  const plan::Part part = plan::part_of(plans_[usize(f.from)].plan.phase[usize(f.phase)]);
  return noise_.factor(0, {1 + plan::index_of(f.kind), std::uint64_t(part), std::uint64_t(f.from),
                           std::uint64_t(f.to), std::uint64_t(f.subject)});
}

void Simulation::end_task(const Event& event) {
  const std::int32_t s = event.subject;
  const Index r = step(s).rank;
  double now = event.time;
  --computing_[memory(r)];
  --state(r).tasks_left;
  if (const auto* sweep = std::get_if<SweepPhase>(&phase(r)))
    machine(r, *sweep, s, now).task_ended(event.number);
  end_step(s, event.receiver, now);
}

void Simulation::Effects::sum_up(plan::SegmentId segment) {
  const plan::Segment& of = sweep.segment[segment];
  now += simulation.summing_seconds(of.width, of.cell_end - of.cell_begin);
}

void Simulation::Effects::send(Index number) {
  if (sent++ % senders == 0) begin = now;
  double end = begin;
  simulation.send(simulation.message(rank, sweep, number, step), end);
  now = std::max(now, end);
}

Flight Simulation::message(Index r, const SweepPhase& sweep, Index number, std::int32_t s) {
  const plan::Outgoing& sent = sweep.outgoing[usize(number)];
  const plan::Segment& of = sweep.segment[sent.segment];
  return {.departed = 0,
          .from = r,
          .to = sent.to.value(),
          .phase = state(r).phase,
          .number = number_at_receiver(r, number),
          .subject = of.supernode,
          .rows = of.width,
          .step = s,
          .kind = sent.kind};
}

void Simulation::send(Flight flight, double& now) {
  const Index to = flight.to;
  now += wire_.link(flight.from, to).send_overhead;
  flight.departed = now;
  result_.traffic[usize(flight.from)].of(flight.kind).sent += {1, flight.rows};
  const std::int32_t f = flights_.add(flight);
  if (wire_.leaves_node(flight.from, to)) {
    events_.push({now, 0, f, 0, EventKind::departure, true});
  } else {
    depart(f, now);
  }
}

void Simulation::depart(std::int32_t f, double now) {
  const Flight& flight = flights_[f];
  const double arrival = wire_.arrival(flight.from, flight.to, bytes(flight.rows), now, noise_of(flight));
  events_.push({arrival, 0, f, 0, EventKind::arrival, true});
}

void Simulation::arrive(std::int32_t f, double now) {
  const Index r = flights_[f].to;
  RankState& rank = state(r);
  if (flights_[f].phase != rank.phase) return flights_.append(rank.early, f);
  flights_.append(rank.inbox, f);
  if (rank.idle_receivers == 0) return;
  --rank.idle_receivers;
  look(r, true, none, now);
}

std::int32_t Simulation::begin_receive(const Flight& f, Activity activity, std::int32_t previous,
                                       double now) {
  const bool waited = previous == none;
  const std::int32_t s =
      begin_step(f.to, activity, waited ? Wait::message : Wait::rank, waited ? f.step : previous, now);
  step(s).departed = f.departed;
  result_.traffic[usize(f.to)].of(f.kind).received += {1, f.rows};
  --state(f.to).expected;
  return s;
}

bool Simulation::take(Index r, const SweepPhase&, std::int32_t previous, double now) {
  if (state(r).inbox.empty()) return false;
  const std::int32_t place = flights_.extract(state(r).inbox, [](const Flight&) { return true; });
  const Flight f = flights_[place];
  flights_.remove(place);
  const std::int32_t s = begin_receive(f, Activity::receive, previous, now);
  step(s).supernode = f.subject;
  now += wire_.link(f.from, r).receive_overhead + copying_seconds(f.rows);
  if (f.kind == MessageKind::reduction) now += adding_seconds(f.rows);
  events_.push({now, 0, s, f.number, EventKind::receive_end, true});
  return true;
}

void Simulation::end_receive(const Event& event) {
  const std::int32_t s = event.subject;
  const Index r = step(s).rank;
  double now = event.time;
  machine(r, std::get<SweepPhase>(phase(r)), s, now).message_came(event.number);
  end_step(s, true, now);
}

void Simulation::trace_back() {
  result_.critical_path = critical_path(steps_, last_step_);
  for (const PathSegment& segment : result_.critical_path) {
    result_.path_flight_seconds += segment.flight_seconds;
    if (segment.activity == Activity::task || segment.activity == Activity::diagonal)
      result_.path_task_seconds += segment.end - segment.begin;
  }
}

}  // namespace trisweep::model
