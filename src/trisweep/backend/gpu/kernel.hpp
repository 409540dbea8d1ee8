#pragma once
#include "trisweep/backend/team.hpp"

namespace trisweep::backend {

// Number of blocks of a body for which a multiprocessor must have room: the fewer, the more registers each
// may have.
template <class Body>
constexpr int blocks_of_processor() {
  if constexpr (requires { Body::blocks_of_processor; }) return Body::blocks_of_processor;
  return 1;
}

template <class Body>
__global__ void __launch_bounds__(Body::threads, blocks_of_processor<Body>()) run_body(Body body) {
  body(GpuBlock());
}

template <class Body>
const void* kernel_of() {
  return reinterpret_cast<const void*>(&run_body<Body>);
}

}  // namespace trisweep::backend
