#pragma once
// The equations as distributed internally: every rank has consecutive rows of A, b and x, whatever rows its
// caller has, in units in which no sum overflows (range.hpp).

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/core/row_numbers.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/model/answer.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/solve/triangular_solver.hpp"

namespace trisweep::solve {

// Collective, except functions that only return a member. `comm` must outlive it.
template <Scalar T>
class LinearSystem {
 public:
  // Throws as consecutive() (block_rows.hpp).
  LinearSystem(const mpi::Communicator& comm, BlockRows<T> rows);
  // A system of part of the entries of `of`, with the same partition, units and numbers. `rows`: this rank's
  // rows of it. Throws as DistributedMatrix.
  LinearSystem(const LinearSystem& of, matrix::Csr<T> rows);

  // `values`: in the order of this rank's entries. Throws Error(usage) when their number differs from that of
  // the entries, Error(input) when a value is not finite.
  void replace_values(std::span<const T> values);

  // Returns b in the units of the matrix: b itself, or a copy in host memory, valid until the next call of
  // this function or of require_finite(). `solver`: copies from its device's memory.
  Vectors<const T> in_range(Vectors<const T> b, const TriangularSolver<T>& solver);
  // Throws Error(input), naming row and column, when b has an entry that is not finite.
  void require_finite(Vectors<const T> b, const TriangularSolver<T>& solver);

  // Gathers the matrix on rank 0 and runs work(matrix, room) there, and at the same time help() on all
  // others. `room`: the memory of the gathered matrix; empty if rank 0 has the matrix anyway.
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

  // Throws Error(input) if one of this rank's `values` is not finite, naming the first one and its row.
  void require_finite(std::span<const T> values) const;

  // Returns a gathered matrix in the units and row numbers of the caller. On rank 0 only.
  matrix::Csr<T> as_given(const matrix::Csr<T>& whole) const;

  // Returns this rank's rows in the precision F, with ascending columns of the whole matrix. Local.
  template <Scalar F>
  matrix::Csr<F> rows_in() const;

  krylov::DistributedMatrix<T>& matrix() { return *a_; }
  const krylov::DistributedMatrix<T>& matrix() const { return *a_; }
  // The caller's row numbers: of this rank's rows, on rank 0 of all rows.
  RowNumbers numbers() const { return {number_, a_->partition().first(comm_.rank())}; }
  // The matrix is the caller's matrix times this unit.
  RealOf<T> unit() const { return unit_; }
  // Returns the maximum number of entries in a row of op(A).
  Index most_entries(Op op);
  // Returns ||Dr A Dc||_1, given the diagonals of Dr and Dc for all rows and columns.
  double scaled_norm_one(std::span<const double> row_scale, std::span<const double> col_scale) const;
  // Returns on every rank, for every column of A, the sum over all its entries of weight(local row, column,
  // value).
  template <class Weight>
  std::vector<double> column_sums(const Weight& weight) const {
    std::vector<double> sums;
    mpi::agree_on_error(comm_, [&] {
      sums.resize(usize(a_->partition().rows()));
      const matrix::Csr<T>& local = a_->local();
      for (Index i = 0; i < local.rows(); ++i) {
        for (const Offset e : local.pattern.entries(i)) {
          const Index j = a_->column(local.pattern.col[usize(e)]);
          sums[usize(j)] += weight(i, j, local.value[usize(e)]);
        }
      }
    });
    comm_.sum(sums);
    return sums;
  }
  // Cost parameters of a product with A: maxima over ranks.
  model::ProductShare product_share() const;
  // Time of distributing A, on the slowest rank.
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
