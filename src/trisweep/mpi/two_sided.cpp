#include "trisweep/mpi/two_sided.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trisweep::mpi {

TwoSided::TwoSided(const Communicator& comm, const CommunicationPattern& pattern)
    : own_(comm.duplicate()), epochs_(own_) {
  agree_on_error(own_, [&] { make_lists(pattern); });
}

// `messages`: number of messages that this rank sends to the peer, or receives from it.
void TwoSided::require_tags(Index peer, std::size_t messages) const {
  int* largest = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(own_.handle(), MPI_TAG_UB, &largest, &found), "MPI_Comm_get_attr");
  const Offset allowed = std::min(own_.limits().tag, found != 0 ? Offset{*largest} : own_.limits().tag);
  if (2 * static_cast<Offset>(messages) - 1 <= allowed) return;
  throw Error(
      ErrorKind::environment,
      fmt::format("this MPI allows tags up to {}, too few for the messages with rank {}", allowed, peer),
      "use the one-sided or the shared transport, or more ranks");
}

void TwoSided::make_lists(const CommunicationPattern& pattern) {
  const auto phases = static_cast<Index>(pattern.phase.size());
  std::unordered_map<Index, std::size_t> sent;  // by receiver
  out_.resize(usize(phases));
  early_.resize(2 * usize(phases));
  std::size_t most = 0;  // messages sent in one phase
  for (Index phase = 0; phase < phases; ++phase) {
    const auto& [in, out] = pattern.phase[usize(phase)];
    for (std::size_t i = 0; i < in.size(); ++i) in_[in[i].peer].push_back({phase, static_cast<Index>(i)});
    for (const Envelope& m : out)
      out_[usize(phase)].push_back({m.peer, static_cast<int>(2 * sent[m.peer]++)});
    most = std::max(most, out.size());
    for (const Index parity : {0, 1}) early_[place(phase, parity)].reserve(in.size());
  }
  for (const auto& [peer, messages] : sent) require_tags(peer, messages);
  for (const auto& [peer, messages] : in_) require_tags(peer, messages.size());
  requests_.reserve(most);
}

void TwoSided::send(Index number, const void* data, std::size_t bytes) {
  const Extent extent(bytes, own_.limits());
  const Outgoing& message = numbered(out_[usize(phase_)], number);
  requests_.emplace_back();
  check(MPI_Isend(data, extent.count(), extent.type(), message.to, message.tag + epochs_.parity(),
                  own_.handle(), &requests_.back()),
        "MPI_Isend");
}

std::optional<Arrival> TwoSided::take_early(Index number) {
  auto& waiting = early_[open_place()];
  const auto at = std::find_if(waiting.begin(), waiting.end(),
                               [&](const Arrival& a) { return number == any || a.number == number; });
  if (at == waiting.end()) return std::nullopt;
  const Arrival arrival = *at;
  waiting.erase(at);
  return arrival;
}

TwoSided::Come TwoSided::identify(const MPI_Status& status, MPI_Message message) const {
  const int from = status.MPI_SOURCE, tag = status.MPI_TAG;
  const auto expected = in_.find(from);
  if (expected == in_.end() || usize(tag / 2) >= expected->second.size()) {
    throw Error(ErrorKind::environment,
                fmt::format("rank {} sent a message ({}) that this rank's plan does not have", from, tag),
                "use the same solver options on every rank");
  }
  const auto [phase, number] = expected->second[usize(tag / 2)];
  return {.place = place(phase, tag % 2),
          .arrival = {.from = from, .number = number, .bytes = bytes_of(status), .message = message}};
}

std::optional<Arrival> TwoSided::poll(Index number) {
  if (auto arrival = take_early(number)) return arrival;
  while (true) {
    int found = 0;
    MPI_Message message;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_.handle(), &found, &message, &status), "MPI_Improbe");
    if (found == 0) return std::nullopt;
    const auto [belongs, arrival] = identify(status, message);
    const bool wanted = number == any || arrival.number == number;
    if (belongs == open_place() && wanted) return arrival;
    early_[belongs].push_back(arrival);
  }
}

void TwoSided::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  const Extent extent(bytes, own_.limits());
  MPI_Request request;
  check(MPI_Imrecv(data, extent.count(), extent.type(), &arrival.message, &request), "MPI_Imrecv");
  Watchdog(own_).wait(1, &request, "the rest of a message has not come");
}

void TwoSided::close_phase(Watchdog& watchdog) {
  watchdog.wait(static_cast<int>(requests_.size()), requests_.data(), "sent messages were not received");
  requests_.clear();
}

}  // namespace trisweep::mpi
