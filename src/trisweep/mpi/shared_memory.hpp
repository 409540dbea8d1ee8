#pragma once
// Messages within a node: the sender writes into memory that both ranks share, bypassing MPI.
//
// Each rank holds the slots of the messages it will receive (slots.hpp) and, for each phase and for even and
// odd solves, a list of those that have arrived. A message costs a copy into its slot and one atomic exchange
// of the head of the receiver's list; the receiver takes the whole list at once. So it polls one word,
// however many messages it waits for, and no rank waits for another.
//
// The order of reads and writes: slot_words.hpp. A slot is written again two solves later, when its receiver
// is known to have read it (epochs.hpp).

#include "trisweep/mpi/node_memory.hpp"
#include "trisweep/mpi/slots.hpp"

namespace trisweep::mpi {

class SharedMemory final : public SlotTransport {
 public:
  // Collective. Throws Error on every rank: usage, when they are not all on one node; environment, as
  // NodeMemory does.
  SharedMemory(const Communicator& comm, const CommunicationPattern& pattern);

  void open_phase(Index phase) override;
  void send(Index number, const void* data, std::size_t bytes) override;
  std::optional<Arrival> poll() override;
  std::optional<Arrival> poll(Index number) override;
  // As Epochs::close, but by counters in the shared memory: no rank has to call MPI for others to proceed.
  void close_solve(Watchdog& watchdog) override;

 private:
  // Precedes the data of a message. The receiver fills in `from` and `number` beforehand, the sender the
  // rest.
  struct alignas(32) Label {
    std::uint64_t next;  // label of the previous message on the list, as head() refers to it
    std::uint64_t bytes;
    Index from;
    Index number;  // see Arrival
  };

  // Head of a rank's list for the open phase: the newest message, by the offset of its label in the rank's
  // part of the memory; 0: none.
  std::uint64_t& head(Index rank) const;
  // Number of solves that the rank has finished: its credit to the others.
  std::uint64_t& closed(Index rank) const;
  Label& label(Index rank, std::uint64_t place) const;
  const Label& label(std::uint64_t place) const { return label(own_.rank(), place); }
  void write_labels(Index phases);
  void take_list();
  Arrival take(std::vector<std::uint64_t>::iterator which);

  NodeMemory memory_;
  std::vector<std::uint64_t> come_;  // labels of messages of the open phase, newest first, not yet handed out
};

}  // namespace trisweep::mpi
