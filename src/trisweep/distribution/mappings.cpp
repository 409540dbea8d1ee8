#include <fmt/format.h>

#include <array>

#include "trisweep/core/error.hpp"
#include "trisweep/distribution/mapping.hpp"

namespace trisweep::distribution {
namespace {

constexpr std::array<NamedMapping, 2> table{{
    {"block-cyclic", block_cyclic},
    {"proportional", proportional},
}};

}  // namespace

std::span<const NamedMapping> mappings() {
  return table;
}

decltype(NamedMapping::make) find_mapping(std::string_view name) {
  std::string known;
  for (const auto& row : table) {
    if (row.name == name) return row.make;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no mapping '{}'", name), "choose one of: " + known);
}

}  // namespace trisweep::distribution
