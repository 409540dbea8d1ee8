#include "trisweep/ordering/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

namespace trisweep::ordering {
template <Scalar T>
std::vector<double> scaled_diagonal(const matrix::Csr<T>& rows, const Scaling& scaling, Index first) {
  std::vector<double> diagonal(usize(rows.rows()));
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto row = usize(first + i);
    for (const Offset p : rows.pattern.entries(i)) {
      if (usize(rows.pattern.col[usize(p)]) == row)
        diagonal[usize(i)] = double(std::abs(rows.value[usize(p)])) * scaling.row[row] * scaling.col[row];
    }
  }
  return diagonal;
}

std::vector<Index> pairs_of(std::span<const double> scaled_diagonal, std::span<const Index> col_of_row) {
  const auto n = static_cast<Index>(col_of_row.size());
  std::vector<Index> partner(usize(n)), cycle;
  std::iota(partner.begin(), partner.end(), 0);
  std::vector<char> seen(usize(n), 0);
  for (Index start = 0; start < n; ++start) {
    cycle.clear();
    for (Index i = start; !seen[usize(i)]; i = col_of_row[usize(i)]) {
      seen[usize(i)] = 1;
      cycle.push_back(i);
    }
    if (cycle.size() % 2 == 1)
      std::ranges::rotate(
          cycle, std::ranges::max_element(cycle, {}, [&](Index i) { return scaled_diagonal[usize(i)]; }));
    for (std::size_t k = cycle.size() % 2; k < cycle.size(); k += 2) {
      partner[usize(cycle[k])] = cycle[k + 1];
      partner[usize(cycle[k + 1])] = cycle[k];
    }
  }
  return partner;
}

std::vector<Index> without_good_pivots(std::span<const double> scaled_diagonal, std::vector<Index> partner) {
  constexpr double large = 0.1;  // of the largest entries of rows, which are about 1
  for (Index i = 0; i < std::ssize(partner); ++i) {
    const Index j = partner[usize(i)];
    if (std::max(scaled_diagonal[usize(i)], scaled_diagonal[usize(j)]) < large) continue;
    partner[usize(i)] = i;
    partner[usize(j)] = j;
  }
  return partner;
}

Scaling symmetric_scaling(const Scaling& scaling) {
  std::vector<double> scale(scaling.row.size());
  std::ranges::transform(scaling.row, scaling.col, scale.begin(), [](double row, double col) {
    return power_of_two((std::log2(row) + std::log2(col)) / 2);
  });
  return {.row = scale, .col = scale};
}

matrix::Pattern with_pairs_united(const matrix::Pattern& pattern, const std::vector<Index>& partner) {
  matrix::Pattern united{.rows = pattern.rows, .cols = pattern.cols, .row_ptr = {0}, .col = {}};
  std::vector<Index> row;
  for (Index i = 0; i < pattern.rows; ++i) {
    row.clear();
    for (const Index member : {i, partner[usize(i)]}) {
      for (const Index j : pattern.row(member)) {
        row.push_back(j);
        row.push_back(partner[usize(j)]);
      }
    }
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    united.col.insert(united.col.end(), row.begin(), row.end());
    united.row_ptr.push_back(static_cast<Offset>(united.col.size()));
  }
  return united;
}

#define INSTANTIATE(T) \
  template std::vector<double> scaled_diagonal(const matrix::Csr<T>&, const Scaling&, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::ordering
