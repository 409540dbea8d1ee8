#pragma once
// One-sided MPI (poster; Ding et al. 2020): passive-target RMA in which a message is written straight into
// its own slot in the receiver's window, and the receiver sees it come by reading its own memory.
//
// What each rank holds: a window with the slots of the messages it will get (slots.hpp). A message costs one
// put; no matching, no flush, and nothing that waits for the receiver.
//
// MPI 3.1 and 4 order the bytes of a put neither among each other nor with those of other puts, tell its
// sender by a flush alone that it has come, which waits without an end, and make only accumulates of the same
// words atomic. So nothing of this is asked for: a message shows its receiver by itself that it is complete
// (checked_message.hpp). That a put arrives at all before its sender flushes is left to the implementation:
// nearly all do so, some only while sender or receiver call MPI, as both do that wait. Each rank tries it
// when the transport is made. Where puts are held back (windows that Open MPI emulates by messages), each is
// followed by a get of one word from its target, whose answer an MPI can give only when it has let go what it
// held: a request, which a watchdog can test, where a flush waits without an end. A slot is written again two
// solves later, when its receiver is known to have consumed it, and so to have had all of it: see epochs.hpp.

#include "trisweep/core/buffer.hpp"
#include "trisweep/mpi/checked_message.hpp"
#include "trisweep/mpi/slots.hpp"

namespace trisweep::mpi {

class OneSided final : public SlotTransport {
 public:
  // Collective. Throws Error(environment) on every rank when memory does not suffice, or this MPI has no
  // windows for these ranks, keeps their public and private copies apart (no polling of local memory), or
  // carries puts out in flushes alone.
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
  Buffer<std::uint64_t> packed_;  // messages of the open phase that were sent, and their answers
  std::size_t packed_end_ = 0;
  std::vector<MPI_Request> requests_;  // of their puts and gets
  std::vector<Index> awaited_;         // messages of the open phase that have not come, in any order
  std::size_t cursor_ = 0;             // into awaited_: where the next look begins
  unsigned fruitless_ = 0;             // looks since MPI had a turn
  bool pushes_ = false;                // without gets puts do not come
};

}  // namespace trisweep::mpi
