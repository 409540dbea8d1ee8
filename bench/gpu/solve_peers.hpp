#pragma once
// Other libraries on the same GPU: cuSPARSE's triangular solves with our L and our U, and cuDSS's solve phase
// with factors of its own in our ordering. Where they are not installed nothing is measured, and said so.

#include <functional>

#include "system.hpp"

namespace trisweep::bench {

// what, right-hand sides, seconds, backward error
using Report = std::function<void(const std::string&, Index, double, double)>;

void measure_peers(const System& system, const Report& report);

}  // namespace trisweep::bench
