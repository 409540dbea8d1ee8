#pragma once
// The state of a simulation. Its parts: simulation.cpp (workers and phases), simulation_sweep.cpp (tasks,
// segments and messages), simulation_exchange.cpp (phases whose messages are taken in order).

#include <functional>
#include <map>
#include <optional>

#include "trisweep/model/critical_path.hpp"
#include "trisweep/model/events.hpp"
#include "trisweep/model/wire.hpp"
#include "trisweep/plan/sweep_machine.hpp"

namespace trisweep::model {

using plan::DiagonalPhase;
using plan::ExchangePhase;
using plan::MessageKind;
using plan::SweepPhase;
using plan::VectorPhase;

// The state of a rank within a phase.
struct RankState {
  Index phase = -1;
  double phase_begin = 0;
  plan::SweepCounters<Index> counters;
  std::vector<Index> ready;                 // tasks, a heap
  std::vector<std::int32_t> enabled;        // by task: the step that made it ready
  std::map<plan::RankId, Index> exchanged;  // messages of an exchange sent to a rank
  FlightList inbox;                         // of this phase
  FlightList early;                         // of later phases
  std::size_t expected = 0;                 // messages, or steps taken in order, still to come
  std::size_t tasks_left = 0;
  Index idle_workers = 0;    // that take no messages
  Index idle_receivers = 0;  // the others
  std::int32_t last = none;  // the step that ended last
  double busy = 0;           // seconds of all workers, in sweeps
};

class Simulation {
 public:
  Simulation(const std::vector<plan::RankPlan>& plans, const Machine& machine, const Network& network,
             const Workload& workload, const Noise& noise)
      : plans_(plans),
        machine_(machine),
        workload_(workload),
        noise_(noise),
        wire_(machine, network, static_cast<Index>(plans.size())),
        state_(plans.size()),
        computing_(plans.size() / usize(machine.ranks_per_memory) + 1) {
    result_.rank.resize(plans.size());
    result_.traffic.resize(plans.size());
    number_messages();
  }

  Prediction run() &&;

 private:
  const distribution::LocalBlocks& local_blocks(Index r) const { return plans_[usize(r)].local_blocks; }
  const plan::Phase& phase(Index r) const {
    return plans_[usize(r)].plan.phase[usize(state_[usize(r)].phase)];
  }
  RankState& state(Index r) { return state_[usize(r)]; }
  Step& step(std::int32_t s) { return steps_[usize(s)]; }
  double bytes(Offset rows) const { return double(rows) * workload_.row_bytes(); }
  void number_messages();
  void handle(const Event& event);
  void require_end(Index r) const;

  // Steps
  std::int32_t begin_step(Index r, Activity activity, Wait wait, std::int32_t cause, double now);
  // The worker is free again at `end`.
  void end_step(std::int32_t s, bool receiver, double end);
  void release(Index r, const Event& event);
  // A worker looks for work: `previous` is the step it has just ended, or none if it has been waiting.
  void look(Index r, bool receiver, std::int32_t previous, double now);

  // Phases
  void begin_phase(Index r, double now);
  // Moves messages of this phase that arrived before it began into the inbox.
  void open_early(RankState& rank);
  double start(Index r, const SweepPhase& sweep, std::int32_t s, double now);
  double start(Index r, const ExchangePhase& exchange, std::int32_t, double now);
  double start(Index r, const VectorPhase& vectors, std::int32_t, double now);
  // The whole phase is one task, shared by all workers.
  double start(Index r, const DiagonalPhase& diagonal, std::int32_t s, double now);
  // The copy that ends a product of tiles; it belongs to the last step of the phase.
  double end_product(Index r, const SweepPhase& sweep, double now);
  void end_phase(Index r, double now);

  // Tasks
  static void make_ready(RankState& rank, Index task, std::int32_t by) {
    rank.enabled[usize(task)] = by;
    rank.ready.push_back(task);
    std::push_heap(rank.ready.begin(), rank.ready.end(), std::greater<>{});
  }
  void start_task(Index r, bool receiver, std::int32_t previous, double now);
  std::size_t memory(Index r) const { return usize(r / machine_.ranks_per_memory); }
  double product_seconds(Index r, const Cost& cost, Index workers) const;
  double noise_of_task(Index r, Index task, double seconds) const;
  double noise_of(const Flight& flight) const;
  void end_task(const Event& event);
  void end_receive(const Event& event);

  // The effects of a step that ends at `now`, which advances with every message it sends.
  struct Effects {
    Simulation& simulation;
    Index rank;
    const SweepPhase& sweep;
    std::int32_t step;
    double& now;
    Index senders = 1;  // workers that send side by side
    Index sent = 0;
    double begin = 0;  // of the sends under way

    void sum_up(plan::SegmentId segment);
    void send(Index number);
    void ready(Index task) { make_ready(simulation.state(rank), task, step); }
  };
  auto machine(Index r, const SweepPhase& sweep, std::int32_t s, double& now, Index senders = 1) {
    return plan::SweepMachine(sweep, state(r).counters, Effects{*this, r, sweep, s, now, senders});
  }

  // Messages
  double copying_seconds(Offset rows) const { return machine_.copying_seconds(bytes(rows)); }
  double adding_seconds(Offset rows) const { return machine_.adding_seconds(bytes(rows)); }
  double summing_seconds(Offset rows, Index terms) const {
    return machine_.summing_seconds(bytes(rows), terms);
  }
  // The message of the current phase that step s of rank r sends.
  Flight message(Index r, const SweepPhase& sweep, Index number, std::int32_t s);
  Flight message(Index r, const plan::ExchangeStep& of, std::int32_t s);
  Flight message(Index r, const VectorPhase& vectors, Index number, std::int32_t s);
  Index number_at_receiver(Index r, Index number) const {
    return number_[usize(state_[usize(r)].phase)][usize(r)][usize(number)];
  }
  void send(Flight flight, double& now);
  // A step sends at times in the future, before which other ranks of its node may send: so a flight that
  // leaves the node joins the queue only at its departure.
  void depart(std::int32_t f, double now);
  void arrive(std::int32_t f, double now);
  // Begins the step that receives a flight: it waited for the message, unless the message arrived while the
  // rank was busy.
  std::int32_t begin_receive(const Flight& f, Activity activity, std::int32_t previous, double now);
  // The next step of a receiver in a phase; false if its message has not arrived.
  bool take(Index r, const SweepPhase& sweep, std::int32_t previous, double now);
  bool take(Index r, const ExchangePhase& exchange, std::int32_t previous, double now);
  bool take(Index, const DiagonalPhase&, std::int32_t, double) { return false; }
  bool take(Index r, const VectorPhase& vectors, std::int32_t previous, double now);
  // Removes the flight with that number from a rank's inbox.
  std::optional<Flight> take_numbered(Index r, Index number);
  void trace_back();

  const std::vector<plan::RankPlan>& plans_;
  const Machine& machine_;
  const Workload& workload_;
  const Noise& noise_;
  Wire wire_;
  std::vector<std::vector<std::vector<Index>>> number_;  // at the receiver; by phase, sender and number there
  std::vector<RankState> state_;
  std::vector<Index> computing_;  // by memory: workers that compute
  EventQueue events_;
  Flights flights_;
  std::vector<Step> steps_;
  std::int32_t last_step_ = none;
  Prediction result_;
};

}  // namespace trisweep::model
