#pragma once
// Conversion of entries of L and U into the pieces of a distribution: entries are sent to the ranks that need
// them, and converted there to block L D U (numeric/factors.hpp).

#include <memory>
#include <vector>

#include "trisweep/engine/panel_store.hpp"
#include "trisweep/mpi/sparse_exchange.hpp"

namespace trisweep::solve {

// An entry of L or U; row and column in the structure's order.
template <Scalar T>
struct LuEntry {
  Index row, col;
  T value;
};

// Collects entries for the ranks that need them: of a panel, the owners of the block in every layer; of a
// diagonal block, all ranks with blocks of its panels, which they multiply by its inverse.
template <Scalar T>
class EntriesByRank {
 public:
  EntriesByRank(const distribution::Distribution& distribution, Index ranks)
      : s_(*distribution.structure), mapping_(*distribution.mapping), list_(usize(ranks)) {}

  // Fastest if successive entries are of one row or column of a panel.
  void add(const LuEntry<T>& entry);
  std::vector<mpi::ListOfRank<LuEntry<T>>> take();

 private:
  void find_ranks(const LuEntry<T>& entry, Index k, Index high);

  const symbolic::Structure& s_;
  const distribution::Mapping& mapping_;
  std::vector<std::vector<LuEntry<T>>> list_;
  // Ranks for the last entry, by its row or column of a panel; `high_` is -1 in a diagonal block.
  Index supernode_ = -1, high_ = -1;
  bool lower_ = false;
  std::vector<Index> ranks_;
};

// This rank's pieces. All received entries must be put before block_ldu() is called.
template <Scalar T>
class PiecesOfLu {
 public:
  PiecesOfLu(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks);

  void put(const LuEntry<T>& entry);
  // Returns the position of a zero on U's diagonal; -1: none.
  Index zero_pivot();
  // Returns L(I,K) L(K,K)^-1, U(K,K)^-1 U(K,I) and U(K,K)^-1 L(K,K)^-1, in slabs.
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
  // Row of a piece into which the last entry of a panel was put.
  struct Row {
    Index supernode = -1, high = -1;
    distribution::Side side = distribution::Side::lower;
    T* first = nullptr;  // null: none here
    Index ld = 0;
  } row_;
};

}  // namespace trisweep::solve
