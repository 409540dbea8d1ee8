#include "trisweep/solve/lu_pieces.hpp"

#include <algorithm>
#include <utility>

#include "trisweep/core/slabs.hpp"
#include "trisweep/numeric/diagonal_block.hpp"

namespace trisweep::solve {

using distribution::Side;
using numeric::View;

template <Scalar T>
void EntriesByRank<T>::add(const LuEntry<T>& entry) {
  const Index low = std::min(entry.row, entry.col), max = std::max(entry.row, entry.col);
  const Index k = s_.supernode_of[usize(low)];
  const Index high = max < s_.first[usize(k) + 1] ? -1 : max;
  if (k != supernode_ || high != high_ || (entry.row > entry.col) != lower_) find_ranks(entry, k, high);
  for (const Index rank : ranks_) list_[usize(rank)].push_back(entry);
}

template <Scalar T>
std::vector<mpi::ListOfRank<LuEntry<T>>> EntriesByRank<T>::take() {
  return mpi::lists_of_ranks(std::move(list_));
}

template <Scalar T>
void EntriesByRank<T>::find_ranks(const LuEntry<T>& entry, Index k, Index high) {
  if (high < 0 && k == supernode_ && high_ < 0) {
    lower_ = entry.row > entry.col;
    return;
  }
  supernode_ = k;
  high_ = high;
  lower_ = entry.row > entry.col;
  ranks_.clear();
  const distribution::LayerRange layers = mapping_.layers_of(k);
  for (Index z = layers.first; z < layers.last; ++z) {
    if (high >= 0) {
      const Side side = lower_ ? Side::lower : Side::upper;
      ranks_.push_back(mapping_.owner(z, side, s_.supernode_of[usize(high)], k));
      continue;
    }
    for (const Side side : distribution::sides) {
      distribution::for_each_block(s_, side, k, [&](const symbolic::Block& block) {
        ranks_.push_back(mapping_.owner(z, side, block.row_supernode, k));
      });
    }
  }
  if (high >= 0) return;
  std::ranges::sort(ranks_);
  ranks_.erase(std::ranges::unique(ranks_).begin(), ranks_.end());
}

template <Scalar T>
PiecesOfLu<T>::PiecesOfLu(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks)
    : s_(structure), blocks_(local_blocks), diagonal_(usize(structure.supernodes()), -1) {
  Offset size = 0;
  for (const Side side : distribution::sides) {
    const auto& part = blocks_.side(side);
    piece_[at(side)].assign(diagonal_.size(), -1);
    values_[at(side)] = zeros<T>(usize(part.value_ptr.back()), "this rank's part of the factors");
    for (Index p = 0; p < part.pieces(); ++p) {
      const Index k = part.supernode[usize(p)];
      piece_[at(side)][usize(k)] = p;
      if (diagonal_[usize(k)] >= 0) continue;
      diagonal_[usize(k)] = size;
      size += Offset{s_.width(k)} * s_.width(k);
    }
  }
  lu_ = zeros<T>(usize(size), "diagonal blocks of the factors");
}

template <Scalar T>
void PiecesOfLu<T>::put(const LuEntry<T>& entry) {
  const Index low = std::min(entry.row, entry.col), high = std::max(entry.row, entry.col);
  const Index k = s_.supernode_of[usize(low)], first = s_.first[usize(k)];
  if (high < s_.first[usize(k) + 1]) {
    diagonal_block(k)(entry.row - first, entry.col - first) = entry.value;
    return;
  }
  const Side side = entry.row > entry.col ? Side::lower : Side::upper;
  if (k != row_.supernode || high != row_.high || side != row_.side) find_row(side, k, high);
  if (row_.first) row_.first[usize(low - first) * usize(row_.ld)] = entry.value;
}

template <Scalar T>
void PiecesOfLu<T>::find_row(Side side, Index k, Index high) {
  row_ = {.supernode = k, .high = high, .side = side};
  const Index p = piece_[at(side)][usize(k)];
  const auto rows = s_.rows(k);
  const auto panel_row = static_cast<Index>(std::ranges::lower_bound(rows, high) - rows.begin());
  Index height = 0;
  for (const auto& block : blocks_.side(side).blocks(p)) {
    if (panel_row < block.end) {
      const View<T> all = piece(side, p);
      row_.first = &all(height + panel_row - block.begin, 0);
      row_.ld = all.ld;
      return;
    }
    height += block.end - block.begin;
  }
}

template <Scalar T>
Index PiecesOfLu<T>::zero_pivot() {
  for (Index k = 0; k < s_.supernodes(); ++k) {
    if (diagonal_[usize(k)] < 0) continue;
    for (Index j = 0; j < s_.width(k); ++j) {
      if (diagonal_block(k)(j, j) == T(0)) return s_.first[usize(k)] + j;
    }
  }
  return -1;
}

template <Scalar T>
std::shared_ptr<const engine::SideValues<T>> PiecesOfLu<T>::block_ldu() && {
  for_each_piece(Side::lower, [](View<T> piece, View<T> lu) {
    numeric::solve_right(piece, lu, numeric::Triangle::lower, Op::none, numeric::Diagonal::unit);
  });
  for_each_piece(Side::upper, [](View<T> piece, View<T> lu) {
    numeric::solve_right(piece, lu, numeric::Triangle::upper, Op::transpose, numeric::Diagonal::stored);
  });
  std::vector<Index> in_place;  // identity: pivots of a block without interchanges
  std::vector<T> scratch;
  for_each_piece(Side::diagonal, [&](View<T> piece, View<T> lu) {
    while (std::ssize(in_place) < lu.rows) in_place.push_back(static_cast<Index>(in_place.size()));
    scratch.resize(std::max(scratch.size(), usize(lu.rows) * usize(lu.rows)));
    std::copy_n(lu.data, usize(lu.rows) * usize(lu.rows), piece.data);
    numeric::invert_from_lu<T>(piece, std::span(in_place).first(usize(lu.rows)), scratch);
  });
  return std::make_shared<const engine::SideValues<T>>(std::move(values_));
}

template <Scalar T>
View<T> PiecesOfLu<T>::piece(Side side, Index p) {
  const auto& part = blocks_.side(side);
  return {values_[at(side)].data() + part.value_ptr[usize(p)], part.height(p),
          s_.width(part.supernode[usize(p)]), std::max<Index>(part.height(p), 1)};
}

template <Scalar T>
View<T> PiecesOfLu<T>::diagonal_block(Index k) {
  return {lu_.data() + diagonal_[usize(k)], s_.width(k), s_.width(k), s_.width(k)};
}

template <Scalar T>
template <class Make>
void PiecesOfLu<T>::for_each_piece(Side side, const Make& make) {
  std::vector<T> scratch;
  for (Index p = 0; p < blocks_.side(side).pieces(); ++p) {
    const View<T> block = piece(side, p);
    make(block, diagonal_block(blocks_.side(side).supernode[usize(p)]));
    scratch.resize(std::max(scratch.size(), usize(block.rows) * usize(block.cols)));
    cut_into_slabs(block.data, block.rows, block.cols, scratch.data());
  }
}

#define INSTANTIATE(T)             \
  template class EntriesByRank<T>; \
  template class PiecesOfLu<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
