#pragma once
// Makes the program of a PE from the plan of its rank. All of this is rank-local, except for the destinations
// of messages, which each receiver determines.

#include <string>
#include <vector>

#include "trisweep/device/program.hpp"
#include "trisweep/device/sweep_order.hpp"

namespace trisweep::device {

template <class T>
using Vector = std::vector<T>;

// Destination of a message: work rows and a signal of the receiver.
struct Address {
  Index row;
  Index rows;
  Index signal;
};
// An incoming message, and an outgoing one, whose destination is in Program::put.
struct Inbound {
  Index from;
  Address address;
};
struct Outbound {
  Index to;
  Index rows;
  Index put;
};

// A message that the host carries, by its number among the sent, or the received, messages of a phase; from
// or to work rows of this PE.
struct StagedMessage {
  Index phase;
  Index number;
  Index peer;
  bool is_sent;
  Index row;
  Index rows;
};
// The host exchanges these messages, one after another, before the launch that begins with `item`.
struct LaunchBoundary {
  Index item;
  Range staged_message;
};

struct Program : ProgramArrays<Vector> {
  Index pe = 0;                    // index among the PEs that it knows
  std::vector<Index> peers;        // PEs that it knows, by its own numbering; empty: all
  Index rows = 0;                  // work rows
  Index counters = 0;              // number of counters of segments
  Index scratch = 0;               // rows of scratch that a worker needs
  Index verdict = none;            // if it measures residuals: first work row of the norms
  std::vector<Inbound> inbound;    // by signal: in order of phase, then as both ends list them
  std::vector<Outbound> outbound;  // in the same order
  std::vector<StagedMessage> staged_message;
  std::vector<LaunchBoundary> boundary;
  // For messages to users:
  Index rank = 0;
  std::vector<std::pair<Index, plan::Part>> part;  // first item, of phases
  std::vector<Index> supernode;                    // by counter

  Index messages() const { return static_cast<Index>(inbound.size()); }
  Index signals(Index pes) const { return messages() + pes; }
  Index number_of(Index peer) const { return peers.empty() ? peer : peers[usize(peer)]; }
};

// The plan must use ordered accumulation (plan::Accumulation): contributions to a segment have cells, so that
// workers need no locks, and sums are reproducible. Throws Error(usage) if it does not.
Program make_program(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
                     const plan::Plan& plan, ExchangeBackend exchange_backend = ExchangeBackend::puts);

// Makes a program that measures the residuals of op(A) x = b (residual.hpp). The rows are distributed over
// the PEs; this one has `rows` of them. `columns` brings x to the work rows that are the columns of these
// rows.
Program make_residual_program(Index pe, Index pes, const plan::VectorPhase& columns, Index rows,
                              ExchangeBackend exchange_backend = ExchangeBackend::puts);

// For each sender the destinations of its messages, in the order in which it lists them.
std::vector<std::vector<Address>> addresses(const Program& program, Index pes);
// Tells a program the destinations of its messages to `pe`, and the signal by which it tells that PE that it
// has finished a solve. Throws Error(usage) if the two PEs disagree on the messages.
void connect(Program& program, Index pe, const std::vector<Address>& there, Index finished);
// The PE itself and the PEs with which it exchanges messages, in ascending order.
std::vector<Index> peers_of(const Program& program);
// Renumbers the PEs of a connected program: from now on it only knows these.
void number_peers(Program& program, std::vector<Index> peers);
// Connects all programs of one process.
void connect(std::vector<Program>& programs);

// Describes what an item waits for.
std::string describe_waiting(const Program& program, Index item);

}  // namespace trisweep::device
