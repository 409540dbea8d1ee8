#pragma once
// The reference: symbolic elimination as it is defined, on a dense matrix of bits.

#include <bitset>
#include <stdexcept>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::test {

// Of each column of L the rows below the diagonal, ascending.
inline std::vector<std::vector<Index>> eliminated(const matrix::Pattern& pattern) {
  constexpr std::size_t most = 3072;
  const std::size_t n = usize(pattern.rows);
  if (n > most) throw std::length_error("too large for a dense reference");
  std::vector<std::bitset<most>> filled(n);
  for (Index i = 0; i < pattern.rows; ++i) {
    for (const Index j : pattern.row(i)) filled[usize(i)].set(usize(j));
  }
  std::vector<std::vector<Index>> columns(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) {
      if (!filled[j][i]) continue;
      columns[j].push_back(static_cast<Index>(i));
      filled[i] |= filled[j];  // the pivot joins all its neighbours; bits up to j are not looked at again
    }
  }
  return columns;
}

}  // namespace trisweep::test
