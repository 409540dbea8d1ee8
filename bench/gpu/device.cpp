// gpu_device: prints which GPU there is, or why there is none.

#include "device.hpp"

#include <fmt/format.h>

int main() {
  const auto& runtime = trisweep::backend::runtime(trisweep::bench::gpu);
  if (const std::string obstacle = runtime.obstacle(); !obstacle.empty()) {
    fmt::print("no GPU: {}\n", obstacle);
    return 3;
  }
  fmt::print("{} of {}\n", runtime.count(), runtime.name());
  return 0;
}
