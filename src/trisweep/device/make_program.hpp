#pragma once
// From the plan of a rank to the program of its PE. All of it is rank-local, but for where messages go: that
// each receiver says.

#include <string>
#include <vector>

#include "trisweep/device/program.hpp"
#include "trisweep/device/sweep_order.hpp"

namespace trisweep::device {

template <class T>
using Vector = std::vector<T>;

// Where a message comes to: work rows and a signal of the receiver.
struct Address {
  Index row;
  Index rows;
  Index signal;
};
// A message that comes, and one that goes: to where one of Program::put says.
struct Inbound {
  Index from;
  Address address;
};
struct Outbound {
  Index to;
  Index rows;
  Index put;
};

// A message that the host carries, by its number among those of a phase that are sent, or that come, from or
// to work rows of this PE.
struct StagedMessage {
  Index phase;
  Index number;
  Index peer;
  bool is_sent;
  Index row;
  Index rows;
};
// Before an item the host carries these, one after another.
struct LaunchBoundary {
  Index item;
  Range staged_message;
};

struct Program : ProgramArrays<Vector> {
  Index pe = 0;                    // among those that it knows
  std::vector<Index> peers;        // PEs that it knows, as it numbers them; empty: all, by their own numbers
  Index rows = 0;                  // work rows
  Index counters = 0;              // of segments
  Index scratch = 0;               // rows of it that a worker needs
  Index verdict = none;            // of a program that measures: the first work row of what it finds
  std::vector<Inbound> inbound;    // by phase, then as both ends list them; by signal
  std::vector<Outbound> outbound;  // in the same order
  std::vector<StagedMessage> staged_message;
  std::vector<LaunchBoundary> boundary;
  // For people.
  Index rank = 0;
  std::vector<std::pair<Index, plan::Part>> part;  // first item, of phases
  std::vector<Index> supernode;                    // by counter

  Index messages() const { return static_cast<Index>(inbound.size()); }
  Index signals(Index pes) const { return messages() + pes; }
  Index number_of(Index peer) const { return peers.empty() ? peer : peers[usize(peer)]; }
};

// The plan must be an ordered one (plan::Accumulation): contributions to a segment have cells, so that
// workers need no locks, and sums are the same every time. Throws Error(usage) when it is not.
Program make_program(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
                     const plan::Plan& plan, ExchangeBackend exchange_backend = ExchangeBackend::puts);

// Measures answers to op(A) x = b (residual.hpp), of which each PE has some rows, this one `rows` of them.
// `columns` brings x to the work rows that are the columns of these.
Program make_residual_program(Index pe, Index pes, const plan::VectorPhase& columns, Index rows,
                              ExchangeBackend exchange_backend = ExchangeBackend::puts);

// By sender: where its messages come to, in the order in which it lists them.
std::vector<std::vector<Address>> addresses(const Program& program, Index pes);
// Tells a program where its messages to `pe` come to, and by which signal that PE hears that this one has
// finished a solve. Throws Error(usage) when the two have not the same in mind.
void connect(Program& program, Index pe, const std::vector<Address>& there, Index finished);
// A PE itself, and those that send it something or get something from it, in order.
std::vector<Index> peers_of(const Program& program);
// Of a program that is connected: from here on it knows these alone.
void number_peers(Program& program, std::vector<Index> peers);
// All programs of one process.
void connect(std::vector<Program>& programs);

// What an item waits for, for a person.
std::string describe_waiting(const Program& program, Index item);

}  // namespace trisweep::device
