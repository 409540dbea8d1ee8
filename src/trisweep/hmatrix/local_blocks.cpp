#include "trisweep/hmatrix/local_blocks.hpp"

#include <algorithm>
#include <atomic>

#include "trisweep/compression/panel_products.hpp"

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
LocalBlocks<T>::LocalBlocks(const std::vector<StoredBlock>& blocks, const Strips& strips, Index first_strip,
                            Index end_strip)
    : strip_begin_(strips.begin),
      row_begin_(strips.begin[usize(first_strip)]),
      panels_(total_bytes(blocks), "the blocks of the H-matrix") {
  place_right(blocks);
  place_left(blocks, first_strip, end_strip);
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
void LocalBlocks<T>::place_left(const std::vector<StoredBlock>& blocks, Index first_strip, Index end_strip) {
  std::vector<std::vector<const StoredBlock*>> of_strip(usize(end_strip - first_strip));
  std::vector<Index> sums_of(blocks.size());
  Index sums = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    sums_of[b] = sums;
    sums += std::max(blocks[b].rank, 0);
    for (Index s = 0; s < blocks[b].strips(); ++s)
      of_strip[usize(blocks[b].first_strip + s - first_strip)].push_back(&blocks[b]);
  }
  strip_task_ = {0};
  for (Index strip = first_strip; strip < end_strip; ++strip) {
    const Index begin = strip_begin_[usize(strip)], end = strip_begin_[usize(strip) + 1];
    strip_row_.push_back(begin - row_begin_);
    for (const StoredBlock* block : of_strip[usize(strip - first_strip)]) {
      const bool low_rank = block->rank != StoredBlock::dense;
      const Index row = std::max(begin, block->row_begin), row_end = std::min(end, block->row_end);
      const Index cols = low_rank ? block->rank : block->col_end - block->col_begin;
      left_.push_back({filled_, row - row_begin_, row_end - row,
                       low_rank ? sums_of[usize(block - blocks.data())] : block->col_begin, cols, low_rank});
      numbers_ += Offset{row_end - row} * cols;
      place(block->of_strip(strip));
    }
    strip_task_.push_back(left_.size());
  }
  strip_row_.push_back(strip_begin_[usize(end_strip)] - row_begin_);
}

template <Scalar T>
void LocalBlocks<T>::list_for_transposed() {
  std::vector<Index> block_of(usize(sums_));  // by its first sum
  for (std::size_t r = 0; r < right_.size(); ++r) block_of[usize(right_[r].sums)] = static_cast<Index>(r);
  std::vector<std::vector<Index>> left_of(right_.size());
  std::vector<std::vector<OfColumns>> of_columns(strip_begin_.size() - 1);
  const auto strip_of = [&](Index column) {
    return usize(std::upper_bound(strip_begin_.begin(), strip_begin_.end(), column) - strip_begin_.begin()) -
           1;
  };
  for (std::size_t l = 0; l < left_.size(); ++l) {
    const auto panel = static_cast<Index>(l);
    if (left_[l].low_rank) {
      left_of[usize(block_of[usize(left_[l].source)])].push_back(panel);
    } else {
      of_columns[strip_of(left_[l].source)].push_back({panel, 0, 0});
    }
  }
  for (std::size_t r = 0; r < right_.size(); ++r) {
    const Index begin = right_[r].col_begin, end = begin + right_[r].cols;
    for (Index at = begin; at < end;) {
      const std::size_t strip = strip_of(at);
      const Index last = std::min(end, strip_begin_[strip + 1]);
      of_columns[strip].push_back({static_cast<Index>(r), at - begin, last - at});
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
  device::GemvTasks tasks{
      .panels = panels_.span(), .columns = strip_begin_.back(), .rows = strip_row_.back(), .sums = sums_};
  for (const Right& v : right_)
    tasks.right.push_back({v.at, GemvKind::sums_of_x, v.cols, v.rank, v.col_begin, v.sums});
  for (std::size_t strip = 0; strip + 1 < strip_row_.size(); ++strip) {
    const auto add = [&](bool low_rank) {
      const auto begin = static_cast<Index>(tasks.left.size());
      for (std::size_t l = strip_task_[strip]; l < strip_task_[strip + 1]; ++l) {
        const Left& panel = left_[l];
        if (panel.low_rank == low_rank)
          tasks.left.push_back({panel.at, low_rank ? GemvKind::rows_of_sums : GemvKind::rows_of_x, panel.rows,
                                panel.cols, panel.source, panel.row_begin});
      }
      return device::Range{begin, static_cast<Index>(tasks.left.size())};
    };
    const device::Range dense = add(false);
    tasks.strip.push_back({{strip_row_[strip], strip_row_[strip + 1]}, dense, add(true)});
  }
  return tasks;
}

template <Scalar T>
void LocalBlocks<T>::reserve(Index nrhs) {
  const std::size_t size = usize(sums_) * usize(nrhs);
  if (sum_.size() < size) sum_ = zeros<T>(size, "the sums of low-rank blocks");
}

template <Scalar T>
template <class Work>
void LocalBlocks<T>::share(Crew& crew, std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  crew.run([&](int thread) {
    for (std::size_t i = next++; i < count; i = next++) work(thread, i);
  });
}

template <Scalar T>
void LocalBlocks<T>::multiply(Vectors<const T> x, Vectors<T> y, Crew& crew,
                              const std::function<void()>& between) {
  const auto& products = compression::panel_products<T>();
  T* const sum = sum_.data();
  share(crew, right_task_.size() - 1, [&](int, std::size_t task) {
    for (std::size_t r = right_task_[task]; r < right_task_[task + 1]; ++r) {
      const Right& v = right_[r];
      clear(Vectors<T>(sum, sums_, x.cols), v.sums, v.sums + v.rank);
      products.add_transposed({panels_.data() + v.at, 0, v.cols, x.data + v.col_begin, x.ld, sum + v.sums,
                               Offset{sums_}, x.cols});
    }
  });
  share(crew, strip_task_.size() - 1, [&](int thread, std::size_t task) {
    clear(y, strip_row_[task], strip_row_[task + 1]);
    for (std::size_t l = strip_task_[task]; l < strip_task_[task + 1]; ++l) {
      const Left& panel = left_[l];
      const T* const source = panel.low_rank ? sum + panel.source : x.data + panel.source;
      products.add({panels_.data() + panel.at, 0, panel.rows, source, panel.low_rank ? Offset{sums_} : x.ld,
                    y.data + panel.row_begin, y.ld, x.cols});
    }
    if (thread == 0) between();
  });
}

template <Scalar T>
void LocalBlocks<T>::multiply_transposed(Vectors<const T> x, Vectors<T> y, Crew& crew) {
  const auto& products = compression::panel_products<T>();
  T* const sum = sum_.data();
  share(crew, right_.size(), [&](int, std::size_t r) {
    clear(Vectors<T>(sum, sums_, x.cols), right_[r].sums, right_[r].sums + right_[r].rank);
    for (std::size_t at = left_begin_[r]; at < left_begin_[r + 1]; ++at) {
      const Left& u = left_[usize(left_of_[at])];
      products.add_transposed({panels_.data() + u.at, 0, u.rows, x.data + u.row_begin, x.ld, sum + u.source,
                               Offset{sums_}, x.cols});
    }
  });
  share(crew, column_task_.size() - 1, [&](int, std::size_t task) {
    clear(y, strip_begin_[task], strip_begin_[task + 1]);
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
