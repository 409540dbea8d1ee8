#include "_core/mpi.hpp"

#include <Python.h>
#include <mpi.h>

#include <atomic>

#include "session_folder.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::python {
namespace {

std::atomic<bool> serves_threads_at_once = false;

void initialize() {
  cli::use_own_session_folder();
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  // After the last Python object, for some of them communicate to their end.
  Py_AtExit([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0) MPI_Finalize();
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

std::unique_lock<std::mutex> turn_at_mpi() {
  static std::mutex mutex;
  return serves_threads_at_once ? std::unique_lock<std::mutex>() : std::unique_lock(mutex);
}

}  // namespace trisweep::python
