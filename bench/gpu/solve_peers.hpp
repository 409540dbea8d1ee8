#pragma once
// Other libraries on the same GPU: cuSPARSE's triangular solves with our L and our U, and cuDSS's solve phase
// with its own factors in our ordering. If they are not installed, a message says that they are not measured.

#include <functional>

#include "system.hpp"

namespace trisweep::bench {

// description, right-hand sides, seconds, backward error
using Report = std::function<void(const std::string&, Index, double, double)>;

void measure_peers(const System& system, const Report& report);

}  // namespace trisweep::bench
