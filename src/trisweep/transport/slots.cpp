#include "trisweep/transport/slots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace trisweep::transport {
namespace {

constexpr std::ptrdiff_t slot_alignment = 64;  // cache lines

std::ptrdiff_t round_up(std::ptrdiff_t bytes) {
  return (bytes + slot_alignment - 1) / slot_alignment * slot_alignment;
}

const Slot& find(const std::vector<Slot>& slots, Index peer, int tag) {
  const auto at =
      std::lower_bound(slots.begin(), slots.end(), std::pair(peer, tag),
                       [](const Slot& s, const auto& key) { return std::pair(s.peer, s.tag) < key; });
  if (at == slots.end() || at->peer != peer || at->tag != tag) {
    throw Error(ErrorKind::environment, fmt::format("the plan has no message {} with rank {}", tag, peer));
  }
  return *at;
}

}  // namespace

Slots::Slots(const Communicator& comm, const Traffic& traffic, const FlagLayout& flags, std::size_t reserved)
    : end_(round_up(static_cast<std::ptrdiff_t>(reserved))) {
  collectively(comm, [&] { lay_out(traffic, flags); });
  tell_senders(comm);
}

const Slot& Slots::incoming(Index phase, Index from, int tag) const {
  return find(phases_[usize(phase)].in, from, tag);
}

const Slot& Slots::outgoing(Index phase, Index to, int tag) const {
  return find(phases_[usize(phase)].out, to, tag);
}

void Slots::lay_out(const Traffic& traffic, const FlagLayout& flags) {
  const std::ptrdiff_t begin = end_;
  const auto flag = static_cast<std::ptrdiff_t>(flags.bytes);
  for (const PhaseMessages& messages : traffic.phase) {
    Phase phase;
    std::ptrdiff_t next_flag = end_;
    if (flags.together) end_ = round_up(end_ + flag * std::ssize(messages.in));
    for (const Message& m : messages.in) {
      const auto number = static_cast<Index>(phase.in.size());
      if (!flags.together) next_flag = std::exchange(end_, end_ + flag);
      phase.in.push_back({m.peer, m.tag, number, std::exchange(next_flag, next_flag + flag), end_, 0});
      end_ = round_up(end_ + static_cast<std::ptrdiff_t>(usize(m.rows) * traffic.row_bytes));
    }
    for (const Message& m : messages.out) phase.out.push_back({m.peer, m.tag, -1, 0, 0, 0});
    const auto by_name = [](const Slot& a, const Slot& b) {
      return std::tie(a.peer, a.tag) < std::tie(b.peer, b.tag);
    };
    std::sort(phase.in.begin(), phase.in.end(), by_name);
    std::sort(phase.out.begin(), phase.out.end(), by_name);
    most_incoming_ = std::max(most_incoming_, phase.in.size());
    phases_.push_back(std::move(phase));
  }
  const std::ptrdiff_t half = end_ - begin;
  for (Phase& phase : phases_) {
    for (Slot& slot : phase.in) slot.stride = half;
  }
  end_ += half;
}

// Both ends of a pair of ranks have their messages in the same order (phase, tag): each receiver sends the
// places alone, and each sender knows how many to expect from whom.
void Slots::tell_senders(const Communicator& comm) {
  const auto ranks = usize(comm.size());
  std::vector<std::vector<MPI_Aint>> places(ranks);
  std::vector<int> sends(ranks), receives(ranks), sends_at(ranks), receives_at(ranks);
  constexpr int words = 3;
  for (const Phase& phase : phases_) {
    for (const Slot& s : phase.in) {
      auto& list = places[usize(s.peer)];
      list.insert(list.end(), {s.flag, s.data, s.stride});
    }
    for (const Slot& s : phase.out) receives[usize(s.peer)] += words;
  }
  std::vector<MPI_Aint> outgoing, incoming;
  for (std::size_t r = 0; r < ranks; ++r) {
    sends[r] = static_cast<int>(places[r].size());
    sends_at[r] = static_cast<int>(outgoing.size());
    outgoing.insert(outgoing.end(), places[r].begin(), places[r].end());
    receives_at[r] = r == 0 ? 0 : receives_at[r - 1] + receives[r - 1];
  }
  incoming.resize(usize(receives_at.back() + receives.back()));
  check(MPI_Alltoallv(outgoing.data(), sends.data(), sends_at.data(), MPI_AINT, incoming.data(),
                      receives.data(), receives_at.data(), MPI_AINT, comm.handle()),
        "MPI_Alltoallv");
  for (Phase& phase : phases_) {
    for (Slot& s : phase.out) {
      const MPI_Aint* place =
          incoming.data() + std::exchange(receives_at[usize(s.peer)], receives_at[usize(s.peer)] + words);
      s.flag = place[0];
      s.data = place[1];
      s.stride = place[2];
    }
  }
}

void SlotTransport::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  std::copy_n(static_cast<const std::byte*>(arrival.data), bytes, static_cast<std::byte*>(data));
}

}  // namespace trisweep::transport
