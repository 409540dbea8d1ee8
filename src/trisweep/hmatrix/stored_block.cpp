#include "trisweep/hmatrix/stored_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/core/error.hpp"
#include "trisweep/core/finite.hpp"
#include "trisweep/hmatrix/nearness.hpp"
#include "trisweep/lowrank/recompress.hpp"
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::hmatrix {
namespace {

// Shares of the error for stopping the cross approximation (whose estimate may be half of the true error),
// for truncating singular values, and for rounding stored values: (2 * 0.3)^2 + 0.6^2 + 0.5^2 < 1.
constexpr double share_of_crosses = 0.3;
constexpr double share_of_truncation = 0.6;
constexpr double share_of_precision = 0.5;

// The entries of a block, in the order of its clusters.
template <Scalar T>
struct KernelEntries {
  const IntegralKernel<T>& kernel;
  std::span<const Index> row_points, col_points;

  Index rows() const { return static_cast<Index>(row_points.size()); }
  Index cols() const { return static_cast<Index>(col_points.size()); }
  void row(Index i, T* out) const { kernel.row(row_points[usize(i)], col_points, out); }
  void row(Index i, std::span<const Index> cols, T* out) const {
    std::vector<Index> points(cols.size());
    std::ranges::transform(cols, points.begin(), [&](Index j) { return col_points[usize(j)]; });
    kernel.row(row_points[usize(i)], points, out);
  }
  void column(Index j, T* out) const { kernel.column(row_points, col_points[usize(j)], out); }
};

template <Scalar T>
class BlockPacker {
 public:
  BlockPacker(const BlockSource<T>& source, Index number) : source_(source), number_(number) {}

  std::vector<StoredBlock> pack(const Block& block) {
    const Cluster& rows = source_.tree.cluster[usize(block.row)];
    const Cluster& cols = source_.tree.cluster[usize(block.col)];
    if (block.admissible && pack_low_rank(rows, cols)) return std::move(out_);
    for_each_row_block(rows.begin, rows.end, [&](Index, Index row, Index row_end) {
      for_each_row_block(cols.begin, cols.end,
                         [&](Index, Index col, Index col_end) { pack_dense(row, row_end, col, col_end); });
    });
    return std::move(out_);
  }

 private:
  template <class Visit>
  void for_each_row_block(Index begin, Index end, const Visit& visit) const {
    for (Index at = begin; at < end;) {
      const Index row_block = source_.row_blocks.of(at);
      const Index last = std::min(end, source_.row_blocks.begin[usize(row_block) + 1]);
      visit(row_block, at, last);
      at = last;
    }
  }

  KernelEntries<T> entries(Index row, Index row_end, Index col, Index col_end) const {
    const std::span<const Index> order(source_.tree.order);
    return {source_.kernel, order.subspan(usize(row), usize(row_end - row)),
            order.subspan(usize(col), usize(col_end - col))};
  }

  bool pack_low_rank(const Cluster& rows, const Cluster& cols) {
    const BlockCompression& how = source_.compression;
    const KernelEntries<T> block = entries(rows.begin, rows.end, cols.begin, cols.end);
    const Nearness of_rows = nearness(source_.tree, rows, cols), of_cols = nearness(source_.tree, cols, rows);
    auto cross = lowrank::cross_approximation<T>(block, {.method = how.cross,
                                                         .accuracy = {.relative = share_of_crosses * how.eps},
                                                         .most_rank = how.most_rank,
                                                         .rows = {of_rows.near, of_rows.far},
                                                         .columns = {of_cols.near, of_cols.far}});
    if (!cross.converged) return false;
    auto factors = how.recompress ? lowrank::recompress(std::move(cross.block),
                                                        {.relative = share_of_truncation * how.eps})
                                  : std::move(cross.block);
    if (factors.rank > 0) write(factors, rows.begin, cols.begin);
    return true;
  }

  void write(const lowrank::LowRank<T>& factors, Index row, Index col) {
    StoredBlock& block = out_.emplace_back();
    block = {.number = number_,
             .row_begin = row,
             .row_end = row + factors.rows,
             .col_begin = col,
             .col_end = col + factors.cols,
             .rank = factors.rank,
             .first_row_block = source_.row_blocks.of(row)};
    const auto errors = lowrank::share_error(factors, allowed(norm_of_columns(factors)));
    const numeric::View<const T> u{factors.u.data(), factors.rows, factors.rank, factors.rows};
    const numeric::View<const T> v{factors.v.data(), factors.cols, factors.rank, factors.cols};
    lowrank::pack_columns(v, errors.v, precision(), block.bytes);
    block.piece.push_back(block.bytes.size());
    for_each_row_block(block.row_begin, block.row_end, [&](Index, Index first, Index last) {
      std::vector<double> of_piece = errors.u;
      for (double& error : of_piece) error *= std::sqrt(double(last - first) / factors.rows);
      lowrank::pack_columns(u.block(first - row, 0, last - first, u.cols), of_piece, precision(),
                            block.bytes);
      block.piece.push_back(block.bytes.size());
    });
    block.bytes.shrink_to_fit();
  }

  void pack_dense(Index row, Index row_end, Index col, Index col_end) {
    const KernelEntries<T> source = entries(row, row_end, col, col_end);
    std::vector<T> numbers(usize(source.rows()) * usize(source.cols()));
    for (Index j = 0; j < source.cols(); ++j) {
      T* const column = numbers.data() + usize(j) * usize(source.rows());
      source.column(j, column);
      for (Index i = 0; i < source.rows(); ++i)
        if (!is_finite(column[i])) refuse(source.row_points[usize(i)], source.col_points[usize(j)]);
    }
    StoredBlock& block = out_.emplace_back();
    block = {.number = number_,
             .row_begin = row,
             .row_end = row_end,
             .col_begin = col,
             .col_end = col_end,
             .first_row_block = source_.row_blocks.of(row),
             .piece = {0}};
    lowrank::pack_block(numeric::View<const T>{numbers.data(), source.rows(), source.cols(), source.rows()},
                        allowed(numeric::norm_two<T>(numbers)), precision(), block.bytes);
    block.piece.push_back(block.bytes.size());
    block.bytes.shrink_to_fit();
  }

  [[noreturn]] static void refuse(Index row, Index col) {
    throw Error(ErrorKind::input,
                fmt::format("entry ({}, {}) of the matrix is not a finite number", row, col),
                "check the kernel, and the geometry for degenerate elements");
  }

  // ||U||_F: the norm of the block where V's columns are orthonormal.
  static double norm_of_columns(const lowrank::LowRank<T>& factors) {
    return numeric::norm_two<T>(factors.u);
  }
  double allowed(double norm) const { return share_of_precision * source_.compression.eps * norm; }
  // Without recompression V is not orthonormal, and the effect of rounding it is not known.
  lowrank::Precision precision() const {
    return source_.compression.recompress ? source_.compression.precision : lowrank::Precision::full;
  }

  const BlockSource<T>& source_;
  const Index number_;
  std::vector<StoredBlock> out_;
};

}  // namespace

Index RowBlocks::of(Index row) const {
  return static_cast<Index>(std::upper_bound(begin.begin(), begin.end(), row) - begin.begin()) - 1;
}

RowBlocks make_row_blocks(const ClusterTree& tree, Index rows) {
  RowBlocks row_blocks;
  Index covered = 0;  // clusters are depth first
  for (const Cluster& cluster : tree.cluster) {
    if (cluster.begin < covered || (cluster.size() > rows && !cluster.is_leaf())) continue;
    row_blocks.begin.push_back(cluster.begin);
    covered = cluster.end;
  }
  row_blocks.begin.push_back(tree.size());
  return row_blocks;
}

StoredBlock restricted(const StoredBlock& block, const RowBlocks& row_blocks, Index begin, Index end) {
  begin = std::max(begin, block.first_row_block);
  end = std::min(end, block.first_row_block + block.row_blocks());
  StoredBlock part = block;
  part.first_row_block = begin;
  part.row_begin = std::max(block.row_begin, row_blocks.begin[usize(begin)]);
  part.row_end = std::min(block.row_end, row_blocks.begin[usize(end)]);
  const auto v = block.v();
  part.bytes.assign(v.begin(), v.end());
  part.piece = {v.size()};
  for (Index row_block = begin; row_block < end; ++row_block) {
    const auto piece = block.of_row_block(row_block);
    part.bytes.insert(part.bytes.end(), piece.begin(), piece.end());
    part.piece.push_back(part.bytes.size());
  }
  return part;
}

template <Scalar T>
std::vector<StoredBlock> BlockSource<T>::compress(const Block& block, Index number) const {
  return BlockPacker<T>(*this, number).pack(block);
}

#define INSTANTIATE(T) template struct BlockSource<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
