#pragma once
#include "trisweep/backend/device.hpp"

namespace trisweep::backend {

const Runtime& gpu_runtime();

}  // namespace trisweep::backend
