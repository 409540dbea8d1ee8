#include "trisweep/transport/one_sided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <tuple>
#include <utility>

namespace trisweep::transport {
namespace {

constexpr MPI_Aint line = 64;         // slots begin on cache lines
constexpr int size_bits = 40;         // of a flag: the rest names the solve
constexpr std::size_t batch = 256;    // flags looked at in one poll
constexpr Index looks_per_kick = 16;  // fruitless looks after which MPI gets a turn

MPI_Aint round_up(MPI_Aint bytes) {
  return (bytes + line - 1) / line * line;
}

}  // namespace

OneSided::OneSided(const Communicator& comm, const Traffic& traffic) : own_(comm.handle()), epochs_(own_) {
  collectively(own_, [&] { lay_out(traffic); });
  tell_senders();
  open_window();
}

OneSided::~OneSided() {
  if (window_ == MPI_WIN_NULL || !may_communicate()) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

// Flags of a phase lie next to each other, so that looking at all of them reads few cache lines.
void OneSided::lay_out(const Traffic& traffic) {
  std::size_t most = 0;
  for (const PhaseMessages& messages : traffic.phase) {
    Phase phase;
    const auto by_name = [](const Slot& a, const Slot& b) {
      return std::tie(a.peer, a.tag) < std::tie(b.peer, b.tag);
    };
    const MPI_Aint flags = half_;
    half_ = round_up(half_ + static_cast<MPI_Aint>(messages.in.size() * sizeof(std::uint64_t)));
    for (const Message& m : messages.in) {
      const auto index = static_cast<MPI_Aint>(phase.in.size() * sizeof(std::uint64_t));
      phase.in.push_back({m.peer, m.tag, flags + index, half_, 0});
      half_ = round_up(half_ + static_cast<MPI_Aint>(usize(m.rows) * traffic.row_bytes));
    }
    for (const Message& m : messages.out) phase.out.push_back({m.peer, m.tag, 0, 0, 0});
    std::sort(phase.in.begin(), phase.in.end(), by_name);
    std::sort(phase.out.begin(), phase.out.end(), by_name);
    most = std::max(most, phase.in.size());
    phases_.push_back(std::move(phase));
  }
  for (Phase& phase : phases_) {
    for (Slot& slot : phase.in) slot.stride = half_;
  }
  awaited_.reserve(most);
}

// Both ends of a pair of ranks have their messages in the same order (phase, tag): each receiver sends the
// places alone, and each sender knows how many to expect from whom.
void OneSided::tell_senders() {
  const auto ranks = usize(own_.size());
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
                      receives.data(), receives_at.data(), MPI_AINT, own_.handle()),
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

void OneSided::open_window() {
  check(MPI_Win_allocate(2 * half_, 1, MPI_INFO_NULL, own_.handle(), &base_, &window_), "MPI_Win_allocate");
  check(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  collectively(own_, [&] {
    int* model = nullptr;
    int found = 0;
    check(MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found), "MPI_Win_get_attr");
    if (found == 0 || *model != MPI_WIN_UNIFIED) {
      throw Error(ErrorKind::environment,
                  "this MPI's windows do not show what others wrote without a call (no unified memory model)",
                  "use the two-sided transport");
    }
    std::memset(base_, 0, usize(2 * half_));
  });
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  check(MPI_Win_sync(window_), "MPI_Win_sync");
  // Nobody writes before everybody's flags are zero.
  check(MPI_Barrier(own_.handle()), "MPI_Barrier");
}

void OneSided::open_phase(Index phase) {
  phase_ = phase;
  awaited_.resize(phases_[usize(phase)].in.size());
  std::iota(awaited_.begin(), awaited_.end(), 0);
  cursor_ = 0;
}

const OneSided::Slot& OneSided::find(const std::vector<Slot>& slots, Index peer, int tag) const {
  const auto at =
      std::lower_bound(slots.begin(), slots.end(), std::pair(peer, tag),
                       [](const Slot& s, const auto& key) { return std::pair(s.peer, s.tag) < key; });
  if (at == slots.end() || at->peer != peer || at->tag != tag) {
    throw Error(ErrorKind::environment, fmt::format("the plan has no message {} with rank {}", tag, peer));
  }
  return *at;
}

// Never 0, which is what a flag holds before the first message.
std::uint64_t OneSided::flag_word(std::size_t bytes) const {
  return (static_cast<std::uint64_t>(epochs_.current() + 1) << size_bits) | bytes;
}

void OneSided::send(Index to, int tag, const void* data, std::size_t bytes) {
  const Slot& slot = find(phases_[usize(phase_)].out, to, tag);
  const MPI_Aint shift = epochs_.parity() * slot.stride;
  const std::uint64_t flag = flag_word(bytes);
  const auto count = static_cast<int>(bytes);
  check(MPI_Put(data, count, MPI_BYTE, to, slot.data + shift, count, MPI_BYTE, window_), "MPI_Put");
  check(MPI_Win_flush(to, window_), "MPI_Win_flush");
  check(MPI_Put(&flag, 1, MPI_UINT64_T, to, slot.flag + shift, 1, MPI_UINT64_T, window_), "MPI_Put");
  check(MPI_Win_flush(to, window_), "MPI_Win_flush");
}

std::optional<Arrival> OneSided::look(const Slot& slot) const {
  const MPI_Aint shift = epochs_.parity() * slot.stride;
  auto& word = *reinterpret_cast<std::uint64_t*>(base_ + slot.flag + shift);
  const std::uint64_t flag = std::atomic_ref(word).load(std::memory_order_acquire);
  if (flag >> size_bits != flag_word(0) >> size_bits) return std::nullopt;
  return Arrival{.from = slot.peer,
                 .tag = slot.tag,
                 .bytes = flag & ((std::uint64_t{1} << size_bits) - 1),
                 .data = base_ + slot.data + shift};
}

// Where puts are carried out by software, it is the target's MPI that does it, in any call.
void OneSided::let_mpi_work() {
  if (++fruitless_ % looks_per_kick != 0) return;
  int found = 0;
  check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_.handle(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
}

std::optional<Arrival> OneSided::poll() {
  check(MPI_Win_sync(window_), "MPI_Win_sync");
  const auto& slots = phases_[usize(phase_)].in;
  for (std::size_t left = std::min(batch, awaited_.size()); left > 0; --left) {
    if (cursor_ >= awaited_.size()) cursor_ = 0;
    if (auto arrival = look(slots[usize(awaited_[cursor_])])) {
      awaited_[cursor_] = awaited_.back();
      awaited_.pop_back();
      return arrival;
    }
    ++cursor_;
  }
  let_mpi_work();
  return std::nullopt;
}

std::optional<Arrival> OneSided::poll(Index from, int tag) {
  check(MPI_Win_sync(window_), "MPI_Win_sync");
  const auto& slots = phases_[usize(phase_)].in;
  const Slot& slot = find(slots, from, tag);
  auto arrival = look(slot);
  if (!arrival) {
    let_mpi_work();
    return std::nullopt;
  }
  std::erase(awaited_, static_cast<Index>(&slot - slots.data()));
  return arrival;
}

void OneSided::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  std::copy_n(static_cast<const std::byte*>(arrival.data), bytes, static_cast<std::byte*>(data));
}

}  // namespace trisweep::transport
