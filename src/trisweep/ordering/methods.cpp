#include <array>

#include "trisweep/core/named.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::ordering {
namespace {

constexpr auto table = std::to_array<NamedMethod>({
    {"auto", Method::automatic},
    {"metis", Method::metis},
    {"scotch", Method::scotch},
    {"ptscotch", Method::ptscotch},
    {"amd", Method::amd},
    {"natural", Method::natural, false},
});

}  // namespace

std::span<const NamedMethod> methods() {
  return table;
}

const NamedMethod& find_method(std::string_view name) {
  return find_named(methods(), "ordering", name);
}

}  // namespace trisweep::ordering
