#pragma once
// For files that a GPU's compiler compiles: TRISWEEP_KERNEL(Body) is the kernel of a body.

#include "trisweep/backend/gpu/kernel.hpp"
