#include "trisweep/mpi/shared_memory.hpp"

#include <algorithm>
#include <atomic>

namespace trisweep::mpi {
namespace {

constexpr std::size_t line = 64;  // heads are on cache lines of their own

using Head = std::atomic_ref<std::uint64_t>;
static_assert(Head::is_always_lock_free, "atomic operations are not lock-free on this processor");

const Communicator& on_one_node(const Communicator& comm) {
  if (comm.of_node().size() == comm.size()) return comm;
  throw CollectiveError(ErrorKind::usage,
                        "ranks on different nodes share no memory\n  remedy: use the two-sided transport");
}

}  // namespace

SharedMemory::SharedMemory(const Communicator& comm, const CommunicationPattern& pattern)
    : SlotTransport(on_one_node(comm), pattern, {.bytes = sizeof(Label), .together = false},
                    2 * line * pattern.phase.size()),
      memory_(own_, slots_.bytes()) {
  agree_on_error(own_, [&] {
    come_.reserve(slots_.most_incoming());
    write_labels(static_cast<Index>(pattern.phase.size()));
  });
}

std::uint64_t& SharedMemory::head(Index rank) const {
  const auto number = 2 * usize(phase_) + usize(epochs_.parity());
  return *reinterpret_cast<std::uint64_t*>(memory_.part(rank) + number * line);
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
  std::byte* const part = memory_.part(slot.peer);
  std::copy_n(static_cast<const std::byte*>(data), bytes, part + slot.data + shift);
  const auto place = static_cast<std::uint64_t>(slot.flag + shift);
  Label& written = label(slot.peer, place);
  written.bytes = bytes;
  const Head newest(head(slot.peer));
  written.next = newest.load(std::memory_order_relaxed);
  while (!newest.compare_exchange_weak(written.next, place, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

void SharedMemory::take_list() {
  const Head newest(head(own_.rank()));
  if (newest.load(std::memory_order_relaxed) == 0) return;
  for (auto at = newest.exchange(0, std::memory_order_acquire); at != 0; at = label(at).next)
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
