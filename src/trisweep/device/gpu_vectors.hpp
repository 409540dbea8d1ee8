#pragma once
// b and x where a kernel finds them: in the device's memory as they are, of the host's by way of copies.

#include <utility>

#include "trisweep/core/vectors.hpp"
#include "trisweep/device/gpu_runtime.hpp"

namespace trisweep::device {

template <Scalar T>
class VectorCopies {
 public:
  // On the current device, for at most so many rows and right-hand sides.
  VectorCopies(Index rows, Index nrhs) : b_(usize(rows) * usize(nrhs)), x_(b_.size()) {}

  std::pair<Vectors<const T>, Vectors<T>> bring_in(Vectors<const T> b, Vectors<T> x, Stream stream) const {
    if (b.space == MemorySpace::host) {
      const Vectors<T> copy(b_.data(), b.rows, b.cols);
      copy_columns(copy, b, TRISWEEP_GPU(MemcpyHostToDevice), stream);
      b = copy;
    }
    if (x.space == MemorySpace::host) x = {x_.data(), x.rows, x.cols};
    return {b, x};
  }
  void bring_out(Vectors<T> x, Stream stream) const {
    if (x.space == MemorySpace::host)
      copy_columns(x, Vectors<const T>(x_.data(), x.rows, x.cols), TRISWEEP_GPU(MemcpyDeviceToHost), stream);
  }

 private:
  static void copy_columns(Vectors<T> to, Vectors<const T> from, CopyKind kind, Stream stream) {
    if (to.rows == 0) return;
    check(
        TRISWEEP_GPU(Memcpy2DAsync)(to.data, usize(to.ld) * sizeof(T), from.data, usize(from.ld) * sizeof(T),
                                    usize(to.rows) * sizeof(T), usize(to.cols), kind, stream),
        "copying vectors");
  }

  DeviceArray<T> b_, x_;
};

}  // namespace trisweep::device
