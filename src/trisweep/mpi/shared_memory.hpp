#pragma once
// Messages within a node: the sender writes into memory that both ranks see, past MPI.
//
// What each rank holds: the slots of the messages it will get (slots.hpp), and for each phase, and for even
// and odd solves, a list of those that have come. A message costs a copy into its slot and one exchange of
// the head of the receiver's list; the receiver takes the whole list at once. So it looks at one word,
// however many messages it waits for, and nobody waits for anybody else.
//
// In which order words are written and read: slot_words.hpp. A slot is written again two solves later, when
// its receiver is known to have read it (epochs.hpp).

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
  // As Epochs::close, by counters in the shared memory: nobody has to call MPI for others to go on.
  void close_solve(Watchdog& watchdog) override;

 private:
  // Before the data of a message. Its receiver knows which one it is, its sender when and how long.
  struct alignas(32) Label {
    std::uint64_t next;  // label of the message on the list that came before, as the head has it
    std::uint64_t bytes;
    Index from;
    Index number;  // see Arrival
  };

  // Of a rank's list for the open phase: its newest message, by the place of its label in the rank's part of
  // the memory; 0: none.
  std::uint64_t& head(Index rank) const;
  // Solves that the rank has come to the end of: its credit to the others.
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
