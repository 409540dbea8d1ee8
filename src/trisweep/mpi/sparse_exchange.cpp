#include "trisweep/mpi/sparse_exchange.hpp"

#include "trisweep/mpi/watchdog.hpp"

namespace trisweep::mpi {
namespace {

constexpr int exchange_tag = static_cast<int>(Tag::sparse);

// True if the request is complete.
bool is_done(MPI_Request& request) {
  int done = 0;
  check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

// Receives one list if there is one; true if it did.
bool receive_list(const Communicator& comm, ListRoom& room) {
  int found = 0;
  MPI_Status status;
  check(MPI_Iprobe(MPI_ANY_SOURCE, exchange_tag, comm.handle(), &found, &status), "MPI_Iprobe");
  if (found == 0) return false;
  const std::size_t bytes = bytes_of(status);
  const Extent extent(bytes, comm.limits());
  MPI_Request request;
  check(MPI_Irecv(room.from(status.MPI_SOURCE, bytes), extent.count(), extent.type(), status.MPI_SOURCE,
                  exchange_tag, comm.handle(), &request),
        "MPI_Irecv");
  Watchdog(comm).wait(1, &request, "the rest of a list has not come");
  return true;
}

}  // namespace

// A rank enters the barrier when its lists have been received; so a rank that has passed it has all lists
// addressed to it.
void exchange_bytes(const Communicator& comm, std::span<const BytesToSend> lists,
                    std::span<MPI_Request> requests, ListRoom& room) {
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const Extent extent(lists[i].bytes.size(), comm.limits());
    check(MPI_Issend(lists[i].bytes.data(), extent.count(), extent.type(), lists[i].to, exchange_tag,
                     comm.handle(), &requests[i]),
          "MPI_Issend");
  }
  Watchdog watchdog(comm);
  std::size_t complete = 0;
  if (lists.empty()) check(MPI_Ibarrier(comm.handle(), &requests.back()), "MPI_Ibarrier");
  while (complete < requests.size()) {
    const bool received = receive_list(comm, room);
    const bool sent = is_done(requests[complete]);
    if (sent && ++complete == lists.size())
      check(MPI_Ibarrier(comm.handle(), &requests.back()), "MPI_Ibarrier");
    if (received || sent) {
      watchdog.reset();
    } else {
      watchdog.backoff([] { return std::string("a rank has not entered an exchange of lists"); });
    }
  }
}

}  // namespace trisweep::mpi
