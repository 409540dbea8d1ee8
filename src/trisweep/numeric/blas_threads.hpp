#pragma once
// The threads of OpenBLAS, which belong to the program.
#include <cstddef>

namespace trisweep::numeric {

// Addresses that a thread takes when it computes: OpenBLAS maps a buffer of 128 MiB for it, and where it gets
// none it tries for ever; the C library reserves as much for its heap while it aligns it. They have to be
// there before the thread starts.
inline constexpr std::size_t addresses_of_thread = std::size_t{256} << 20;
// Throws Error(environment) when the limit on the process's addresses leaves too few for that many `threads`.
void require_addresses_of(int threads);

// While one lives, the BLAS in use keeps to the calling thread, where it can be told (OpenBLAS): ranks and
// our own threads already fill the processors, and products split over threads depend on their number. It is
// a setting of the whole process, so the library leaves it to the program, which holds one while it calls the
// library. The end of the last one, of any thread, restores what was set before the first.
class OneBlasThread {
 public:
  // Sets one thread. Throws nothing.
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

}  // namespace trisweep::numeric
