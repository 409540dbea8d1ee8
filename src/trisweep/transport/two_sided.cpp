#include "trisweep/transport/two_sided.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trisweep::transport {

TwoSided::TwoSided(const Communicator& comm, const Traffic& traffic)
    : own_(comm.handle()), epochs_(own_), early_(2 * traffic.phase.size()) {
  int* largest = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(own_.handle(), MPI_TAG_UB, &largest, &found), "MPI_Comm_get_attr");
  std::size_t most = 0;
  Offset tags = 1;
  for (const PhaseMessages& phase : traffic.phase) {
    most = std::max(most, phase.out.size());
    for (const Message& m : phase.out) tags = std::max(tags, Offset{m.tag} + 1);
  }
  tags = own_.max(tags);  // a tag must mean the same at both ends
  collectively(own_, [&] {
    const Offset needed = tags * static_cast<Offset>(early_.size());
    if (found != 0 && needed - 1 > *largest) {
      throw Error(ErrorKind::environment,
                  fmt::format("this MPI allows tags up to {}, but {} are needed", *largest, needed),
                  "use the one-sided transport, or the single-sync schedule, which has fewer phases");
    }
    requests_.reserve(most);
  });
  tags_ = static_cast<int>(tags);
}

void TwoSided::send(Index to, int tag, const void* data, std::size_t bytes) {
  requests_.emplace_back();
  const int whole = static_cast<int>(place(phase_)) * tags_ + tag;
  check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, whole, own_.handle(), &requests_.back()),
        "MPI_Isend");
}

std::optional<Arrival> TwoSided::take_early(Index from, int tag) {
  auto& waiting = early_[place(phase_)];
  const auto at = std::find_if(waiting.begin(), waiting.end(), [&](const Arrival& a) {
    return (from == any || a.from == from) && (tag == any || a.tag == tag);
  });
  if (at == waiting.end()) return std::nullopt;
  const Arrival arrival = *at;
  waiting.erase(at);
  return arrival;
}

std::optional<Arrival> TwoSided::poll(Index from, int tag) {
  if (auto arrival = take_early(from, tag)) return arrival;
  while (true) {
    int found = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_.handle(), &found, &message, &status), "MPI_Improbe");
    if (found == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    const Arrival arrival{.from = status.MPI_SOURCE,
                          .tag = status.MPI_TAG % tags_,
                          .bytes = static_cast<std::size_t>(bytes),
                          .message = message};
    const auto belongs = static_cast<std::size_t>(status.MPI_TAG / tags_);
    const bool wanted = (from == any || arrival.from == from) && (tag == any || arrival.tag == tag);
    if (belongs == place(phase_) && wanted) return arrival;
    early_[belongs].push_back(arrival);
  }
}

void TwoSided::receive(Arrival& arrival, void* data, std::size_t bytes) {
  check_size(arrival, bytes);
  check(MPI_Mrecv(data, static_cast<int>(bytes), MPI_BYTE, &arrival.message, MPI_STATUS_IGNORE), "MPI_Mrecv");
}

void TwoSided::close_phase(Patience& patience) {
  patience.wait(static_cast<int>(requests_.size()), requests_.data(),
                "messages that were sent are not taken by their receivers");
  requests_.clear();
}

}  // namespace trisweep::transport
