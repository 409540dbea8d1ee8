#include "trisweep/ordering/diagonal_blocks.hpp"

#include <btf.h>

#include <utility>

#include "trisweep/ordering/maximum_matching.hpp"

namespace trisweep::ordering {

// BTF's columns are our rows: its upper triangular form is our lower one.
std::optional<DiagonalBlocks> find_diagonal_blocks(const matrix::Pattern& a, Observer& observer) {
  static_assert(sizeof(int) == sizeof(Index));
  if (!std::in_range<int>(a.nonzeros())) return std::nullopt;
  const std::vector<Index> match = maximum_matching(a, observer);
  const auto n = usize(a.rows);
  DiagonalBlocks blocks{.count = 0,
                        .of_row = std::vector<Index>(n),
                        .of_col = std::vector<Index>(n),
                        .rows = {},
                        .row_of = std::vector<Index>(n, -1)};
  for (Index i = 0; i < a.rows; ++i) {
    if (match[usize(i)] < 0) return std::nullopt;
    blocks.row_of[usize(match[usize(i)])] = i;
  }
  std::vector<int> begin(a.row_ptr.begin(), a.row_ptr.end()), entry(a.col.begin(), a.col.end());
  std::vector<int> row = blocks.row_of, column(n), first(n + 1), workspace(4 * n);
  blocks.count = btf_strongcomp(a.rows, begin.data(), entry.data(), row.data(), column.data(), first.data(),
                                workspace.data());
  for (Index block = 0; block < blocks.count; ++block)
    for (auto k = usize(first[usize(block)]); k < usize(first[usize(block) + 1]); ++k)
      blocks.of_row[usize(row[k])] = blocks.of_col[usize(column[k])] = block;
  blocks.rows = std::move(row);
  return blocks;
}

}  // namespace trisweep::ordering
