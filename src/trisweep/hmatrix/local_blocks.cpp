#include "trisweep/hmatrix/local_blocks.hpp"

#include <algorithm>

#include "trisweep/core/parallel_for.hpp"
#include "trisweep/lowrank/panel_products.hpp"

namespace trisweep::hmatrix {
namespace {

constexpr std::size_t bytes_of_task = std::size_t{16} << 10;

std::size_t total_bytes(const std::vector<StoredBlock>& blocks) {
  std::size_t bytes = 0;
  for (const StoredBlock& block : blocks) bytes += block.bytes.size();
  return bytes;
}

template <Scalar T>
void clear(Vectors<T> y, Index begin, Index end) {
  for (Index c = 0; c < y.cols; ++c) std::fill(y.column(c) + begin, y.column(c) + end, T{});
}

}  // namespace

template <Scalar T>
LocalBlocks<T>::LocalBlocks(const std::vector<StoredBlock>& blocks, const RowBlocks& row_blocks,
                            Index first_row_block, Index end_row_block)
    : row_block_begin_(row_blocks.begin),
      row_begin_(row_blocks.begin[usize(first_row_block)]),
      panels_(total_bytes(blocks), "the blocks of the H-matrix") {
  place_right(blocks);
  place_left(blocks, first_row_block, end_row_block);
  list_for_transposed();
}

template <Scalar T>
void LocalBlocks<T>::place(std::span<const std::byte> panel) {
  std::copy(panel.begin(), panel.end(), panels_.data() + filled_);
  filled_ += panel.size();
}

template <Scalar T>
void LocalBlocks<T>::place_right(const std::vector<StoredBlock>& blocks) {
  right_task_ = {0};
  std::size_t task_begin = 0;
  for (const StoredBlock& block : blocks) {
    if (block.rank == StoredBlock::dense) continue;
    const Index cols = block.col_end - block.col_begin;
    right_.push_back({filled_, block.col_begin, cols, sums_, block.rank});
    place(block.v());
    sums_ += block.rank;
    numbers_ += Offset{cols} * block.rank;
    if (filled_ - task_begin < bytes_of_task) continue;
    right_task_.push_back(right_.size());
    task_begin = filled_;
  }
  if (right_task_.back() != right_.size()) right_task_.push_back(right_.size());
}

template <Scalar T>
void LocalBlocks<T>::place_left(const std::vector<StoredBlock>& blocks, Index first_row_block,
                                Index end_row_block) {
  std::vector<std::vector<const StoredBlock*>> of_row_block(usize(end_row_block - first_row_block));
  std::vector<Index> sums_of(blocks.size());
  Index sums = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    sums_of[b] = sums;
    sums += std::max(blocks[b].rank, 0);
    for (Index s = 0; s < blocks[b].row_blocks(); ++s)
      of_row_block[usize(blocks[b].first_row_block + s - first_row_block)].push_back(&blocks[b]);
  }
  row_block_task_ = {0};
  for (Index row_block = first_row_block; row_block < end_row_block; ++row_block) {
    const Index begin = row_block_begin_[usize(row_block)], end = row_block_begin_[usize(row_block) + 1];
    row_block_row_.push_back(begin - row_begin_);
    for (const StoredBlock* block : of_row_block[usize(row_block - first_row_block)]) {
      const bool low_rank = block->rank != StoredBlock::dense;
      const Index row = std::max(begin, block->row_begin), row_end = std::min(end, block->row_end);
      const Index cols = low_rank ? block->rank : block->col_end - block->col_begin;
      left_.push_back({filled_, row - row_begin_, row_end - row,
                       low_rank ? sums_of[usize(block - blocks.data())] : block->col_begin, cols, low_rank});
      numbers_ += Offset{row_end - row} * cols;
      place(block->of_row_block(row_block));
    }
    row_block_task_.push_back(left_.size());
  }
  row_block_row_.push_back(row_block_begin_[usize(end_row_block)] - row_begin_);
}

template <Scalar T>
void LocalBlocks<T>::list_for_transposed() {
  std::vector<Index> block_of(usize(sums_));  // by its first sum
  for (std::size_t r = 0; r < right_.size(); ++r) block_of[usize(right_[r].sums)] = static_cast<Index>(r);
  std::vector<std::vector<Index>> left_of(right_.size());
  std::vector<std::vector<OfColumns>> of_columns(row_block_begin_.size() - 1);
  const auto row_block_of = [&](Index column) {
    return usize(std::upper_bound(row_block_begin_.begin(), row_block_begin_.end(), column) -
                 row_block_begin_.begin()) -
           1;
  };
  for (std::size_t l = 0; l < left_.size(); ++l) {
    const auto panel = static_cast<Index>(l);
    if (left_[l].low_rank) {
      left_of[usize(block_of[usize(left_[l].source)])].push_back(panel);
    } else {
      of_columns[row_block_of(left_[l].source)].push_back({panel, 0, 0});
    }
  }
  for (std::size_t r = 0; r < right_.size(); ++r) {
    const Index begin = right_[r].col_begin, end = begin + right_[r].cols;
    for (Index at = begin; at < end;) {
      const std::size_t row_block = row_block_of(at);
      const Index last = std::min(end, row_block_begin_[row_block + 1]);
      of_columns[row_block].push_back({static_cast<Index>(r), at - begin, last - at});
      at = last;
    }
  }
  left_begin_ = column_task_ = {0};
  for (const auto& panels : left_of) {
    left_of_.insert(left_of_.end(), panels.begin(), panels.end());
    left_begin_.push_back(left_of_.size());
  }
  for (const auto& panels : of_columns) {
    of_columns_.insert(of_columns_.end(), panels.begin(), panels.end());
    column_task_.push_back(of_columns_.size());
  }
}

template <Scalar T>
device::GemvTasks LocalBlocks<T>::device_tasks() const {
  using device::GemvKind;
  device::GemvTasks tasks{.panels = panels_.span(),
                          .columns = row_block_begin_.back(),
                          .rows = row_block_row_.back(),
                          .sums = sums_};
  for (const Right& v : right_)
    tasks.right.push_back({v.at, GemvKind::sums_of_x, v.cols, v.rank, v.col_begin, v.sums});
  for (std::size_t row_block = 0; row_block + 1 < row_block_row_.size(); ++row_block) {
    const auto add = [&](bool low_rank) {
      const auto begin = static_cast<Index>(tasks.left.size());
      for (std::size_t l = row_block_task_[row_block]; l < row_block_task_[row_block + 1]; ++l) {
        const Left& panel = left_[l];
        if (panel.low_rank == low_rank)
          tasks.left.push_back({panel.at, low_rank ? GemvKind::rows_of_sums : GemvKind::rows_of_x, panel.rows,
                                panel.cols, panel.source, panel.row_begin});
      }
      return device::Range{begin, static_cast<Index>(tasks.left.size())};
    };
    const device::Range dense = add(false);
    tasks.row_block.push_back({{row_block_row_[row_block], row_block_row_[row_block + 1]}, dense, add(true)});
  }
  return tasks;
}

template <Scalar T>
void LocalBlocks<T>::reserve(Index nrhs) {
  const std::size_t size = usize(sums_) * usize(nrhs);
  if (sum_.size() < size) sum_ = zeros<T>(size, "the sums of low-rank blocks");
}

template <Scalar T>
void LocalBlocks<T>::multiply(Vectors<const T> x, Vectors<T> y, ThreadPool& pool,
                              const std::function<void()>& between) {
  const auto& products = lowrank::panel_products<T>();
  T* const sum = sum_.data();
  parallel_for(pool, right_task_.size() - 1, [&](int, std::size_t task) {
    for (std::size_t r = right_task_[task]; r < right_task_[task + 1]; ++r) {
      const Right& v = right_[r];
      clear(Vectors<T>(sum, sums_, x.cols), v.sums, v.sums + v.rank);
      products.add_transposed({panels_.data() + v.at, 0, v.cols, x.data + v.col_begin, x.ld, sum + v.sums,
                               Offset{sums_}, x.cols});
    }
  });
  parallel_for(pool, row_block_task_.size() - 1, [&](int thread, std::size_t task) {
    clear(y, row_block_row_[task], row_block_row_[task + 1]);
    for (std::size_t l = row_block_task_[task]; l < row_block_task_[task + 1]; ++l) {
      const Left& panel = left_[l];
      const T* const source = panel.low_rank ? sum + panel.source : x.data + panel.source;
      products.add({panels_.data() + panel.at, 0, panel.rows, source, panel.low_rank ? Offset{sums_} : x.ld,
                    y.data + panel.row_begin, y.ld, x.cols});
    }
    if (thread == 0) between();
  });
}

template <Scalar T>
void LocalBlocks<T>::multiply_transposed(Vectors<const T> x, Vectors<T> y, ThreadPool& pool) {
  const auto& products = lowrank::panel_products<T>();
  T* const sum = sum_.data();
  parallel_for(pool, right_.size(), [&](int, std::size_t r) {
    clear(Vectors<T>(sum, sums_, x.cols), right_[r].sums, right_[r].sums + right_[r].rank);
    for (std::size_t at = left_begin_[r]; at < left_begin_[r + 1]; ++at) {
      const Left& u = left_[usize(left_of_[at])];
      products.add_transposed({panels_.data() + u.at, 0, u.rows, x.data + u.row_begin, x.ld, sum + u.source,
                               Offset{sums_}, x.cols});
    }
  });
  parallel_for(pool, column_task_.size() - 1, [&](int, std::size_t task) {
    clear(y, row_block_begin_[task], row_block_begin_[task + 1]);
    for (std::size_t at = column_task_[task]; at < column_task_[task + 1]; ++at) {
      const OfColumns& part = of_columns_[at];
      if (part.rows == 0) {
        const Left& d = left_[usize(part.panel)];
        products.add_transposed(
            {panels_.data() + d.at, 0, d.rows, x.data + d.row_begin, x.ld, y.data + d.source, y.ld, x.cols});
      } else {
        const Right& v = right_[usize(part.panel)];
        products.add({panels_.data() + v.at, part.first, part.rows, sum + v.sums, Offset{sums_},
                      y.data + v.col_begin + part.first, y.ld, x.cols});
      }
    }
  });
}

#define INSTANTIATE(T) template class LocalBlocks<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
