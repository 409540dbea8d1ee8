#pragma once
// For source files of kernels: TRISWEEP_KERNEL(Body) instantiates the kernel of a body. In a build without a
// GPU the host's compiler compiles these files, and there is no kernel.

#if defined(__CUDACC__) || defined(__HIPCC__)
#include "trisweep/backend/gpu/kernel.hpp"
#else
namespace trisweep::backend {
template <class Body>
const void* kernel_of() {
  return nullptr;
}
}  // namespace trisweep::backend
#endif

#define TRISWEEP_KERNEL(...) template const void* trisweep::backend::kernel_of<__VA_ARGS__>();
