#pragma once
// Matrices whose rows are not in the order of their unknowns.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "trisweep/core/split_mix.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::testing_support {

template <Scalar T>
matrix::Csr<T> with_rows_shuffled(const matrix::Csr<T>& a) {
  std::vector<Index> col_new(usize(a.rows()));
  std::iota(col_new.begin(), col_new.end(), 0);
  std::vector<Index> row_new = col_new;
  std::ranges::sort(row_new, {}, [](Index i) { return split_mix(static_cast<std::uint64_t>(i)); });
  const std::vector<double> one(usize(a.rows()), 1);
  return matrix::permuted_and_scaled<T>(a, row_new, col_new, one, one);
}

}  // namespace trisweep::testing_support
