#include "trisweep/report/text.hpp"

#include <fmt/format.h>

#include <array>

namespace trisweep::report {
namespace {

struct Unit {
  double size;
  const char* name;
};

template <std::size_t count>
std::string in_units(double value, const std::array<Unit, count>& units) {
  for (const Unit& unit : units) {
    if (value >= unit.size) return fmt::format("{:.3g} {}", value / unit.size, unit.name);
  }
  return fmt::format("{:.3g} {}", value / units.back().size, units.back().name);
}

}  // namespace

std::string duration(double seconds) {
  return in_units(seconds, std::array<Unit, 3>{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}});
}
std::string bytes(double size) {
  return in_units(size, std::array<Unit, 4>{{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}}});
}

std::string counted(Offset count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace trisweep::report
