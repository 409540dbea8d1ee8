#include "trisweep/numeric/blas_threads.hpp"

#include <pthread.h>

#include <mutex>

#include "trisweep/core/memory.hpp"
#include "trisweep/core/types.hpp"

// Weak symbols: null if another BLAS is linked.
extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads();
}

namespace trisweep::numeric {
namespace {

// Process-wide, as the setting is.
struct {
  std::mutex mutex;
  int holders = 0;
  int threads_before = 0;  // the first holder
} one_thread;

// Locks the mutex during a fork: if another thread held it, it would stay locked in the child. (Objects held
// by other threads count in the child, too: its BLAS keeps to one thread then.)
void keep_out_of_forks() {
  static const int registered = pthread_atfork(
      [] { one_thread.mutex.lock(); }, [] { one_thread.mutex.unlock(); }, [] { one_thread.mutex.unlock(); });
  static_cast<void>(registered);
}

}  // namespace

void require_addresses_of(int threads) {
  require_memory(0, "threads that compute", usize(threads) * addresses_of_thread, "use fewer threads");
}

OneBlasThread::OneBlasThread() {
  if (openblas_set_num_threads == nullptr) return;
  keep_out_of_forks();
  const std::scoped_lock mine(one_thread.mutex);
  if (one_thread.holders++ == 0) one_thread.threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  if (openblas_set_num_threads == nullptr) return;
  const std::scoped_lock mine(one_thread.mutex);
  if (--one_thread.holders == 0) openblas_set_num_threads(one_thread.threads_before);
}

}  // namespace trisweep::numeric
