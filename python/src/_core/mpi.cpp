#include "_core/mpi.hpp"

#include <Python.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "single_process.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::python {
namespace {

std::atomic<bool> serves_threads_at_once = false;

// Unused duplicates of MPI_COMM_SELF. As many exist as threads have made objects at the same time; they are
// freed when MPI is finalized.
std::mutex idle_mutex;
std::vector<MPI_Comm> idle;

std::mutex turn_mutex;
thread_local int turns_and_callbacks = 0;  // of this thread, nested

void initialize() {
  cli::begin_mpi(nullptr, nullptr, MPI_THREAD_MULTIPLE);
  static const pid_t process = getpid();
  // MPI is finalized after the last Python object is destroyed, since some communicate in their destructor.
  // Not in a forked child: Open MPI would shut down the sockets that the child shares with its parent.
  Py_AtExit([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0 && getpid() == process) MPI_Finalize();
  });
}

}  // namespace

void require_mpi() {
  int began = 0, ended = 0, level = 0;
  MPI_Finalized(&ended);
  if (ended != 0) throw Error(ErrorKind::environment, "MPI has been finalized", "solve before");
  MPI_Initialized(&began);
  if (began == 0) initialize();
  MPI_Query_thread(&level);
  serves_threads_at_once = level == MPI_THREAD_MULTIPLE;
}

Parent::Parent(std::optional<int> handle) : is_ours_(!handle) {
  if (handle) {
    comm_ = MPI_Comm_f2c(*handle);
    return;
  }
  const std::scoped_lock mine(idle_mutex);
  if (idle.empty()) {
    mpi::check(MPI_Comm_dup(MPI_COMM_SELF, &comm_), "MPI_Comm_dup");
  } else {
    comm_ = idle.back();
    idle.pop_back();
  }
}

Parent::~Parent() {
  if (!is_ours_) return;
  const std::scoped_lock mine(idle_mutex);
  idle.push_back(comm_);
}

std::string mpi_library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

MpiTurn::MpiTurn() : is_held_(!serves_threads_at_once) {
  if (!is_held_) return;
  if (is_within_turn())
    throw Error(ErrorKind::usage,
                "a function that trisweep has called calls it again, and MPI serves one thread at a time",
                "initialize MPI with MPI_THREAD_MULTIPLE, or compute before what the function needs");
  turn_mutex.lock();
  ++turns_and_callbacks;
}
MpiTurn::~MpiTurn() {
  if (!is_held_) return;
  --turns_and_callbacks;
  turn_mutex.unlock();
}

Callback::Callback() {
  ++turns_and_callbacks;
}
Callback::~Callback() {
  --turns_and_callbacks;
}

bool is_within_turn() {
  return !serves_threads_at_once && turns_and_callbacks > 0;
}

}  // namespace trisweep::python
