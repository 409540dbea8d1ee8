#pragma once
// Entries of L and U on their way into the pieces of a distribution: to the ranks that need them, and there
// into block L D U (numeric/factors.hpp).

#include <memory>
#include <vector>

#include "trisweep/engine/panel_store.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::solve {

// By its row and column in the structure's order.
template <Scalar T>
struct LuEntry {
  Index row, col;
  T value;
};

// Collects entries for the ranks that need them: of a panel the owners of its blocks, in every layer; of a
// diagonal block all that have a block of its panels, which they multiply by its inverse.
template <Scalar T>
class EntriesByRank {
 public:
  EntriesByRank(const distribution::Distribution& distribution, Index ranks)
      : s_(*distribution.structure), mapping_(*distribution.mapping), list_(usize(ranks)) {}

  // Fastest where entries of one row or column of a panel follow each other.
  void add(const LuEntry<T>& entry);
  std::vector<mpi::ListOfRank<LuEntry<T>>> take();

 private:
  void find_ranks(const LuEntry<T>& entry, Index k, Index high);

  const symbolic::Structure& s_;
  const distribution::Mapping& mapping_;
  std::vector<std::vector<LuEntry<T>>> list_;
  // Of the last entry's row or column of a panel, or of its diagonal block, whose `high_` is -1.
  Index supernode_ = -1, high_ = -1;
  bool lower_ = false;
  std::vector<Index> ranks_;
};

// A rank's pieces. All entries that it was sent are put before block_ldu().
template <Scalar T>
class PiecesOfLu {
 public:
  PiecesOfLu(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks);

  void put(const LuEntry<T>& entry);
  // Where U's diagonal has a zero; -1: nowhere.
  Index zero_pivot();
  // L(I,K) L(K,K)^-1, U(K,K)^-1 U(K,I) and U(K,K)^-1 L(K,K)^-1, in slabs.
  std::shared_ptr<const engine::SideValues<T>> block_ldu() &&;

 private:
  static constexpr std::size_t at(distribution::Side side) { return static_cast<std::size_t>(side); }
  numeric::View<T> piece(distribution::Side side, Index p);
  numeric::View<T> diagonal_block(Index k);
  void find_row(distribution::Side side, Index k, Index high);
  template <class Make>
  void for_each_piece(distribution::Side side, const Make& make);

  const symbolic::Structure& s_;
  const distribution::LocalBlocks& blocks_;
  engine::SideValues<T> values_;  // column-major, until they are cut into slabs
  std::array<std::vector<Index>, distribution::sides.size()> piece_;  // by supernode; -1: none here
  std::vector<Offset> diagonal_;  // by supernode: where its diagonal block is in lu_; -1: not needed here
  Buffer<T> lu_;
  // Where the last entry of a panel was put: a row of this rank's piece.
  struct Row {
    Index supernode = -1, high = -1;
    distribution::Side side = distribution::Side::lower;
    T* first = nullptr;  // null: none here
    Index ld = 0;
  } row_;
};

}  // namespace trisweep::solve
