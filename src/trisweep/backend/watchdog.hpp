#pragma once
// How the host learns that a kernel has given up.

#include <string>

#include "trisweep/backend/memory.hpp"
#include "trisweep/backend/waiting.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::backend {

// The host's copy of a kernel's word `stalled` (Waiting::leaves).
class Stall {
 public:
  explicit Stall(Device device) : device_(device), stalled_(device, 1, MemoryUse::pinned) {}

  // Copies the word in a stream, which the caller must wait for next.
  void record(const Count* stalled, void* stream) const {
    runtime(device_).copy(stalled_.data(), sizeof(Count), stalled, sizeof(Count), sizeof(Count), 1, stream);
  }
  // Throws Error(environment) if workers have left, in this and in every later call.
  void require_none(const std::string& thing) const {
    if (const Count stalled = *stalled_.data(); stalled != 0)
      throw Error(ErrorKind::environment,
                  "no progress on the device within the watchdog's time: it waits in " + thing + ' ' +
                      std::to_string(stalled - 1),
                  "make the object again; a device that others use as well may need a longer watchdog");
  }

 private:
  Device device_;
  DeviceArray<Count> stalled_;
};

}  // namespace trisweep::backend
