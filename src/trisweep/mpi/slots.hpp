#pragma once
// Slots for messages that are written directly into their receiver's memory. The plan determines all messages
// beforehand, so each has a slot of its own there, twice: for even and for odd solves (epochs.hpp). A flag
// precedes the data, so that a short message arrives in the same cache line. Each rank lays out its own
// memory and sends the offsets to the senders.

#include "trisweep/mpi/epochs.hpp"
#include "trisweep/mpi/transport.hpp"

namespace trisweep::mpi {

// The slot of one message, as seen by its sender or receiver. `flag` is a byte offset into the receiver's
// memory in even solves; in odd solves it is `stride` further. The data follow the flag immediately.
struct Slot {
  Index peer;
  std::ptrdiff_t flag = 0;
  std::ptrdiff_t stride = 0;
  std::size_t room;  // bytes of data
};

class Slots {
 public:
  // Collective. `flag`: size of a flag in bytes, a multiple of 8. The first `reserved` bytes of the memory
  // are left to the transport.
  Slots(const Communicator& comm, const CommunicationPattern& pattern, std::size_t flag,
        std::size_t reserved = 0);

  // Slots of a phase's incoming messages, by number.
  const std::vector<Slot>& incoming(Index phase) const { return phases_[usize(phase)].in; }
  // Throws Error(environment) when the plan has no such message, or its slot no room for it.
  const Slot& outgoing(Index phase, Index number, std::size_t bytes) const;

  std::size_t bytes() const { return static_cast<std::size_t>(end_); }  // of this rank's memory
  std::size_t most_incoming() const { return most_incoming_; }          // of one phase

 private:
  struct Phase {  // by number
    std::vector<Slot> in;
    std::vector<Slot> out;
  };
  void lay_out(const CommunicationPattern& pattern, std::ptrdiff_t flag);
  void tell_senders(const Communicator& comm);

  std::vector<Phase> phases_;
  std::ptrdiff_t end_;
  std::size_t most_incoming_ = 0;
};

// Base of the transports into slots. A message stays in its slot until two solves later. Unless a transport
// overrides receive() and close_phase(), the slot holds the data as they were sent, and a message has left
// when send() returns.
class SlotTransport : public Transport {
 public:
  void receive(Arrival& arrival, void* data, std::size_t bytes) override;
  void close_phase(Watchdog&) override {}
  void close_solve(Watchdog& watchdog) override { epochs_.close(watchdog); }

 protected:
  // Parameters as for Slots.
  SlotTransport(const Communicator& comm, const CommunicationPattern& pattern, std::size_t flag,
                std::size_t reserved)
      : own_(comm.duplicate()), epochs_(own_), slots_(own_, pattern, flag, reserved) {}

  Communicator own_;
  Epochs epochs_;
  Slots slots_;
  Index phase_ = 0;  // the open one
};

}  // namespace trisweep::mpi
