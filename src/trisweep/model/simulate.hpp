#pragma once
// Prices plans: an event simulation of all ranks on a machine, without values.
//
// A rank does what the executor does (engine/sweep_run.hpp): a message that has arrived is taken first, since
// other ranks wait for what it enables; then the ready task that is first in the plan's order; the worker
// that completes a segment sends it at once. The receivers among a rank's workers take messages, all workers
// take tasks. A task costs
//
//   task_seconds + products * product_seconds + max(bytes / bandwidth, flops / worker_flops)
//
// with the worker's bandwidth min(worker_bandwidth, memory_bandwidth / workers that compute at its memory),
// as it is when the task starts. Messages cost what machine.hpp says; those that leave a node queue for its
// injection bandwidth. Bringing b in and x out, when they are not at home, also costs copies at both ends;
// threads share the caller's rows. Deterministic: simultaneous events are handled in the order in which they
// were caused.

#include <array>
#include <vector>

#include "trisweep/model/cost.hpp"
#include "trisweep/model/machine.hpp"
#include "trisweep/model/noise.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/traffic.hpp"

namespace trisweep::model {

// What a step had to wait for: nothing before it; an earlier step of its rank whose result it needs; its
// rank, busy with something else; a message.
enum class Wait : std::uint8_t { nothing, task, rank, message };
enum class Activity : std::uint8_t { start, task, receive, exchange, diagonal, vectors };
std::string_view name_of(Wait wait);
std::string_view name_of(Activity activity);

// A piece of the critical path: `steps` consecutive steps of one rank with the same activity and phase, which
// waited for the same kind of thing. The pieces, with the flights of the messages they waited for, add up to
// the time of the solve.
struct PathSegment {
  Index rank;
  Index phase;
  Activity activity;
  Wait waited_for;
  Index from;             // the sender of the message it waited for; or -1
  Index supernode;        // of the first step; -1: none
  double flight_seconds;  // of that message, before `begin`
  double begin;
  double end;
  Index steps;
};

// Times of one rank, as in the run record: l + u = floating point + the rest, which is spent on messages or
// idle.
struct RankTimes {
  double l_seconds = 0;
  double u_seconds = 0;  // the diagonal included
  double l_floating_point_seconds = 0;
  double u_floating_point_seconds = 0;
  double inter_grid_seconds = 0;
  double vector_seconds = 0;  // bringing b in and x out; none when they are at home
  double idle_seconds = 0;

  double floating_point_seconds() const { return l_floating_point_seconds + u_floating_point_seconds; }
};

struct Prediction {
  double seconds = 0;  // of a solve: until the last rank is done
  std::vector<RankTimes> rank;
  std::vector<plan::RankTraffic> traffic;  // by rank: the messages that flew
  std::vector<PathSegment> critical_path;  // in order of time
  double path_flight_seconds = 0;          // of the path, in flights of messages
  double path_task_seconds = 0;            // of the path, in tasks and diagonal products with their sends
  // Lower bound: the slowest memory streams what its ranks touch.
  double bandwidth_floor = 0;
  std::size_t events = 0;
};

// Simulates one solve with `plans`, one per rank.
Prediction simulate(const std::vector<plan::RankPlan>& plans, const Machine& machine, const Network& network,
                    const Workload& workload, const Noise& noise = {});

}  // namespace trisweep::model
