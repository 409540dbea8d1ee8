#include "trisweep/mpi/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "trisweep/core/cache_line.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::mpi {
namespace {

std::ptrdiff_t round_up(std::ptrdiff_t bytes) {
  constexpr auto multiple = static_cast<std::ptrdiff_t>(cache_line);
  return (bytes + multiple - 1) / multiple * multiple;
}

// Data of a slot that its sender needs: flag and stride.
using SlotPlace = std::array<std::ptrdiff_t, 2>;

}  // namespace

Slots::Slots(const Communicator& comm, const CommunicationPattern& pattern, std::size_t flag,
             std::size_t reserved)
    : end_(round_up(static_cast<std::ptrdiff_t>(reserved))) {
  agree_on_error(comm, [&] { lay_out(pattern, static_cast<std::ptrdiff_t>(flag)); });
  tell_senders(comm);
}

const Slot& Slots::outgoing(Index phase, Index number, std::size_t bytes) const {
  const Slot& slot = numbered(phases_[usize(phase)].out, number);
  if (bytes <= slot.room) return slot;
  throw Error(ErrorKind::environment, fmt::format("message {} for rank {} has {} bytes, but its slot only {}",
                                                  number, slot.peer, bytes, slot.room));
}

void Slots::lay_out(const CommunicationPattern& pattern, std::ptrdiff_t flag) {
  const std::ptrdiff_t begin = end_;
  for (const PhaseMessages& messages : pattern.phase) {
    Phase phase;
    for (const Envelope& m : messages.in) {
      phase.in.push_back({.peer = m.peer, .flag = end_, .room = usize(m.rows) * pattern.row_bytes});
      end_ = round_up(end_ + flag + static_cast<std::ptrdiff_t>(phase.in.back().room));
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

// Two ranks list the messages between them in the same order, so each receiver sends the offsets alone.
void Slots::tell_senders(const Communicator& comm) {
  using Places = std::map<Index, std::vector<SlotPlace>>;  // by peer
  auto told = exchange_lists(comm, agree_on_error(comm, [&] {
                               Places places;
                               for (const Phase& phase : phases_)
                                 for (const Slot& s : phase.in) places[s.peer].push_back({s.flag, s.stride});
                               std::vector<ListOfRank<SlotPlace>> lists;
                               for (auto& [peer, list] : places) lists.push_back({peer, std::move(list)});
                               return lists;
                             }));
  agree_on_error(comm, [&] {
    std::map<Index, std::span<const SlotPlace>> places;  // not taken yet
    for (const auto& list : told) places[list.rank] = list.entry;
    for (Phase& phase : phases_) {
      for (Slot& s : phase.out) {
        std::span<const SlotPlace>& left = places[s.peer];
        std::tie(s.flag, s.stride) = std::tuple_cat(left.front());
        left = left.subspan(1);
      }
    }
  });
}

void SlotTransport::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  std::copy_n(static_cast<const std::byte*>(arrival.data), bytes, static_cast<std::byte*>(data));
}

}  // namespace trisweep::mpi
