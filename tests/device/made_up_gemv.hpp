#pragma once
// Panels whose product is known.

#include <algorithm>

#include "support/random_matrix.hpp"
#include "trisweep/device/gemv_plan.hpp"
#include "trisweep/lowrank/packed_panel.hpp"

namespace trisweep::testing_support {

using namespace device;

// A few dense blocks and low-rank ones over 600 rows in three row blocks, whose product is known.
template <Scalar T>
struct MadeUp {
  static constexpr Index columns = 300, rows = 600;
  std::vector<std::byte> bytes;
  GemvTasks tasks{.columns = columns, .rows = rows};
  std::vector<T> dense = std::vector<T>(usize(rows) * usize(columns));  // all of it, column by column

  MadeUp() {
    for (const Index row_block : {0, 1, 2}) {
      GemvRows of{.rows = {row_block * 200, row_block * 200 + 200}};
      of.dense.begin = static_cast<Index>(tasks.left.size());
      for (Index k = 0; k < 4; ++k)
        add_dense(row_block * 200 + 9 * k, 5 + 40 * k, 3 + 61 * row_block + k, 7 + 30 * (k % 2));
      of.dense.end = of.low_rank.begin = static_cast<Index>(tasks.left.size());
      // The wider of x, the fewer sums: in the order of sizes sums come before those of panels stored
      // earlier.
      for (Index k = 0; k < 3; ++k)
        add_low_rank(row_block * 200 + 50 * k, 100, 20 * k, 230 - 90 * k, 1 + 4 * k);
      of.low_rank.end = static_cast<Index>(tasks.left.size());
      tasks.row_block.push_back(of);
    }
    tasks.panels = bytes;
  }

  std::size_t store(const std::vector<T>& panel, Index height, Index width, double allowed) {
    const std::size_t at = bytes.size();
    lowrank::pack_block(numeric::View<const T>{panel.data(), height, width, height}, allowed,
                        lowrank::Precision::adaptive, bytes);
    return at;
  }
  void add_dense(Index row, Index height, Index column, Index width) {
    height = std::min(height, 200 - row % 200);
    const auto panel = random_vector<T>(usize(height) * usize(width), row + column);
    tasks.left.push_back(
        {store(panel, height, width, 1e-9), GemvKind::rows_of_x, height, width, column, row});
    for (Index j = 0; j < width; ++j)
      for (Index i = 0; i < height; ++i) at(row + i, column + j) += panel[usize(j * height + i)];
  }
  void add_low_rank(Index row, Index height, Index column, Index width, Index rank) {
    const auto u = random_vector<T>(usize(height) * usize(rank), row + 1);
    const auto v = random_vector<T>(usize(width) * usize(rank), row + 2);
    tasks.right.push_back(
        {store(v, width, rank, 1e-6), GemvKind::sums_of_x, width, rank, column, tasks.sums});
    tasks.left.push_back({store(u, height, rank, 0), GemvKind::rows_of_sums, height, rank, tasks.sums, row});
    tasks.sums += rank;
    for (Index k = 0; k < rank; ++k)
      for (Index j = 0; j < width; ++j)
        for (Index i = 0; i < height; ++i)
          at(row + i, column + j) += u[usize(k * height + i)] * v[usize(k * width + j)];
  }
  T& at(Index i, Index j) { return dense[usize(j) * usize(rows) + usize(i)]; }

  std::vector<T> expected(const std::vector<T>& x) {
    std::vector<T> y(usize(rows));
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) y[usize(i)] += at(i, j) * x[usize(j)];
    return y;
  }
};

}  // namespace trisweep::testing_support
