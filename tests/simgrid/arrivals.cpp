// What SMPI lacks: matched probes, a way to wait for whatever comes, and a reduction on many ranks.
//
// SMPI's own MPI_Iprobe finds a message as soon as it has been sent, and the receive then waits for it; a
// rank that polls between tasks would lose its time there. So a rank keeps a few receives posted, and a
// message has come when one of them is complete. Nobody looks at what is in a message: all are received into
// one place.
//
// SimGrid's time stands still while ranks poll. A rank that yields (a look has found nothing, and no task is
// ready) therefore sleeps until one of its receives is complete; without receives, in the one-sided
// transport, for an instant.
//
// SMPI's MPI_Iallreduce sends a message from everyone to everyone. It is needed before the solve only, where
// the blocking one does as well. Its MPI_Test leaves the flag of a null request as it was when nobody wants
// the status; its windows do not tell their memory model, the unified one, and cannot be synchronized.

#include <mpi.h>

#include <array>
#include <deque>
#include <map>
#include <simgrid/s4u/Actor.hpp>
#include <vector>

namespace {

constexpr double instant = 5e-8;                       // seconds between two looks into a window
constexpr std::size_t largest = std::size_t{1} << 26;  // bytes of a message

class Arrivals {
 public:
  // Those of the simulated rank that runs.
  static Arrivals& mine() {
    static std::map<aid_t, Arrivals> all;
    return all[simgrid::s4u::this_actor::get_pid()];
  }

  bool open() const { return comm_ != MPI_COMM_NULL; }

  // The first message that has come and was not taken.
  bool take(MPI_Comm comm, MPI_Status* status) {
    if (comm_ == MPI_COMM_NULL) post_all(comm);
    look();
    if (come_.empty()) return false;
    *status = come_.front();
    come_.pop_front();
    return true;
  }

  void wait() {
    int place = 0;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(posted_.size()), posted_.data(), &place, &status);
    keep(place, status);
  }

 private:
  void post_all(MPI_Comm comm) {
    comm_ = comm;
    for (MPI_Request& request : posted_) post(request);
  }
  void post(MPI_Request& request) {
    static std::vector<std::byte> anything(largest);
    MPI_Irecv(anything.data(), static_cast<int>(anything.size()), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
              comm_, &request);
  }
  void look() {
    while (true) {
      int place = 0, found = 0;
      MPI_Status status;
      MPI_Testany(static_cast<int>(posted_.size()), posted_.data(), &place, &found, &status);
      if (found == 0) return;
      keep(place, status);
    }
  }
  void keep(int place, const MPI_Status& status) {
    come_.push_back(status);
    post(posted_[static_cast<std::size_t>(place)]);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::array<MPI_Request, 16> posted_{};
  std::deque<MPI_Status> come_;
};

}  // namespace

extern "C" {

int PMPI_Test(MPI_Request* request, int* done, MPI_Status* status);  // MPI_Test is ours here

int trisweep_improbe(int, int, MPI_Comm comm, int* found, MPI_Message*, MPI_Status* status) {
  *found = Arrivals::mine().take(comm, status) ? 1 : 0;
  return MPI_SUCCESS;
}

int trisweep_mrecv(void*, int, MPI_Datatype, MPI_Message*, MPI_Status*) {
  return MPI_SUCCESS;
}

int trisweep_iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(from, to, count, type, op, comm);
}

int trisweep_test(MPI_Request* request, int* done, MPI_Status* status) {
  MPI_Status unread;
  return PMPI_Test(request, done, status == MPI_STATUS_IGNORE ? &unread : status);
}

int trisweep_win_get_attr(MPI_Win, int, void* value, int* found) {
  static int model = MPI_WIN_UNIFIED;
  *static_cast<int**>(value) = &model;
  *found = 1;
  return MPI_SUCCESS;
}

int trisweep_win_sync(MPI_Win) {
  return MPI_SUCCESS;
}

int trisweep_await_message() noexcept {
  Arrivals& arrivals = Arrivals::mine();
  if (arrivals.open()) {
    arrivals.wait();
  } else {
    simgrid::s4u::this_actor::sleep_for(instant);
  }
  return 0;
}
}
