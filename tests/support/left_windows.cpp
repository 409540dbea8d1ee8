// The calls of MPI that make, open and free windows, before those of its profiling interface: they fail where
// that is asked for (failing_calls.hpp), and know which windows there are.

#include "support/left_windows.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "support/failing_calls.hpp"

using namespace trisweep::testing_support;

namespace {

struct Window {
  MPI_Win window;
  bool open = false;  // between MPI_Win_lock_all and MPI_Win_unlock_all
};
std::vector<Window> made_windows;  // in the order in which all ranks have made them

Window* find(MPI_Win window) {
  const auto at = std::ranges::find(made_windows, window, &Window::window);
  return at == made_windows.end() ? nullptr : &*at;
}
void forget(MPI_Win window) {
  std::erase_if(made_windows, [&](const Window& each) { return each.window == window; });
}

// All ranks come here, and no rank uses them any more.
int free_all(MPI_Comm, int, void*, void*) {
  for (Window& each : made_windows) {
    if (each.open) PMPI_Win_unlock_all(each.window);
    PMPI_Win_free(&each.window);
  }
  made_windows.clear();
  return MPI_SUCCESS;
}

}  // namespace

// MPI deletes the attributes of MPI_COMM_SELF before anything else ends, the last one first (MPI 3.1, 8.7.1):
// that of a pool of communicators, which frees its own windows, before this.
void trisweep::testing_support::free_left_windows_at_the_end() {
  int key = MPI_KEYVAL_INVALID;
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &free_all, &key, nullptr);
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);
}

int trisweep::testing_support::windows() {
  return static_cast<int>(made_windows.size());
}

extern "C" {

// All ranks are in this call: the error comes when they have left it, since MPI lets none leave before.
int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made) {
  const int code = PMPI_Win_allocate(bytes, unit, info, comm, base, made);
  if (code == MPI_SUCCESS) {
    const Undisturbed undisturbed;
    made_windows.push_back({*made});
  }
  if (!makers.fails()) return code;
  *made = MPI_WIN_NULL;
  return MPI_ERR_OTHER;
}
int MPI_Win_lock_all(int assertion, MPI_Win window) {
  if (transfers.fails()) return MPI_ERR_OTHER;
  const int code = PMPI_Win_lock_all(assertion, window);
  if (Window* const known = find(window)) known->open = code == MPI_SUCCESS;
  return code;
}
int MPI_Win_unlock_all(MPI_Win window) {
  if (Window* const known = find(window)) known->open = false;
  const int code = PMPI_Win_unlock_all(window);
  return makers.fails() ? MPI_ERR_OTHER : code;
}
int MPI_Win_free(MPI_Win* window) {
  forget(*window);
  const int code = PMPI_Win_free(window);
  return makers.fails() ? MPI_ERR_OTHER : code;
}
int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler) {
  const int code = PMPI_Win_set_errhandler(window, handler);
  return makers.fails() ? MPI_ERR_OTHER : code;
}
}
