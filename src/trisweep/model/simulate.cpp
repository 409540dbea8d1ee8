#include "trisweep/model/simulate.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "trisweep/model/critical_path.hpp"
#include "trisweep/model/events.hpp"
#include "trisweep/model/wire.hpp"

namespace trisweep::model {
namespace {

using plan::DiagonalPhase;
using plan::ExchangePhase;
using plan::MessageKind;
using plan::SweepPhase;

// One rank in the middle of a phase.
struct RankState {
  Index phase = -1;
  double phase_begin = 0;
  std::vector<Index> pending;         // by segment
  std::vector<Index> waits;           // by task
  std::vector<Index> ready;           // tasks, a heap
  std::vector<std::int32_t> enabled;  // by task: the step that made it ready
  FlightList inbox;                   // of this phase
  FlightList early;                   // of later phases
  std::size_t expected = 0;           // messages, or steps of an exchange
  std::size_t tasks_left = 0;
  Index idle_workers = 0;  // besides the communicator
  bool communicator_idle = false;
  std::int32_t last = none;  // step that has ended
  double busy = 0;           // seconds of all workers, outside of exchanges
};

class Simulation {
 public:
  Simulation(const std::vector<plan::RankPlan>& plans, const Machine& machine, const Network& network,
             const Workload& workload)
      : plans_(plans),
        machine_(machine),
        workload_(workload),
        wire_(machine, network, static_cast<Index>(plans.size())),
        state_(plans.size()),
        computing_(plans.size() / usize(machine.ranks_per_memory) + 1) {
    result_.rank.resize(plans.size());
    result_.traffic.resize(plans.size());
  }

  Prediction run() && {
    for (Index r = 0; r < static_cast<Index>(plans_.size()); ++r) begin_phase(r, 0);
    while (!events_.empty()) handle(events_.pop());
    result_.events = events_.pushed();
    trace_back();
    return std::move(result_);
  }

 private:
  const distribution::Share& share(Index r) const { return plans_[usize(r)].share; }
  const plan::Phase& phase(Index r) const {
    return plans_[usize(r)].plan.phase[usize(state_[usize(r)].phase)];
  }
  RankState& state(Index r) { return state_[usize(r)]; }
  Step& step(std::int32_t s) { return steps_[usize(s)]; }
  double bytes(Offset rows) const { return double(rows) * workload_.row_bytes(); }

  void handle(const Event& event) {
    switch (event.kind) {
      case EventKind::arrival:
        return arrive(event.subject, event.time);
      case EventKind::task_end:
        return end_task(event);
      case EventKind::free:
        return free(step(event.subject).rank, event);
    }
  }

  // --- Steps -----------------------------------------------------------------------------------------------

  std::int32_t begin_step(Index r, Activity activity, Wait wait, std::int32_t cause, double now) {
    steps_.push_back({now, now, 0, r, state(r).phase, -1, cause, activity, wait});
    return static_cast<std::int32_t>(steps_.size()) - 1;
  }

  // The worker is free again at `end`.
  void end_step(std::int32_t s, bool communicator, double end) {
    step(s).end = end;
    const Index r = step(s).rank;
    if (!std::holds_alternative<ExchangePhase>(phase(r))) state(r).busy += end - step(s).begin;
    events_.push({end, 0, s, 0, EventKind::free, communicator});
  }

  void free(Index r, const Event& event) {
    state(r).last = event.subject;
    look(r, event.communicator, event.subject, event.time);
    // What has become ready is for whoever waits.
    for (RankState& rank = state(r); !rank.ready.empty();) {
      if (rank.idle_workers > 0) {
        --rank.idle_workers;
        start_task(r, false, none, event.time);
      } else if (rank.communicator_idle) {
        rank.communicator_idle = false;
        start_task(r, true, none, event.time);
      } else {
        return;
      }
    }
  }

  // A worker without work: `previous` is the step it has just ended, or none when it has been waiting.
  void look(Index r, bool communicator, std::int32_t previous, double now) {
    RankState& rank = state(r);
    if (communicator) {
      rank.communicator_idle = false;
      if (const auto* exchange = std::get_if<ExchangePhase>(&phase(r));
          exchange != nullptr && rank.expected > 0) {
        if (take_exchange_step(r, *exchange, previous, now)) return;
      } else if (!rank.inbox.empty()) {
        return take(r, previous, now);
      }
    }
    if (!rank.ready.empty()) return start_task(r, communicator, previous, now);
    if (communicator) {
      rank.communicator_idle = true;
    } else {
      ++rank.idle_workers;
    }
    if (rank.tasks_left == 0 && rank.expected == 0 && rank.communicator_idle &&
        rank.idle_workers == machine_.workers - 1)
      end_phase(r, now);
  }

  // --- Phases ----------------------------------------------------------------------------------------------

  void begin_phase(Index r, double now) {
    RankState& rank = state(r);
    const auto& phases = plans_[usize(r)].plan.phase;
    if (++rank.phase == static_cast<Index>(phases.size())) return;
    rank.phase_begin = now;
    rank.communicator_idle = false;
    rank.idle_workers = machine_.workers - 1;
    const std::int32_t s =
        begin_step(r, Activity::start, rank.last == none ? Wait::nothing : Wait::task, rank.last, now);
    const double end =
        std::visit([&](const auto& p) { return start(r, p, s, now); }, phases[usize(rank.phase)]);
    open_early(rank);
    end_step(s, true, end);
  }

  // Messages of this phase that have come before it.
  void open_early(RankState& rank) {
    const auto of_phase = [&](const Flight& f) { return f.phase == rank.phase; };
    for (std::int32_t f; (f = flights_.extract(rank.early, of_phase)) != none;)
      flights_.append(rank.inbox, f);
  }

  double start(Index r, const SweepPhase& sweep, std::int32_t s, double now) {
    RankState& rank = state(r);
    rank.expected = sweep.incoming.size();
    rank.tasks_left = sweep.task.size();
    rank.pending.resize(sweep.segment.size());
    rank.waits.resize(sweep.task.size());
    rank.enabled.resize(sweep.task.size());
    for (std::size_t i = 0; i < sweep.segment.size(); ++i) rank.pending[i] = sweep.segment[i].pending;
    for (std::size_t t = 0; t < sweep.task.size(); ++t) {
      rank.waits[t] = sweep.task[t].waits;
      if (rank.waits[t] == 0) make_ready(rank, static_cast<Index>(t), s);
    }
    for (const Index segment : sweep.complete) complete(r, sweep, segment, s, now);
    return now;
  }

  double start(Index r, const ExchangePhase& exchange, std::int32_t, double now) {
    state(r).expected = exchange.step.size();
    return now;
  }

  // All of it is one task, for all workers.
  double start(Index r, const DiagonalPhase& diagonal, std::int32_t s, double now) {
    if (diagonal.piece.empty()) return now;
    state(r).tasks_left = 1;
    state(r).enabled.assign(1, s);
    make_ready(state(r), 0, s);
    return now;
  }

  void end_phase(Index r, double now) {
    RankTimes& times = result_.rank[usize(r)];
    const double seconds = now - state(r).phase_begin;
    if (std::holds_alternative<ExchangePhase>(phase(r))) {
      times.inter_grid_seconds += seconds;
    } else {
      const auto* sweep = std::get_if<SweepPhase>(&phase(r));
      const bool forward = sweep != nullptr && sweep->side != distribution::Side::diagonal &&
                           sweep->direction == plan::Direction::scatter;
      (forward ? times.l_seconds : times.u_seconds) += seconds;
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

  // --- Tasks -----------------------------------------------------------------------------------------------

  static void make_ready(RankState& rank, Index task, std::int32_t by) {
    rank.enabled[usize(task)] = by;
    rank.ready.push_back(task);
    std::push_heap(rank.ready.begin(), rank.ready.end(), std::greater<>{});
  }

  void start_task(Index r, bool communicator, std::int32_t previous, double now) {
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
      step(s).supernode =
          share(r).side(sweep->side).supernode[usize(sweep->strip[usize(task.strip_begin)].piece)];
      products = product_seconds(r, cost_of(task, *sweep, share(r), workload_), 1);
    } else {
      products = product_seconds(r, cost_of(std::get<DiagonalPhase>(phase(r)), share(r), workload_),
                                 machine_.workers);
    }
    result_.rank[usize(r)].floating_point_seconds += products / (sweep != nullptr ? machine_.workers : 1);
    ++computing_[memory(r)];
    events_.push({now + machine_.task_seconds + products, 0, s, t, EventKind::task_end, communicator});
  }

  std::size_t memory(Index r) const { return usize(r / machine_.ranks_per_memory); }

  double product_seconds(Index r, const Cost& cost, Index workers) const {
    const double share_of_memory =
        machine_.memory_bandwidth * workers / double(computing_[memory(r)] + workers);
    const double bandwidth = std::min(workers * machine_.worker_bandwidth, share_of_memory);
    return std::max(cost.bytes / bandwidth, cost.flops / (workers * machine_.worker_flops)) +
           cost.products * machine_.product_seconds / workers;
  }

  void end_task(const Event& event) {
    const std::int32_t s = event.subject;
    const Index r = step(s).rank;
    double now = event.time;
    --computing_[memory(r)];
    --state(r).tasks_left;
    if (const auto* sweep = std::get_if<SweepPhase>(&phase(r))) {
      const plan::Task& task = sweep->task[usize(event.task)];
      for (Index f = task.feed_begin; f < task.feed_end; ++f)
        contribute(r, *sweep, sweep->feed[usize(f)], s, now);
    }
    end_step(s, event.communicator, now);
  }

  // --- Segments: what step s sets free by the time `now`, which moves on with every message it sends
  // --------

  void contribute(Index r, const SweepPhase& sweep, Index segment, std::int32_t s, double& now) {
    if (--state(r).pending[usize(segment)] == 0) complete(r, sweep, segment, s, now);
  }

  void complete(Index r, const SweepPhase& sweep, Index segment, std::int32_t s, double& now) {
    const plan::Segment& of = sweep.segment[usize(segment)];
    now += adding_seconds(Offset{of.cell_end - of.cell_begin} * of.width);
    if (of.parent < 0) {
      make_available(r, sweep, segment, s, now);
    } else {
      send(message(r, of, MessageKind::reduction, s), of.parent, now);
    }
  }

  void make_available(Index r, const SweepPhase& sweep, Index segment, std::int32_t s, double& now) {
    const plan::Segment& of = sweep.segment[usize(segment)];
    for (Index c = of.child_begin; c < of.child_end; ++c)
      send(message(r, of, MessageKind::broadcast, s), sweep.child[usize(c)], now);
    for (Index c = of.consumer_begin; c < of.consumer_end; ++c) {
      const Index t = sweep.consumer[usize(c)];
      if (--state(r).waits[usize(t)] == 0) make_ready(state(r), t, s);
    }
  }

  // --- Messages --------------------------------------------------------------------------------------------

  // Reading and writing what is copied; adding reads once more.
  double copying_seconds(Offset rows) const { return 2 * bytes(rows) / machine_.worker_bandwidth; }
  double adding_seconds(Offset rows) const { return 3 * bytes(rows) / machine_.worker_bandwidth; }

  Flight message(Index r, const plan::Segment& of, MessageKind kind, std::int32_t s) {
    return {.departed = 0,
            .from = r,
            .to = -1,
            .phase = state(r).phase,
            .subject = of.supernode,
            .rows = of.width,
            .step = s,
            .kind = kind};
  }

  void send(Flight flight, Index to, double& now) {
    flight.to = to;
    now += wire_.link(flight.from, to).send_overhead;
    flight.departed = now;
    result_.traffic[usize(flight.from)].of(flight.kind).sent += {1, flight.rows};
    events_.push({wire_.arrival(flight.from, to, bytes(flight.rows), now), 0, flights_.add(flight), 0,
                  EventKind::arrival, true});
  }

  void arrive(std::int32_t f, double now) {
    const Index r = flights_[f].to;
    RankState& rank = state(r);
    if (flights_[f].phase != rank.phase) return flights_.append(rank.early, f);
    flights_.append(rank.inbox, f);
    if (rank.communicator_idle) look(r, true, none, now);
  }

  // The step of taking a flight: it waited for the message, unless that lay there while the rank was busy.
  std::int32_t begin_receive(const Flight& f, Activity activity, std::int32_t previous, double now) {
    const bool waited = previous == none;
    const std::int32_t s =
        begin_step(f.to, activity, waited ? Wait::message : Wait::rank, waited ? f.step : previous, now);
    step(s).departed = f.departed;
    result_.traffic[usize(f.to)].of(f.kind).received += {1, f.rows};
    --state(f.to).expected;
    return s;
  }

  void take(Index r, std::int32_t previous, double now) {
    const std::int32_t place = flights_.extract(state(r).inbox, [](const Flight&) { return true; });
    const Flight f = flights_[place];
    flights_.remove(place);
    const std::int32_t s = begin_receive(f, Activity::receive, previous, now);
    step(s).supernode = f.subject;
    const auto& sweep = std::get<SweepPhase>(phase(r));
    const Index segment = segment_of(sweep, f);
    now += wire_.link(f.from, r).receive_overhead + copying_seconds(f.rows);
    if (f.kind == MessageKind::broadcast) {
      make_available(r, sweep, segment, s, now);
    } else {
      now += adding_seconds(f.rows);
      contribute(r, sweep, segment, s, now);
    }
    end_step(s, true, now);
  }

  static Index segment_of(const SweepPhase& sweep, const Flight& f) {
    const auto key = [&](const plan::Incoming& m) {
      return std::tuple(sweep.segment[usize(m.segment)].supernode, m.kind, m.from);
    };
    const auto at =
        std::lower_bound(sweep.incoming.begin(), sweep.incoming.end(), std::tuple(f.subject, f.kind, f.from),
                         [&](const auto& m, const auto& k) { return key(m) < k; });
    return at->segment;
  }

  // The next one; false when its message has not come.
  bool take_exchange_step(Index r, const ExchangePhase& exchange, std::int32_t previous, double now) {
    RankState& rank = state(r);
    const plan::ExchangeStep& of = exchange.step[exchange.step.size() - rank.expected];
    const double copying = copying_seconds(of.rows);
    if (of.transfer == plan::Transfer::send) {
      --rank.expected;
      const std::int32_t s = begin_step(r, Activity::exchange, Wait::task, previous, now);
      now += copying;
      send({.departed = 0,
            .from = r,
            .to = -1,
            .phase = rank.phase,
            .subject = of.ordinal,
            .rows = static_cast<Index>(of.rows),
            .step = s,
            .kind = MessageKind::exchange},
           of.rank, now);
      end_step(s, true, now);
      return true;
    }
    const std::int32_t place = flights_.extract(
        rank.inbox, [&](const Flight& f) { return f.from == of.rank && f.subject == of.ordinal; });
    if (place == none) return false;
    const Flight f = flights_[place];
    flights_.remove(place);
    const std::int32_t s = begin_receive(f, Activity::exchange, previous, now);
    const bool adds = of.transfer == plan::Transfer::receive_add;
    end_step(s, true,
             now + wire_.link(f.from, r).receive_overhead + copying + (adds ? adding_seconds(of.rows) : 0));
    return true;
  }

  void trace_back() {
    result_.critical_path = critical_path(steps_, last_step_);
    for (const PathSegment& segment : result_.critical_path) {
      result_.path_flight_seconds += segment.flight_seconds;
      if (segment.activity == Activity::task || segment.activity == Activity::diagonal)
        result_.path_task_seconds += segment.end - segment.begin;
    }
  }

  const std::vector<plan::RankPlan>& plans_;
  const Machine& machine_;
  const Workload& workload_;
  Wire wire_;
  std::vector<RankState> state_;
  std::vector<Index> computing_;  // memories: workers that compute
  EventQueue events_;
  Flights flights_;
  std::vector<Step> steps_;
  std::int32_t last_step_ = none;
  Prediction result_;
};

// The slowest memory streams what its ranks touch once.
double bandwidth_floor(const std::vector<plan::RankPlan>& plans, const Machine& machine,
                       const Workload& workload) {
  std::vector<double> bytes(plans.size() / usize(machine.ranks_per_memory) + 1);
  double floor = 0;
  for (std::size_t r = 0; r < plans.size(); ++r) {
    Cost cost;
    for (const plan::Phase& phase : plans[r].plan.phase)
      cost += std::visit([&](const auto& p) { return cost_of(p, plans[r].share, workload); }, phase);
    bytes[r / usize(machine.ranks_per_memory)] += cost.bytes;
    floor = std::max(floor, cost.bytes / (machine.workers * machine.worker_bandwidth));
  }
  for (const double b : bytes) floor = std::max(floor, b / machine.memory_bandwidth);
  return floor;
}

}  // namespace

Prediction simulate(const std::vector<plan::RankPlan>& plans, const Machine& machine, const Network& network,
                    const Workload& workload) {
  Prediction prediction = Simulation(plans, machine, network, workload).run();
  prediction.bandwidth_floor = bandwidth_floor(plans, machine, workload);
  return prediction;
}

}  // namespace trisweep::model
