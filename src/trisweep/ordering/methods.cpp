#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::ordering {
namespace {

constexpr std::array<NamedMethod, 3> table{{
    {"metis", Method::metis},
    {"scotch", Method::scotch},
    {"natural", Method::natural, false},
}};

}  // namespace

std::span<const NamedMethod> methods() {
  return table;
}

const NamedMethod& find_method(std::string_view name) {
  return find_named(methods(), "ordering", name);
}

}  // namespace trisweep::ordering
