#pragma once
// The equations as the ranks have them: every rank consecutive rows of A, b and x, whatever rows its caller
// has, in units in which no sum overflows (range.hpp).

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/core/row_numbers.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// Collective, but for what only returns a member. `comm` outlives it.
template <Scalar T>
class LinearSystem {
 public:
  // Throws as consecutive() (block_rows.hpp).
  LinearSystem(const mpi::Communicator& comm, BlockRows<T> rows);

  // In the order of this rank's entries. Throws Error(usage) when their number is another, Error(input) when
  // one is not finite.
  void replace_values(std::span<const T> values);

  // b in the units of the matrix: where it is, or copied to the host's memory until the next such call.
  // `solver` reads its device's memory.
  Vectors<const T> in_range(Vectors<const T> b, const TriangularSolver<T>& solver);
  // Throws Error(input), naming row and column, when b has an entry that is not finite.
  void require_finite(Vectors<const T> b, const TriangularSolver<T>& solver);

  // Gathers the matrix on rank 0 and runs work(matrix) there.
  template <class Work>
  void gather(const Work& work) {
    matrix::Csr<T> room;
    const matrix::Csr<T>& whole = a_->whole(room);
    mpi::agree_on_error(comm_, [&] {
      if (comm_.rank() != 0) return;
      count_entries(whole);
      work(whole);
    });
    comm_.broadcast(most_entries_);
  }

  krylov::DistributedMatrix<T>& matrix() { return *a_; }
  const krylov::DistributedMatrix<T>& matrix() const { return *a_; }
  // Of the caller's rows and columns: this rank's, on rank 0 all.
  RowNumbers numbers() const { return {number_, a_->partition().first(comm_.rank())}; }
  // The most entries in a row of op(A), after gather().
  Index most_entries(Op op) const { return most_entries_[op == Op::none ? 0 : 1]; }
  // That distributing A took on the slowest rank.
  double seconds() const { return seconds_; }

 private:
  void bring_into_range(std::vector<T>& values);
  void count_entries(const matrix::Csr<T>& whole);
  template <class Change>
  Vectors<const T> copy(Vectors<const T> b, const TriangularSolver<T>& solver, const Change& change);

  const mpi::Communicator& comm_;
  std::vector<Offset> entry_;  // ConsecutiveRows::entry
  std::vector<Index> number_;  // ConsecutiveRows::number
  RealOf<T> unit_ = 1;         // a_ is the caller's matrix times this
  std::optional<krylov::DistributedMatrix<T>> a_;
  std::vector<T> copy_;  // of right-hand sides
  std::array<Index, 2> most_entries_{};
  double seconds_ = 0;
};

}  // namespace trisweep::solve
