// Linked into the MPI test programs under MPICH: a rank that finds nothing to do gives up its core.
//
// MPICH spins while it waits and has no setting against that. With more ranks than cores every message then
// costs a scheduler's time slice: test_solve_mpi on 4 ranks and 2 cores takes minutes instead of seconds.
// Debian's MPICH makes progress through UCX, whose one entry point this definition of the same name precedes.

#include <dlfcn.h>
#include <sched.h>

#include <chrono>
#include <thread>

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto progress = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  thread_local int idle = 0;
  constexpr int yields =
      10;  // before it sleeps, so that the ranks with work do not share a core with yields alone
  const unsigned events = progress(worker);
  idle = events == 0 ? idle + 1 : 0;
  if (idle > yields) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  } else if (idle > 0) {
    sched_yield();
  }
  return events;
}
