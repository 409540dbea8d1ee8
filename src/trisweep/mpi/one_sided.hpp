#pragma once
// One-sided MPI (poster; Ding et al. 2020): passive-target RMA in which a message is written directly into
// its own slot in the receiver's window, and the receiver detects its arrival by reading its own memory.
//
// Each rank holds a window with the slots of the messages it will receive (slots.hpp). A message costs one
// put: no matching, no flush, and no wait for the receiver.
//
// MPI 3.1 and 4 do not order the bytes of a put, neither among each other nor with those of other puts. They
// tell the sender of the arrival by a flush alone, which waits without a limit, and make only accumulates of
// the same words atomic. So none of this is relied on: a receiver can tell from the message itself that it is
// complete (checked_message.hpp). Whether a put arrives at all before its sender flushes is left to the
// implementation: in nearly all it does, in some only while sender or receiver call MPI, as both do while
// waiting. Each rank tests this when the transport is made. If puts are held back (windows that Open MPI
// emulates by messages), each put is followed by a get of one word from its target, which MPI can answer only
// after it has released the put. A get is a request, which a watchdog can test, whereas a flush waits without
// a limit. A slot is written again two solves later, when its receiver is known to have consumed the message,
// so that all of it had arrived: see epochs.hpp.

#include "trisweep/core/buffer.hpp"
#include "trisweep/mpi/checked_message.hpp"
#include "trisweep/mpi/slots.hpp"

namespace trisweep::mpi {

class OneSided final : public SlotTransport {
 public:
  // Collective. Throws Error(environment) on every rank if memory does not suffice, or if this MPI has no
  // windows for these ranks, keeps their public and private copies apart (no polling of local memory), or
  // completes puts in flushes alone.
  OneSided(const Communicator& comm, const CommunicationPattern& pattern);
  ~OneSided() override;

  void open_phase(Index phase) override;
  void send(Index number, const void* data, std::size_t bytes) override;
  std::optional<Arrival> poll() override;
  std::optional<Arrival> poll(Index number) override;
  void receive(Arrival& arrival, void* data, std::size_t bytes) override;
  void close_phase(Watchdog& watchdog) override;

 private:
  void open_window();
  void find_a_way();
  bool puts_come();
  void put(std::size_t words, Index to, std::ptrdiff_t at);
  std::uint64_t load(std::ptrdiff_t at) const;
  std::optional<Arrival> look(Index number) const;
  void let_mpi_work();

  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  Buffer<std::uint64_t> packed_;  // sent messages of the open phase, and answers to their gets
  std::size_t packed_end_ = 0;
  std::vector<MPI_Request> requests_;  // of their puts and gets
  std::vector<Index> awaited_;         // messages of the open phase that have not arrived, in any order
  std::size_t cursor_ = 0;             // into awaited_: where the next poll begins
  unsigned fruitless_ = 0;             // polls since the last call that lets MPI progress
  bool pushes_ = false;                // each put is followed by a get, without which puts do not arrive
};

}  // namespace trisweep::mpi
