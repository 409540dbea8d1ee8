#include "trisweep/transport/two_sided.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trisweep::transport {

TwoSided::TwoSided(const Communicator& comm, const Traffic& traffic) : own_(comm.handle()), epochs_(own_) {
  int* largest_tag = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(own_.handle(), MPI_TAG_UB, &largest_tag, &found), "MPI_Comm_get_attr");
  collectively(own_, [&] {
    std::size_t most = 0;
    for (const PhaseMessages& phase : traffic.phase) {
      most = std::max(most, phase.out.size());
      for (const Message& m : phase.out) {
        if (found == 0 || m.tag <= *largest_tag) continue;
        throw Error(ErrorKind::environment,
                    fmt::format("this MPI allows tags up to {}, but {} are needed", *largest_tag, m.tag),
                    "use Open MPI or MPICH, whose tags go beyond 10^8");
      }
    }
    requests_.reserve(most);
  });
  for (std::size_t i = 0; i < 2 * traffic.phase.size(); ++i) channels_.emplace_back(own_.handle());
}

void TwoSided::send(Index to, int tag, const void* data, std::size_t bytes) {
  requests_.emplace_back();
  check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm(), &requests_.back()), "MPI_Isend");
}

std::optional<Arrival> TwoSided::poll(Index from, int tag) {
  int found = 0, bytes = 0;
  MPI_Message message;
  MPI_Status status;
  check(MPI_Improbe(from, tag, comm(), &found, &message, &status), "MPI_Improbe");
  if (found == 0) return std::nullopt;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return Arrival{.from = status.MPI_SOURCE,
                 .tag = status.MPI_TAG,
                 .bytes = static_cast<std::size_t>(bytes),
                 .message = message};
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
