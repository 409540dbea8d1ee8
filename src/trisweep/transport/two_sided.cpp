#include "trisweep/transport/two_sided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace trisweep::transport {

TwoSided::TwoSided(const Communicator& comm, const Traffic& traffic) : own_(comm.duplicate()), epochs_(own_) {
  collectively(own_, [&] { make_lists(traffic, own_.size()); });
}

std::vector<TwoSided::Numbered> TwoSided::numbered(const Traffic& traffic, Direction direction) {
  std::vector<Numbered> list;
  for (std::size_t phase = 0; phase < traffic.phase.size(); ++phase) {
    Index number = 0;
    for (const Message& m : traffic.phase[phase].*direction)
      list.push_back({static_cast<Index>(phase), m.peer, m.tag, number++, 0});
  }
  const auto by_peer = [](const Numbered& a, const Numbered& b) {
    return std::tie(a.peer, a.phase, a.tag) < std::tie(b.peer, b.phase, b.tag);
  };
  std::sort(list.begin(), list.end(), by_peer);
  for (std::size_t i = 1; i < list.size(); ++i)
    list[i].whole = list[i].peer == list[i - 1].peer ? list[i - 1].whole + 2 : 0;
  return list;
}

void TwoSided::require_tags(const std::vector<Numbered>& list) const {
  int* largest = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(own_.handle(), MPI_TAG_UB, &largest, &found), "MPI_Comm_get_attr");
  const Offset allowed = std::min(own_.limits().tag, found != 0 ? Offset{*largest} : own_.limits().tag);
  for (const Numbered& m : list) {
    if (Offset{m.whole} + 1 > allowed) {
      throw Error(ErrorKind::environment,
                  fmt::format("this MPI allows tags up to {}, too few for the messages with rank {}", allowed,
                              m.peer),
                  "use the one-sided or the shared transport, or more ranks");
    }
  }
}

void TwoSided::make_lists(const Traffic& traffic, Index ranks) {
  in_ = numbered(traffic, &PhaseMessages::in);
  out_ = numbered(traffic, &PhaseMessages::out);
  require_tags(in_);
  require_tags(out_);
  in_from_.assign(usize(ranks) + 1, 0);
  for (const Numbered& m : in_) ++in_from_[usize(m.peer) + 1];
  std::partial_sum(in_from_.begin(), in_from_.end(), in_from_.begin());
  std::stable_sort(out_.begin(), out_.end(),
                   [](const Numbered& a, const Numbered& b) { return a.phase < b.phase; });
  out_of_.assign(traffic.phase.size() + 1, 0);
  for (const Numbered& m : out_) ++out_of_[usize(m.phase) + 1];
  std::partial_sum(out_of_.begin(), out_of_.end(), out_of_.begin());
  std::size_t most = 0;
  for (const PhaseMessages& phase : traffic.phase) most = std::max(most, phase.out.size());
  requests_.reserve(most);
  early_.resize(2 * traffic.phase.size());
  for (std::size_t i = 0; i < early_.size(); ++i) early_[i].reserve(traffic.phase[i / 2].in.size());
}

int TwoSided::tag_of(Index to, int tag) const {
  const auto begin = out_.begin() + std::ptrdiff_t(out_of_[usize(phase_)]),
             end = out_.begin() + std::ptrdiff_t(out_of_[usize(phase_) + 1]);
  const auto at = std::lower_bound(begin, end, std::pair(to, tag), [](const Numbered& m, const auto& key) {
    return std::pair(m.peer, m.tag) < key;
  });
  if (at == end || at->peer != to || at->tag != tag)
    throw Error(ErrorKind::environment, fmt::format("the plan has no message {} for rank {}", tag, to));
  return at->whole + epochs_.parity();
}

void TwoSided::send(Index to, int tag, const void* data, std::size_t bytes) {
  const Extent extent(bytes, own_.limits());
  const int whole = tag_of(to, tag);
  requests_.emplace_back();
  check(MPI_Isend(data, extent.count(), extent.type(), to, whole, own_.handle(), &requests_.back()),
        "MPI_Isend");
}

std::optional<Arrival> TwoSided::take_early(Index from, int tag) {
  auto& waiting = early_[open_place()];
  const auto at = std::find_if(waiting.begin(), waiting.end(), [&](const Arrival& a) {
    return (from == any || a.from == from) && (tag == any || a.tag == tag);
  });
  if (at == waiting.end()) return std::nullopt;
  const Arrival arrival = *at;
  waiting.erase(at);
  return arrival;
}

TwoSided::Come TwoSided::identify(const MPI_Status& status, MPI_Message message) const {
  const auto from = usize(status.MPI_SOURCE), whole = usize(status.MPI_TAG);
  const std::size_t at = in_from_[from] + whole / 2;
  if (at >= in_from_[from + 1]) {
    throw Error(ErrorKind::environment,
                fmt::format("rank {} sent a message ({}) that this rank's plan does not have", from, whole),
                "make the solvers with the same options on every rank");
  }
  const Numbered& named = in_[at];
  return {.place = place(named.phase, static_cast<Index>(whole % 2)),
          .arrival = {.from = named.peer,
                      .tag = named.tag,
                      .bytes = bytes_of(status),
                      .message = message,
                      .number = named.number}};
}

std::optional<Arrival> TwoSided::poll(Index from, int tag) {
  if (auto arrival = take_early(from, tag)) return arrival;
  while (true) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_.handle(), &found, &message, &status), "MPI_Improbe");
    if (found == 0) return std::nullopt;
    const auto [belongs, arrival] = identify(status, message);
    const bool wanted = (from == any || arrival.from == from) && (tag == any || arrival.tag == tag);
    if (belongs == open_place() && wanted) return arrival;
    early_[belongs].push_back(arrival);
  }
}

void TwoSided::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  const Extent extent(bytes, own_.limits());
  check(MPI_Mrecv(data, extent.count(), extent.type(), &arrival.message, MPI_STATUS_IGNORE), "MPI_Mrecv");
}

void TwoSided::close_phase(Patience& patience) {
  patience.wait(static_cast<int>(requests_.size()), requests_.data(),
                "messages that were sent are not taken by their receivers");
  requests_.clear();
}

}  // namespace trisweep::transport
