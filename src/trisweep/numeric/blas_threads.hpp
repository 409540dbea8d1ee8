#pragma once
// The number of OpenBLAS threads, a setting of the process that the program controls.
#include <cstddef>

namespace trisweep::numeric {

// Address space, in bytes, that a computing thread takes: OpenBLAS maps a buffer of 128 MiB, and retries for
// ever if that fails; the C library reserves as much for the thread's heap while aligning it. It has to be
// available before the thread starts.
inline constexpr std::size_t addresses_of_thread = std::size_t{256} << 20;
// Throws Error(environment) if the limit on the process's address space leaves too little for `threads`
// threads.
void require_addresses_of(int threads);

// While such an object exists, OpenBLAS (other BLAS libraries are not affected) uses the calling thread only:
// ranks and our own threads already fill the processors, and results of products split over threads depend on
// the number of threads. The setting affects the whole process, so the library leaves it to the program,
// which holds an object while it calls the library. Destroying the last object, on any thread, restores the
// setting found by the first.
class OneBlasThread {
 public:
  // Sets one thread. Does not throw.
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

}  // namespace trisweep::numeric
