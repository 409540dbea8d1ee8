#pragma once
// Moves right-hand sides and solutions between the caller's distribution (contiguous blocks of rows, in the
// order of the matrix) and the work vectors of the sweeps (permuted, scaled, by segment).

#include <span>
#include <vector>

#include "trisweep/core/crew.hpp"
#include "trisweep/distribution/share.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/transport/communicator.hpp"
#include "trisweep/transport/patience.hpp"

namespace trisweep::solve {

// Rank r has rows [begin[r], begin[r + 1]) of every distributed vector and of the matrix.
struct RowPartition {
  std::vector<Index> begin;

  Index first(Index rank) const { return begin[usize(rank)]; }
  Index count(Index rank) const { return begin[usize(rank) + 1] - begin[usize(rank)]; }
  Index rows() const { return begin.back(); }
  Index owner(Index row) const;
};
RowPartition even_partition(Index rows, Index ranks);

// A block of columns of a distributed vector on this rank: column-major, `ld` between columns.
template <class T>
struct Columns {
  T* data;
  Index ld;
  Index nrhs;
};

// Who moves rows: ranks, and the threads of each. Both outlive what is made with them.
struct Team {
  const transport::Communicator& comm;
  Crew& crew;
};

// One permutation with its scaling: that of the rows or that of the columns of the matrix. Each rank
// exchanges one message with each rank it shares rows with; rows that stay on the rank are moved without a
// copy in between.
template <Scalar T>
class VectorMap {
 public:
  // `new_of_old`, `scale`: of all rows.
  VectorMap(const Team& team, const symbolic::Structure& structure, const distribution::Mapping& mapping,
            const distribution::Share& share, const RowPartition& partition,
            const std::vector<Index>& new_of_old, const std::vector<double>& scale);

  void reserve(Index nrhs);  // room for that many columns; called by load and store as well
  // work = P S b at the home of each row; other work rows are left alone.
  void load(Columns<const T> b, const kernels::Work<T>& work, transport::Patience& patience,
            bool scaled = true);
  // x = S P^T work.
  void store(Columns<T> x, const kernels::Work<T>& work, transport::Patience& patience, bool scaled = true);

 private:
  // What this rank exchanges with `rank`, in the order of the permuted rows.
  struct Peer {
    Index rank;
    std::vector<Index> local;     // the caller's rows of this rank that live at `rank`
    std::vector<Index> position;  // work rows of this rank whose data `rank`'s caller has
    std::size_t local_at = 0;     // rows before this peer's in the buffers
    std::size_t position_at = 0;
  };
  void exchange(bool loading, Index nrhs, transport::Patience& patience);
  template <class Caller, class At, class Transfer>
  void move(Columns<Caller> caller, std::span<const Index> row, const At& at, bool scaled,
            const Transfer& transfer);

  const transport::Communicator& comm_;
  Crew& crew_;
  std::vector<Peer> peer_;           // other ranks
  std::vector<Index> own_local_;     // rows that stay: from the caller's row ...
  std::vector<Index> own_position_;  // ... to the work row
  std::vector<RealOf<T>> scale_;     // by the caller's rows; empty: all 1
  std::size_t rows_out_ = 0;         // sums over peers
  std::size_t rows_in_ = 0;
  std::vector<T> caller_buffer_;  // rows_out_ x nrhs, row-major
  std::vector<T> work_buffer_;    // rows_in_ x nrhs
  std::vector<MPI_Request> request_;
};

}  // namespace trisweep::solve
