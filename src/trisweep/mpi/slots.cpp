#include "trisweep/mpi/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace trisweep::mpi {
namespace {

constexpr std::ptrdiff_t slot_alignment = 64;  // cache lines

std::ptrdiff_t round_up(std::ptrdiff_t bytes) {
  return (bytes + slot_alignment - 1) / slot_alignment * slot_alignment;
}

// What is told of slots: flag, data and stride of each, rank by rank.
struct Places {
  std::vector<int> count, at;  // by rank
  std::vector<std::array<MPI_Aint, 3>> place;

  explicit Places(std::size_t ranks) : count(ranks), at(ranks) {}
  void lay_out() {
    std::exclusive_scan(count.begin(), count.end(), at.begin(), 0);
    place.resize(usize(at.back() + count.back()));
  }
};

}  // namespace

Slots::Slots(const Communicator& comm, const CommunicationPattern& pattern, const FlagLayout& flags,
             std::size_t reserved)
    : end_(round_up(static_cast<std::ptrdiff_t>(reserved))) {
  agree_on_error(comm, [&] { lay_out(pattern, flags); });
  tell_senders(comm);
}

const Slot& Slots::outgoing(Index phase, Index number, std::size_t bytes) const {
  const Slot& slot = numbered(phases_[usize(phase)].out, number);
  if (bytes <= slot.room) return slot;
  throw Error(ErrorKind::environment, fmt::format("message {} for rank {} has {} bytes, but its slot only {}",
                                                  number, slot.peer, bytes, slot.room));
}

void Slots::lay_out(const CommunicationPattern& pattern, const FlagLayout& flags) {
  const std::ptrdiff_t begin = end_;
  const auto flag = static_cast<std::ptrdiff_t>(flags.bytes);
  for (const PhaseMessages& messages : pattern.phase) {
    Phase phase;
    std::ptrdiff_t next_flag = end_;
    if (flags.together) end_ = round_up(end_ + flag * std::ssize(messages.in));
    for (const Envelope& m : messages.in) {
      Slot slot{.peer = m.peer, .room = usize(m.rows) * pattern.row_bytes};
      if (flags.together) {
        slot.flag = next_flag;
        next_flag += flag;
      } else {
        slot.flag = end_;
        end_ += flag;
      }
      slot.data = end_;
      end_ = round_up(end_ + static_cast<std::ptrdiff_t>(slot.room));
      phase.in.push_back(slot);
    }
    for (const Envelope& m : messages.out)
      phase.out.push_back({.peer = m.peer, .room = usize(m.rows) * pattern.row_bytes});
    most_incoming_ = std::max(most_incoming_, phase.in.size());
    phases_.push_back(std::move(phase));
  }
  const std::ptrdiff_t half = end_ - begin;
  for (Phase& phase : phases_) {
    for (Slot& slot : phase.in) slot.stride = half;
  }
  end_ += half;
}

// Both ends of a pair of ranks have their messages in the same order: each receiver sends the places alone,
// and each sender knows how many to expect from whom.
void Slots::tell_senders(const Communicator& comm) {
  std::optional<Places> mine, theirs;  // of what comes, and of what is sent
  agree_on_error(comm, [&] {
    mine.emplace(usize(comm.size()));
    theirs.emplace(usize(comm.size()));
    for (const Phase& phase : phases_) {
      for (const Slot& s : phase.in) ++mine->count[usize(s.peer)];
      for (const Slot& s : phase.out) ++theirs->count[usize(s.peer)];
    }
    mine->lay_out();
    theirs->lay_out();
    std::vector<int> next = mine->at;
    for (const Phase& phase : phases_) {
      for (const Slot& s : phase.in) {
        int& place = next[usize(s.peer)];
        mine->place[usize(place)] = {s.flag, s.data, s.stride};
        ++place;
      }
    }
  });
  const RowType three(sizeof(mine->place[0]));
  check(MPI_Alltoallv(mine->place.data(), mine->count.data(), mine->at.data(), three.get(),
                      theirs->place.data(), theirs->count.data(), theirs->at.data(), three.get(),
                      comm.handle()),
        "MPI_Alltoallv");
  // No copy: an allocation that fails here would be one rank's alone.
  std::vector<int>& next = theirs->at;
  for (Phase& phase : phases_) {
    for (Slot& s : phase.out) {
      int& place = next[usize(s.peer)];
      const auto [flag, data, stride] = theirs->place[usize(place)];
      s.flag = flag;
      s.data = data;
      s.stride = stride;
      ++place;
    }
  }
}

void SlotTransport::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  std::copy_n(static_cast<const std::byte*>(arrival.data), bytes, static_cast<std::byte*>(data));
}

}  // namespace trisweep::mpi
