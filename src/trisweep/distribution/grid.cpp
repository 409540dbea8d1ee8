#include "trisweep/distribution/grid.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "trisweep/core/error.hpp"

namespace trisweep::distribution {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("grid '{}': {}", text, why),
              "write it as PXxPYxPZ, such as 2x3x1, with PZ a power of two (1, 2, 4, 8, ...)");
}

}  // namespace

std::string ProcessGrid::name() const {
  return fmt::format("{}x{}x{}", px, py, pz);
}

ProcessGrid parse_grid(const std::string& text) {
  std::array<Index, 3> factor{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [next, error] = std::from_chars(at, end, factor[i]);
    if (error != std::errc{} || factor[i] < 1) refuse(text, "each factor must be a positive whole number");
    at = next;
    if (at == end && i > 0) break;
    if (at == end || i == 2 || *at != 'x') refuse(text, "three factors separated by 'x' are expected");
    ++at;
  }
  const std::int64_t layer = std::int64_t{factor[0]} * factor[1];
  if (layer > std::numeric_limits<Index>::max() / factor[2]) refuse(text, "too many ranks");
  if ((factor[2] & (factor[2] - 1)) != 0) refuse(text, "PZ must be a power of two");
  return {factor[0], factor[1], factor[2]};
}

void check_grid(const ProcessGrid& grid, Index ranks) {
  if (grid.px < 1 || grid.py < 1 || grid.pz < 1) refuse(grid.name(), "each factor must be positive");
  if ((grid.pz & (grid.pz - 1)) != 0) refuse(grid.name(), "PZ must be a power of two");
  const std::int64_t layer = std::int64_t{grid.px} * grid.py;
  if (layer > std::numeric_limits<Index>::max() / grid.pz) refuse(grid.name(), "too many ranks");
  if (grid.ranks() == ranks) return;
  const auto counted = [](Index count) { return fmt::format("{} rank{}", count, count == 1 ? "" : "s"); };
  throw Error(
      ErrorKind::usage,
      fmt::format("grid {} needs {}, but there {} {}", grid.name(), counted(grid.ranks()),
                  ranks == 1 ? "is" : "are", ranks),
      fmt::format("start it with mpirun -n {}, or choose a grid of {}", grid.ranks(), counted(ranks)));
}

ProcessGrid square_grid(Index ranks) {
  auto px = static_cast<Index>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % px != 0) --px;
  return {px, ranks / px, 1};
}

}  // namespace trisweep::distribution
