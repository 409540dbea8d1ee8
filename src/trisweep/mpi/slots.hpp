#pragma once
// Where messages are written that go straight into their receiver's memory. All of them are known beforehand
// from the plan, so each has a slot of its own there, with a flag, and once more for odd solves: see
// epochs.hpp. Each rank lays out its own memory and tells the senders the places.

#include "trisweep/mpi/epochs.hpp"
#include "trisweep/mpi/transport.hpp"

namespace trisweep::mpi {

// One message at one of its ends. Places are byte offsets into the receiver's memory in even solves; in odd
// solves they are `stride` further.
struct Slot {
  Index peer;
  std::ptrdiff_t flag = 0;
  std::ptrdiff_t data = 0;
  std::ptrdiff_t stride = 0;
  std::size_t room;  // bytes
};

struct FlagLayout {
  std::size_t bytes;
  // Those of a phase next to each other, so that looking at all of them reads few cache lines; or each right
  // before its data, so that a short message comes in the same line.
  bool together;
};

class Slots {
 public:
  // Collective. The first `reserved` bytes of the memory are left to the transport.
  Slots(const Communicator& comm, const CommunicationPattern& pattern, const FlagLayout& flags,
        std::size_t reserved = 0);

  // By number.
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
  void lay_out(const CommunicationPattern& pattern, const FlagLayout& flags);
  void tell_senders(const Communicator& comm);

  std::vector<Phase> phases_;
  std::ptrdiff_t end_;
  std::size_t most_incoming_ = 0;
};

// What all transports into slots have in common: a message that has come lies in its slot until two solves
// later, and one that was sent has left.
class SlotTransport : public Transport {
 public:
  void receive(Arrival& arrival, void* data, std::size_t bytes) final;
  void close_phase(Watchdog&) final {}
  void close_solve(Watchdog& watchdog) override { epochs_.close(watchdog); }

 protected:
  // As Slots.
  SlotTransport(const Communicator& comm, const CommunicationPattern& pattern, const FlagLayout& flags,
                std::size_t reserved = 0)
      : own_(comm.duplicate()), epochs_(own_), slots_(own_, pattern, flags, reserved) {}

  Communicator own_;
  Epochs epochs_;
  Slots slots_;
  Index phase_ = 0;  // the open one
};

}  // namespace trisweep::mpi
