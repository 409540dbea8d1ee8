#pragma once
#include "trisweep/backend/team.hpp"

namespace trisweep::backend {

template <class Body>
__global__ void __launch_bounds__(Body::threads) run_body(Body body) {
  body(GpuBlock());
}

template <class Body>
const void* kernel_of() {
  return reinterpret_cast<const void*>(&run_body<Body>);
}

}  // namespace trisweep::backend

#define TRISWEEP_KERNEL(...) template const void* trisweep::backend::kernel_of<__VA_ARGS__>();
