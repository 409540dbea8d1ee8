#pragma once
// The messages of a whole solve, of all ranks, from the description of the plan alone: no rank's local blocks
// or plan are built, so that grids of many thousand ranks take seconds on one.

#include <array>
#include <functional>

#include "trisweep/plan/schedule.hpp"

namespace trisweep::plan {

struct Message {
  Index phase;  // of the plan
  MessageKind kind;
  RankId from;
  RankId to;
  Offset rows;  // vector rows of one right-hand side
};

// Calls visit for every message of a solve: by layer of the sender, then by phase, each in a fixed order.
void for_each_message(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                      Schedule schedule, const PlanSpec& spec,
                      const std::function<void(const Message&)>& visit);

// A number of messages, and the vector rows in them for one right-hand side.
struct Volume {
  Offset messages = 0;
  Offset rows = 0;

  Volume& operator+=(const Volume& other) {
    messages += other.messages;
    rows += other.rows;
    return *this;
  }
  bool operator==(const Volume&) const = default;
};

// What one rank sends and receives in a solve.
struct RankTraffic {
  struct Both {
    Volume sent;
    Volume received;
    bool operator==(const Both&) const = default;
  };
  std::array<Both, message_kinds.size()> kind;  // by MessageKind

  Both& of(MessageKind k) { return kind[index_of(k)]; }
  const Both& of(MessageKind k) const { return kind[index_of(k)]; }
  // Sums over sweep_kinds.
  Volume sent() const;
  Volume received() const;
  Offset messages() const { return sent().messages + received().messages; }
  bool operator==(const RankTraffic&) const = default;
};

struct Traffic {
  std::vector<RankTraffic> rank;
  Index synchronizations = 0;  // phases in which layers exchange messages
};
Traffic traffic(const symbolic::Structure& structure, const distribution::Mapping& mapping, Schedule schedule,
                const PlanSpec& spec);

// What one rank sends and receives in a phase, or a solve, as its own plan counts it.
RankTraffic traffic_of(const Phase& phase);
RankTraffic traffic_of(const Plan& plan);

// The messages of one kind from one rank to another.
struct Flow {
  RankId from;
  RankId to;
  MessageKind kind;
  Volume volume;
};

// The sparse matrix of messages by sender and receiver, sorted by (from, to, kind).
std::vector<Flow> flows(const symbolic::Structure& structure, const distribution::Mapping& mapping,
                        Schedule schedule, const PlanSpec& spec);

}  // namespace trisweep::plan
