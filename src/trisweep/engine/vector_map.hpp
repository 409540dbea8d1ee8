#pragma once
// Moves right-hand sides and solutions between the caller's distribution (contiguous blocks of rows, in the
// order of the matrix) and the work vectors of the sweeps (permuted, scaled, by segment).

#include <span>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/vectors.hpp"
#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/distribution/share.hpp"
#include "trisweep/kernels/panel_product.hpp"
#include "trisweep/transport/patience.hpp"
#include "trisweep/transport/team.hpp"

namespace trisweep::engine {

// One permutation with its scaling: that of the rows or that of the columns of the matrix. Each rank
// exchanges one message with each rank it shares rows with; rows that stay on the rank are moved without a
// copy in between.
template <Scalar T>
class VectorMap {
 public:
  // `new_of_old`, `scale`: of all rows.
  VectorMap(const transport::Team& team, const symbolic::Structure& structure,
            const distribution::Mapping& mapping, const distribution::Share& share,
            const distribution::RowPartition& partition, const std::vector<Index>& new_of_old,
            const std::vector<double>& scale);

  void reserve(Index nrhs);  // room for that many columns
  // Leaves memory that messages may still be sent from, or written to, as it is.
  void release() {
    caller_buffer_.release();
    work_buffer_.release();
  }
  // work = P S b at the home of each row; other work rows are left alone.
  void load(Vectors<const T> b, const kernels::Work<T>& work, transport::Patience& patience,
            bool scaled = true);
  // x = S P^T work.
  void store(Vectors<T> x, const kernels::Work<T>& work, transport::Patience& patience, bool scaled = true);

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
  void move(Vectors<Caller> caller, std::span<const Index> row, const At& at, bool scaled,
            const Transfer& transfer);

  const transport::Communicator& comm_;
  Crew& crew_;
  std::vector<Peer> peer_;           // other ranks
  std::vector<Index> own_local_;     // rows that stay: from the caller's row ...
  std::vector<Index> own_position_;  // ... to the work row
  std::vector<RealOf<T>> scale_;     // by the caller's rows; empty: all 1
  std::size_t rows_out_ = 0;         // sums over peers
  std::size_t rows_in_ = 0;
  // Entries for a peer, row-major, begin where they would with as many right-hand sides as there is room for.
  T* at_caller(const Peer& p) { return caller_buffer_.data() + p.local_at * usize(room_); }
  T* at_work(const Peer& p) { return work_buffer_.data() + p.position_at * usize(room_); }
  Index room_ = 0;
  Buffer<T> caller_buffer_;  // rows_out_ x room_
  Buffer<T> work_buffer_;    // rows_in_ x room_
  std::vector<MPI_Request> request_;
  std::vector<MPI_Status> status_;     // by request
  std::vector<std::size_t> expected_;  // bytes that come, by request
};

}  // namespace trisweep::engine
