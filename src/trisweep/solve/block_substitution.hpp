#pragma once
// Block back substitution: solves with a block triangular matrix by the factors of its diagonal blocks
// (ordering/block_triangular_form.hpp), in stages: x_s = D_s^-1 (b_s - sum over t < s of N_st x_t). Of a
// transpose the stages come in the other order.

#include <functional>
#include <map>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/engine/engine.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"

namespace trisweep::solve {

// The off-diagonal blocks of a stage's rows.
template <Scalar T>
struct OffDiagonal {
  krylov::DistributedMatrix<T> matrix;  // of the rows and columns alone that have entries there
  std::vector<Index> coupled;           // these, by their numbers in the whole matrix, ascending
  std::vector<Index> col_stage;         // of these columns

  // This rank's.
  std::span<const Index> coupled_here() const {
    return std::span(coupled).subspan(usize(matrix.partition().first(matrix.comm().rank())),
                                      usize(matrix.local_rows()));
  }
};

// All off-diagonal blocks, and the stages of this rank's rows and columns.
template <Scalar T>
struct Coupling {
  std::vector<OffDiagonal<T>> off_diagonal;  // of the stages from the second on
  std::vector<Index> row_stage;
  std::vector<Index> col_stage;
  Index first;  // row of this rank
  const mpi::Communicator& comm;

  Index stages() const { return static_cast<Index>(off_diagonal.size()) + 1; }
  // Of this rank's equations and unknowns of op(A) x = b.
  const std::vector<Index>& equation_stage(Op op) const { return op == Op::none ? row_stage : col_stage; }
  const std::vector<Index>& unknown_stage(Op op) const { return op == Op::none ? col_stage : row_stage; }
};

// Collective, for use inside mpi::revoke_on_error.
template <Scalar T>
class BlockSubstitution {
 public:
  // All of these outlive it.
  BlockSubstitution(Coupling<T>& coupling, ThreadPool& pool, engine::Engine<T>& engine)
      : coupling_(coupling), pool_(pool), engine_(engine) {}

  // The scales that the whole matrix has, of this rank's rows and columns, in which off-diagonal entries do
  // not exceed 1; from those of the diagonal blocks, `row_scale` and `col_scale`, of all rows and columns.
  // (Each stage may have a unit of its own, in which its blocks are the same.) Returns the 1-norm of the
  // off-diagonal blocks, so scaled.
  double rescale(std::span<const double> row_scale, std::span<const double> col_scale);
  std::span<const double> row_scale() const { return row_scale_; }
  std::span<const double> col_scale() const { return col_scale_; }

  // Whether any op is prepared.
  bool is_prepared() const { return !plan_.empty(); }
  // Number of right-hand sides that op is prepared for; 0: it is not.
  Index room(Op op) const;
  // Allocates for them. `make_plan`: the plan of a sweep over the blocks of those equations and unknowns, by
  // this rank's numbers.
  using MakePlan =
      std::function<plan::Plan(std::span<const Index> equations, std::span<const Index> unknowns)>;
  void prepare(Op op, Index nrhs, const MakePlan& make_plan);
  // b and x may be the same memory.
  engine::SolveProfile run(Op op, const engine::CallersVectors<T>& vectors);

 private:
  VectorRows<T> in_rows(Buffer<T>& buffer, Index rows, Index columns) const;
  // From `right` to x, which may not be the same memory.
  engine::SolveProfile run_stages(Op op, VectorRows<T> right, VectorRows<T> x);
  void subtract_product(Op op, OffDiagonal<T>& off_diagonal, VectorRows<const T> x, VectorRows<T> right);
  // visit(row, its stage, column, its stage, size) of each off-diagonal entry, by numbers of the whole
  // matrix.
  template <class Visit>
  void for_each_entry(const Visit& visit) const;

  Coupling<T>& coupling_;
  ThreadPool& pool_;
  engine::Engine<T>& engine_;
  std::vector<double> row_scale_, col_scale_;
  std::map<Op, std::vector<plan::Plan>> plan_;  // by stage, in their order
  Buffer<T> right_, solution_;
  Buffer<T> known_;  // unknowns that a product is of, in rows
};

}  // namespace trisweep::solve
