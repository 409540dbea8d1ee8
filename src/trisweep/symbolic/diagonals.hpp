#pragma once
// Which diagonal blocks are inverted: the choices by the names that users know.

#include <span>
#include <string_view>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

struct NamedDiagonal {
  std::string_view name;
  SymbolicOptions (*options)(Index ranks);  // how a matrix is analyzed for solves on that many ranks
  bool between_ranks = false;               // saves messages, and steps of a GPU: of no use to one CPU rank
};

// The first is the plain one, which others are compared with.
std::span<const NamedDiagonal> diagonals();
// Throws Error(usage) that lists the names there are.
const NamedDiagonal& find_diagonal(std::string_view name);

}  // namespace trisweep::symbolic
