#include "trisweep/transport/two_sided.hpp"

#include <fmt/format.h>

namespace trisweep::transport {

TwoSided::TwoSided(MPI_Comm parent, Index phases, Index supernodes) {
  for (Index i = 0; i < 2 * phases; ++i) channels_.emplace_back(parent);
  int* largest_tag = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(parent, MPI_TAG_UB, &largest_tag, &found), "MPI_Comm_get_attr");
  if (found != 0 && *largest_tag / 2 < supernodes) {
    throw Error(ErrorKind::environment,
                fmt::format("this MPI allows tags up to {}, but {} supernodes need {}", *largest_tag,
                            supernodes, 2 * Offset{supernodes}),
                "use Open MPI or MPICH, whose tags go beyond 10^8");
  }
}

TwoSided::~TwoSided() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (barrier_ != MPI_REQUEST_NULL && finalized == 0) MPI_Wait(&barrier_, MPI_STATUS_IGNORE);
}

void TwoSided::reserve(std::size_t sends) {
  if (requests_.size() < sends) requests_.resize(sends, MPI_REQUEST_NULL);
}

void TwoSided::open_phase(Index phase) {
  phase_ = phase;
}

void TwoSided::send(Index to, Index supernode, MessageKind kind, const void* data, std::size_t bytes) {
  const int tag = 2 * supernode + static_cast<int>(kind);
  check(MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm(), &requests_.at(pending_)),
        "MPI_Isend");
  ++pending_;
}

Arrival TwoSided::arrived(const MPI_Status& status, MPI_Message message) const {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return {status.MPI_TAG / 2, static_cast<MessageKind>(status.MPI_TAG % 2), static_cast<std::size_t>(bytes),
          message};
}

std::optional<Arrival> TwoSided::poll() {
  int found = 0;
  MPI_Message message;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm(), &found, &message, &status), "MPI_Improbe");
  if (found == 0) return std::nullopt;
  return arrived(status, message);
}

Arrival TwoSided::wait() {
  MPI_Message message;
  MPI_Status status;
  check(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm(), &message, &status), "MPI_Mprobe");
  return arrived(status, message);
}

void TwoSided::receive(Arrival& arrival, void* data, std::size_t bytes) {
  if (arrival.bytes != bytes) {
    throw Error(
        ErrorKind::environment,
        fmt::format(
            "a message about supernode {} has {} bytes where {} were expected: the ranks' plans differ",
            arrival.supernode, arrival.bytes, bytes),
        "call solve with the same op and number of right-hand sides on every rank");
  }
  check(MPI_Mrecv(data, static_cast<int>(bytes), MPI_BYTE, &arrival.message, MPI_STATUS_IGNORE), "MPI_Mrecv");
}

void TwoSided::close_phase() {
  check(MPI_Waitall(static_cast<int>(pending_), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  pending_ = 0;
}

void TwoSided::close_solve() {
  check(MPI_Wait(&barrier_, MPI_STATUS_IGNORE), "MPI_Wait");
  check(MPI_Ibarrier(channels_.front().handle(), &barrier_), "MPI_Ibarrier");
  ++epoch_;
}

}  // namespace trisweep::transport
