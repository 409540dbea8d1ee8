#pragma once
// The blocks of one rank's rows in the order in which a product reads them, each once: the panels of V, then,
// row block by row block, those of U and the dense ones.
//
// H x in two passes: sums = V^T x for each low-rank block, then U sums and the near field for each row block.
// Threads take panels of V, then row blocks; no two threads write the same values, and each row adds its
// blocks in a fixed order. So results are bitwise the same for any number of threads and ranks. The
// transposed product works in the other direction, by blocks and then by row blocks of columns.

#include <functional>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/device/gemv_plan.hpp"
#include "trisweep/hmatrix/stored_block.hpp"

namespace trisweep::hmatrix {

template <Scalar T>
class LocalBlocks {
 public:
  LocalBlocks() = default;
  // `blocks`: in order, of row blocks [first_row_block, end_row_block) only.
  LocalBlocks(const std::vector<StoredBlock>& blocks, const RowBlocks& row_blocks, Index first_row_block,
              Index end_row_block);

  // Allocates memory for products with `nrhs` vectors.
  void reserve(Index nrhs);
  // y = H x, from x of all columns to y of this rank's rows. The caller's thread calls `between` after each
  // of its row blocks.
  void multiply(
      Vectors<const T> x, Vectors<T> y, ThreadPool& pool, const std::function<void()>& between = [] {});
  // y = H^T x, from x of this rank's rows to y of all columns.
  void multiply_transposed(Vectors<const T> x, Vectors<T> y, ThreadPool& pool);

  // The products of op N for a device (device/gemv_plan.hpp); valid as long as this object.
  device::GemvTasks device_tasks() const;

  std::size_t bytes() const { return panels_.size(); }
  Offset numbers() const { return numbers_; }

 private:
  // V of a low-rank block: rows [col_begin, col_begin + cols) of x, and where its sums begin.
  struct Right {
    std::size_t at;
    Index col_begin, cols;
    Index sums, rank;
  };
  // The rows of U in a row block, or a dense block.
  struct Left {
    std::size_t at;
    Index row_begin, rows;  // counted from this rank's first row
    Index source, cols;     // sums of the block, or columns
    bool low_rank;
  };
  // Rows [first, first + rows) of a panel of V, or (rows = 0) a dense block.
  struct OfColumns {
    Index panel, first, rows;
  };

  void place(std::span<const std::byte> panel);
  void place_right(const std::vector<StoredBlock>& blocks);
  void place_left(const std::vector<StoredBlock>& blocks, Index first_row_block, Index end_row_block);
  void list_for_transposed();

  std::vector<Index> row_block_begin_;  // of all row blocks
  Index row_begin_ = 0;                 // of this rank
  Buffer<std::byte> panels_;
  std::size_t filled_ = 0;
  Offset numbers_ = 0;
  std::vector<Right> right_;
  std::vector<std::size_t> right_task_;  // panels of V that threads take at a time
  std::vector<Left> left_;
  std::vector<std::size_t> row_block_task_;  // of this rank's row blocks
  std::vector<Index> row_block_row_;         // where they begin among this rank's rows
  // For the transposed product: left panels of each right one, and the panels that add to each row block of
  // columns.
  std::vector<Index> left_of_;
  std::vector<std::size_t> left_begin_;
  std::vector<OfColumns> of_columns_;
  std::vector<std::size_t> column_task_;
  Index sums_ = 0;
  Buffer<T> sum_;
};

}  // namespace trisweep::hmatrix
