#pragma once
// The choices of diagonal blocks to invert, by the names that users know.

#include <span>
#include <string_view>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {

struct NamedDiagonal {
  std::string_view name;
  SymbolicOptions (*options)(Index ranks);  // how a matrix is analyzed for solves on that many ranks
  bool between_ranks = false;               // saves messages, and steps of a GPU: of no use to one CPU rank
};

// The first is the baseline, with which others are compared.
std::span<const NamedDiagonal> diagonals();
// Throws Error(usage), which lists the valid names, if `name` is none of them.
const NamedDiagonal& find_diagonal(std::string_view name);

}  // namespace trisweep::symbolic
