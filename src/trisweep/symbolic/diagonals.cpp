#include "trisweep/symbolic/diagonals.hpp"

#include <algorithm>
#include <array>

#include "trisweep/core/named.hpp"

namespace trisweep::symbolic {
namespace {

SymbolicOptions of_supernodes(Index /*ranks*/) {
  return {};
}

// On all levels on which ranks share separators.
SymbolicOptions of_separators(Index ranks) {
  return {.whole_levels = std::max(ordering::levels_to_parts(ranks), 1)};
}

constexpr auto table = std::to_array<NamedDiagonal>({
    {"supernodes", of_supernodes},
    {"separators", of_separators, true},
});

}  // namespace

std::span<const NamedDiagonal> diagonals() {
  return table;
}

const NamedDiagonal& find_diagonal(std::string_view name) {
  return find_named(diagonals(), "diagonal", name);
}

}  // namespace trisweep::symbolic
