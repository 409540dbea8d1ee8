#include "trisweep/numeric/kind.hpp"

#include <array>

#include "trisweep/core/named.hpp"

namespace trisweep::numeric {
namespace {

constexpr auto table = std::to_array<NamedKind>({{"lu", Kind::lu, "LU"},
                                                 {"cholesky", Kind::cholesky, "Cholesky"},
                                                 {"ldlt", Kind::ldlt, "L D L^T"},
                                                 {"ldlh", Kind::ldlh, "L D L^H"}});

constexpr auto choices = std::to_array<NamedKindChoice>({{"auto", KindChoice::automatic},
                                                         {"lu", KindChoice::lu},
                                                         {"cholesky", KindChoice::cholesky},
                                                         {"ldlt", KindChoice::ldlt}});

}  // namespace

std::span<const NamedKind> kinds() {
  return table;
}

const NamedKind& describe(Kind kind) {
  return table[static_cast<std::size_t>(kind)];
}

const NamedKind& find_kind(std::string_view name) {
  return find_named(kinds(), "kind of factorization", name);
}

std::span<const NamedKindChoice> kind_choices() {
  return choices;
}

KindChoice find_kind_choice(std::string_view name) {
  return find_named(kind_choices(), "kind of factorization", name).choice;
}

}  // namespace trisweep::numeric
