#pragma once
// The GPUs of this machine. Built with TRISWEEP_CUDA or TRISWEEP_HIP.

#include <optional>
#include <string>

namespace trisweep::device {

int gpu_count();
// Of the first; nothing: there is none.
std::optional<std::string> gpu_name();
// Bytes per second that a copy within its memory reads and writes.
double gpu_copy_bandwidth();

}  // namespace trisweep::device
