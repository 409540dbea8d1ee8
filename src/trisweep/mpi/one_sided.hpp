#pragma once
// One-sided MPI (poster; Ding et al. 2020): passive-target RMA in which a message is written straight into
// its own slot in the receiver's window, and the receiver sees it come by reading its own memory.
//
// What each rank holds: a window with the slots and flags of the messages it will get (slots.hpp). A message
// costs two puts, data then flag, each with a flush; no matching, no request, no copy at the sender. The flag
// names the solve, so nothing is cleared between solves, and the size, so that ranks whose plans differ find
// out. A slot is written again two solves later, when its receiver is known to have consumed it: see
// epochs.hpp.

#include "trisweep/mpi/slots.hpp"

namespace trisweep::mpi {

class OneSided final : public SlotTransport {
 public:
  // Collective. Throws Error(environment) on every rank when memory does not suffice, or this MPI has no
  // windows for these ranks, or keeps their public and private copies apart (no polling of local memory).
  OneSided(const Communicator& comm, const CommunicationPattern& pattern);
  ~OneSided() override;

  void open_phase(Index phase) override;
  void send(Index number, const void* data, std::size_t bytes) override;
  std::optional<Arrival> poll() override;
  std::optional<Arrival> poll(Index number) override;

 private:
  void open_window();
  std::optional<Arrival> look(Index number) const;
  std::uint64_t flag_word(std::size_t bytes) const;
  void let_mpi_work();

  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::vector<Index> awaited_;  // messages of the open phase that have not come, in any order
  std::size_t cursor_ = 0;      // into awaited_: where the next look begins
  unsigned fruitless_ = 0;      // looks since MPI had a turn
};

}  // namespace trisweep::mpi
