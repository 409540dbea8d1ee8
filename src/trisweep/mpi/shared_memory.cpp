#include "trisweep/mpi/shared_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trisweep/core/cache_line.hpp"
#include "trisweep/mpi/slot_words.hpp"

namespace trisweep::mpi {
namespace {

constexpr std::size_t line = cache_line;  // of each head and counter

const Communicator& on_one_node(const Communicator& comm) {
  if (comm.of_node().size() == comm.size()) return comm;
  throw CollectiveError(ErrorKind::usage,
                        "ranks on different nodes share no memory\n  remedy: use the two-sided transport");
}

}  // namespace

SharedMemory::SharedMemory(const Communicator& comm, const CommunicationPattern& pattern)
    : SlotTransport(on_one_node(comm), pattern, sizeof(Label), line * (1 + 2 * pattern.phase.size())),
      memory_(own_, slots_.bytes()) {
  agree_on_error(own_, [&] {
    come_.reserve(slots_.most_incoming());
    write_labels(static_cast<Index>(pattern.phase.size()));
  });
}

std::uint64_t& SharedMemory::head(Index rank) const {
  const auto number = 1 + 2 * usize(phase_) + usize(epochs_.parity());
  return *reinterpret_cast<std::uint64_t*>(memory_.part(rank) + number * line);
}

std::uint64_t& SharedMemory::closed(Index rank) const {
  return *reinterpret_cast<std::uint64_t*>(memory_.part(rank));
}

void SharedMemory::close_solve(Watchdog& watchdog) {
  const auto before = static_cast<std::uint64_t>(epochs_.current());
  watchdog.reset();
  for (Index r = 0; r < own_.size(); ++r) {
    while (!SolveCount(SharedWord(closed(r))).reached(before))
      watchdog.backoff([&] { return fmt::format("rank {} has not finished the solve before the last", r); });
  }
  epochs_.advance();
  SolveCount(SharedWord(closed(own_.rank()))).set(before + 1);
}

SharedMemory::Label& SharedMemory::label(Index rank, std::uint64_t place) const {
  return *reinterpret_cast<Label*>(memory_.part(rank) + place);
}

void SharedMemory::write_labels(Index phases) {
  for (Index phase = 0; phase < phases; ++phase) {
    Index number = 0;
    for (const Slot& slot : slots_.incoming(phase)) {
      for (const std::ptrdiff_t shift : {std::ptrdiff_t{0}, slot.stride})
        label(own_.rank(), static_cast<std::uint64_t>(slot.flag + shift)) = {
            .next = 0, .bytes = 0, .from = slot.peer, .number = number};
      ++number;
    }
  }
}

void SharedMemory::open_phase(Index phase) {
  phase_ = phase;
  come_.clear();
}

void SharedMemory::send(Index number, const void* data, std::size_t bytes) {
  const Slot& slot = slots_.outgoing(phase_, number, bytes);
  const std::ptrdiff_t shift = epochs_.parity() * slot.stride;
  const auto place = static_cast<std::uint64_t>(slot.flag + shift);
  Label& written = label(slot.peer, place);
  std::copy_n(static_cast<const std::byte*>(data), bytes, reinterpret_cast<std::byte*>(&written + 1));
  written.bytes = bytes;
  ArrivalList(SharedWord(head(slot.peer))).append(place, written.next);
}

void SharedMemory::take_list() {
  for (auto at = ArrivalList(SharedWord(head(own_.rank()))).take(); at != 0; at = label(at).next)
    come_.push_back(at);
}

Arrival SharedMemory::take(std::vector<std::uint64_t>::iterator which) {
  const Label& taken = label(*which);
  come_.erase(which);
  return {.from = taken.from, .number = taken.number, .bytes = taken.bytes, .data = &taken + 1};
}

std::optional<Arrival> SharedMemory::poll() {
  if (come_.empty()) take_list();
  if (come_.empty()) return std::nullopt;
  return take(come_.end() - 1);
}

std::optional<Arrival> SharedMemory::poll(Index number) {
  take_list();
  const auto found =
      std::ranges::find(come_, number, [&](std::uint64_t place) { return label(place).number; });
  if (found == come_.end()) return std::nullopt;
  return take(found);
}

}  // namespace trisweep::mpi
