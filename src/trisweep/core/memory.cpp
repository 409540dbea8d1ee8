#include "trisweep/core/memory.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number in the first line of `file`; unlimited when there is none ("max", or no such file).
std::size_t number_in(const char* file) {
  std::size_t number = unlimited;
  std::ifstream stream(file);
  return stream >> number ? number : unlimited;
}

std::size_t system_available() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kib = 0; meminfo >> name >> kib; std::getline(meminfo, unit)) {
    if (name == "MemAvailable:") return kib * 1024;
  }
  return unlimited;
}

std::size_t group_available() {
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max"),
                    used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == unlimited || used == unlimited) return unlimited;
  return limit > used ? limit - used : 0;
}

std::size_t process_available() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::size_t available_memory() {
  return std::min({system_available(), group_available(), process_available()});
}

void require_memory(std::size_t bytes, const char* what, std::size_t mapped, const char* remedy) {
  // Asking the system takes longer than factoring a matrix of a thousand rows.
  constexpr std::size_t negligible = std::size_t{4} << 20;
  const std::size_t addresses = process_available();
  const std::size_t available = bytes < negligible ? addresses : available_memory();
  const bool fits = mapped <= addresses && bytes <= addresses - mapped;
  if (bytes <= available && fits) return;
  const auto gib = [](std::size_t b) { return double(b) / (1 << 30); };
  throw Error(
      ErrorKind::environment,
      fmt::format("not enough memory for {}: {:.3g} GiB needed, {:.3g} GiB available", what,
                  gib(fits ? bytes : bytes + mapped), gib(fits ? available : addresses)),
      fits ? remedy : fmt::format("raise the limit on the memory of a process (ulimit -v), or {}", remedy));
}

void return_free_memory() {
  malloc_trim(0);
}

}  // namespace trisweep
