#pragma once
// Rows of a system as programs deal them out.

#include <span>
#include <vector>

#include "support/solver.hpp"
#include "trisweep/solve/block_rows.hpp"

namespace trisweep::testing_support {

using solve::BlockRows;

// This rank's rows of a, x and b = op(A) x, by their numbers.
template <Scalar T>
struct RowsOf {
  std::vector<Index> number;

  BlockRows<T> of(const matrix::Csr<T>& a, bool listed) const {
    BlockRows<T> rows;
    rows.a.pattern.rows = static_cast<Index>(number.size());
    rows.a.pattern.cols = a.cols();
    for (const Index i : number) {
      const auto columns = a.pattern.row(i);
      rows.a.pattern.col.insert(rows.a.pattern.col.end(), columns.begin(), columns.end());
      rows.a.pattern.row_ptr.push_back(static_cast<Offset>(rows.a.pattern.col.size()));
      const auto first = a.value.begin() + a.pattern.row_ptr[usize(i)];
      rows.a.value.insert(rows.a.value.end(), first, first + std::ssize(columns));
    }
    if (listed) rows.number = number;
    return rows;
  }
  std::vector<T> of(std::span<const T> whole, Index nrhs) const {
    std::vector<T> mine;
    const std::size_t n = whole.size() / usize(nrhs);
    for (Index c = 0; c < nrhs; ++c) {
      for (const Index i : number) mine.push_back(whole[usize(c) * n + usize(i)]);
    }
    return mine;
  }
};

// As a program with boundary conditions might deal them out: unevenly, the second rank has none.
inline RowsOf<double> uneven_blocks(Index n) {
  std::vector<Index> begin{0};
  for (Index r = 0; r < world_size(); ++r)
    begin.push_back(r + 1 == world_size() ? n
                    : r == 1              ? begin.back()
                                          : begin.back() + (n - begin.back()) / 3);
  RowsOf<double> rows;
  for (Index i = begin[usize(world_rank())]; i < begin[usize(world_rank()) + 1]; ++i)
    rows.number.push_back(i);
  return rows;
}

// Every rank's are scattered, and not in order.
inline RowsOf<double> scattered(Index n) {
  RowsOf<double> rows;
  for (Index i = n - 1; i >= 0; --i) {
    if ((i * 7 + 3) % world_size() == world_rank()) rows.number.push_back(i);
  }
  return rows;
}

}  // namespace trisweep::testing_support
