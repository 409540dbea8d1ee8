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
// SMPI's MPI_Iallreduce sends a message from everyone to everyone, and goes on by itself. Here it is what
// MPIs do: up a binomial tree and down again, a hop at a time, and only when the rank tests it. Its MPI_Test
// leaves the flag of a null request as it was when nobody wants the status; its windows do not tell their
// memory model, the unified one, and cannot be synchronized. While it ends a rank, it refuses to delete an
// attribute of MPI_COMM_WORLD.

#include <mpi.h>

#include <array>
#include <deque>
#include <map>
#include <simgrid/s4u/Actor.hpp>
#include <vector>

extern "C" int PMPI_Test(MPI_Request* request, int* done, MPI_Status* status);  // MPI_Test is ours here

namespace {

constexpr double instant = TRISWEEP_INSTANT;           // seconds between two looks without a receive
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

// A reduction under way: of a rank one at a time.
class Reduction {
 public:
  static Reduction& mine() {
    static std::map<aid_t, Reduction> all;
    return all[simgrid::s4u::this_actor::get_pid()];
  }

  bool pending() const { return hop_ < hops_.size(); }

  void start(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    values_ = values;
    count_ = count;
    type_ = type;
    op_ = op;
    comm_ = comm;
    int size_of_one = 0;
    MPI_Type_size(type, &size_of_one);
    received_.resize(static_cast<std::size_t>(size_of_one) * static_cast<std::size_t>(count));
    list_hops();
    hop_ = 0;
    post();
  }
  void test() {
    int done = 0;
    MPI_Status status;
    while (pending()) {
      PMPI_Test(&request_, &done, &status);
      if (done == 0) return;
      end_hop();
    }
  }
  void wait() {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    end_hop();
  }

 private:
  enum class Kind { add, send, take };
  struct Hop {
    Kind kind;
    int peer;
  };

  void list_hops() {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm_, &rank);
    MPI_Comm_size(comm_, &size);
    hops_.clear();
    int distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2)
      if (rank + distance < size) hops_.push_back({Kind::add, rank + distance});
    if (rank != 0) {
      hops_.push_back({Kind::send, rank - distance});
      hops_.push_back({Kind::take, rank - distance});
    }
    for (distance /= 2; distance > 0; distance /= 2)
      if (rank + distance < size) hops_.push_back({Kind::send, rank + distance});
  }
  void post() {
    constexpr int tag = 1000;
    if (!pending()) return;
    const auto [kind, peer] = hops_[hop_];
    if (kind == Kind::send) {
      MPI_Isend(values_, count_, type_, peer, tag, comm_, &request_);
    } else {
      MPI_Irecv(kind == Kind::add ? received_.data() : values_, count_, type_, peer, tag, comm_, &request_);
    }
  }
  void end_hop() {
    if (hops_[hop_].kind == Kind::add) MPI_Reduce_local(received_.data(), values_, count_, type_, op_);
    ++hop_;
    post();
  }

  void* values_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<std::byte> received_;
  std::vector<Hop> hops_;
  std::size_t hop_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

MPI_Request reducing() {
  static int anything;
  return reinterpret_cast<MPI_Request>(&anything);
}

}  // namespace

extern "C" {

int trisweep_improbe(int, int, MPI_Comm comm, int* found, MPI_Message*, MPI_Status* status) {
  *found = Arrivals::mine().take(comm, status) ? 1 : 0;
  return MPI_SUCCESS;
}

int trisweep_imrecv(void*, int, MPI_Datatype, MPI_Message*, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int trisweep_comm_delete_attr(MPI_Comm, int) {
  return MPI_SUCCESS;
}

// All of the library's are in place.
int trisweep_iallreduce(const void*, void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request* request) {
  *request = reducing();
  Reduction::mine().start(values, count, type, op, comm);
  return MPI_SUCCESS;
}

int trisweep_test(MPI_Request* request, int* done, MPI_Status* status) {
  if (*request == reducing()) {
    Reduction::mine().test();
    *done = Reduction::mine().pending() ? 0 : 1;
    if (*done != 0) *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
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
  if (Reduction::mine().pending()) {
    Reduction::mine().wait();
  } else if (arrivals.open()) {
    arrivals.wait();
  } else {
    simgrid::s4u::this_actor::sleep_for(instant);
  }
  return 0;
}
}
