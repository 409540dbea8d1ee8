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
  // Of some entries of another system's rows, `rows`, in its units and numbers. Throws as DistributedMatrix.
  LinearSystem(const LinearSystem& of, matrix::Csr<T> rows);

  // In the order of this rank's entries. Throws Error(usage) when their number is another, Error(input) when
  // one is not finite.
  void replace_values(std::span<const T> values);

  // b in the units of the matrix: where it is, or copied to the host's memory until the next such call.
  // `solver` reads its device's memory.
  Vectors<const T> in_range(Vectors<const T> b, const TriangularSolver<T>& solver);
  // Throws Error(input), naming row and column, when b has an entry that is not finite.
  void require_finite(Vectors<const T> b, const TriangularSolver<T>& solver);

  // Gathers the matrix on rank 0 and runs work(matrix, room) there, and meanwhile help() on all others.
  // `room`: the matrix, unless this rank has it anyway.
  template <class Work, class Help>
  void gather(const Work& work, const Help& help) const {
    const mpi::LongWork long_work(comm_);
    matrix::Csr<T> room;
    const matrix::Csr<T>& whole = a_->whole(room);
    mpi::agree_on_error(comm_, [&] { comm_.rank() == 0 ? work(whole, room) : help(); });
  }
  template <class Work>
  void gather(const Work& work) const {
    gather([&](const matrix::Csr<T>& whole, matrix::Csr<T>&) { work(whole); }, [] {});
  }

  // Throws Error(input) that names the first of this rank's `values` that is not finite, and its row.
  void require_finite(std::span<const T> values) const;

  // A gathered matrix in the units and by the numbers of the callers. For rank 0 alone.
  matrix::Csr<T> as_given(const matrix::Csr<T>& whole) const;

  // This rank's rows with the columns of the whole matrix, ascending, in the precision F. Local.
  template <Scalar F>
  matrix::Csr<F> rows_in() const;

  krylov::DistributedMatrix<T>& matrix() { return *a_; }
  const krylov::DistributedMatrix<T>& matrix() const { return *a_; }
  // Of the caller's rows and columns: this rank's, on rank 0 all.
  RowNumbers numbers() const { return {number_, a_->partition().first(comm_.rank())}; }
  // The matrix is the caller's times this.
  RealOf<T> unit() const { return unit_; }
  // The most entries in a row of op(A).
  Index most_entries(Op op);
  // On every rank, of every column of A: the sum over its entries, which are in rows of all ranks, of
  // weight(row among this rank's, value).
  template <class Weight>
  std::vector<double> column_sums(const Weight& weight) const {
    std::vector<double> sums;
    mpi::agree_on_error(comm_, [&] {
      sums.resize(usize(a_->partition().rows()));
      const matrix::Csr<T>& local = a_->local();
      for (Index i = 0; i < local.rows(); ++i) {
        for (const Offset e : local.pattern.entries(i))
          sums[usize(a_->column(local.pattern.col[usize(e)]))] += weight(i, local.value[usize(e)]);
      }
    });
    comm_.sum(sums);
    return sums;
  }
  // That distributing A took on the slowest rank.
  double seconds() const { return seconds_; }

 private:
  template <class Change>
  Vectors<const T> copy(Vectors<const T> b, const TriangularSolver<T>& solver, const Change& change);

  const mpi::Communicator& comm_;
  std::vector<Offset> entry_;  // ConsecutiveRows::entry
  std::vector<Index> number_;  // ConsecutiveRows::number
  RealOf<T> unit_ = 1;         // a_ is the caller's matrix times this
  std::optional<krylov::DistributedMatrix<T>> a_;
  std::vector<T> copy_;                  // of right-hand sides
  std::array<Index, 2> most_entries_{};  // in a row, in a column; 0: not counted yet
  double seconds_ = 0;
};

}  // namespace trisweep::solve
