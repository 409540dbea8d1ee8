#pragma once
// Permutations as lists of indices.

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep {

inline bool is_permutation(std::span<const Index> list) {
  std::vector<char> seen(list.size());
  return std::ranges::all_of(list, [&](Index i) {
    return i >= 0 && usize(i) < seen.size() && std::exchange(seen[usize(i)], char{1}) == 0;
  });
}

// result[permutation[k]] = k.
inline std::vector<Index> inverse_permutation(std::span<const Index> permutation) {
  std::vector<Index> result(permutation.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[usize(permutation[k])] = static_cast<Index>(k);
  return result;
}

// result[k] = list[from[k]].
template <class V>
std::vector<V> gathered(const std::vector<V>& list, std::span<const Index> from) {
  std::vector<V> result;
  result.reserve(from.size());
  std::ranges::transform(from, std::back_inserter(result), [&](Index i) { return list[usize(i)]; });
  return result;
}

}  // namespace trisweep
