#pragma once
// Block back substitution: solves with a block triangular matrix by the factors of its diagonal blocks
// (ordering/block_triangular_form.hpp), in stages: x_s = D_s^-1 (b_s - sum over t < s of N_st x_t). For a
// transpose, the stages are in reverse order.

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
  krylov::DistributedMatrix<T> matrix;  // restricted to rows and columns with entries in these blocks
  std::vector<Index> coupled;           // their numbers in the whole matrix, ascending

  // The coupled rows of this rank.
  std::span<const Index> coupled_here() const {
    return std::span(coupled).subspan(usize(matrix.partition().first(matrix.comm().rank())),
                                      usize(matrix.local_rows()));
  }
};

// All off-diagonal blocks, and the stages of this rank's rows and columns.
template <Scalar T>
struct Coupling {
  std::vector<OffDiagonal<T>> off_diagonal;  // by stage, from the second on
  std::vector<Index> row_stage;
  std::vector<Index> col_stage;
  Index first;  // first row of this rank
  const mpi::Communicator& comm;
  // Scaling of the whole matrix, by which answers are judged: of this rank's rows and columns.
  std::span<const double> row_scale{}, col_scale{};
  double scaled_norm_one = 0;

  Index stages() const { return static_cast<Index>(off_diagonal.size()) + 1; }
  // Stages of this rank's equations and unknowns of op(A) x = b.
  const std::vector<Index>& equation_stage(Op op) const { return op == Op::none ? row_stage : col_stage; }
  const std::vector<Index>& unknown_stage(Op op) const { return op == Op::none ? col_stage : row_stage; }
  std::span<const double> equation_scale(Op op) const { return op == Op::none ? row_scale : col_scale; }
};

// Collective, for use inside mpi::revoke_on_error.
template <Scalar T>
class BlockSubstitution {
 public:
  // All arguments must outlive it.
  BlockSubstitution(Coupling<T>& coupling, ThreadPool& pool, engine::Engine<T>& engine)
      : coupling_(coupling), pool_(pool), engine_(engine) {}

  const Coupling<T>& coupling() const { return coupling_; }
  // True if any op is prepared.
  bool is_prepared() const { return !plan_.empty(); }
  // Number of right-hand sides that op is prepared for; 0: not prepared.
  Index room(Op op) const;
  // Allocates for `nrhs` right-hand sides. `make_plan`: returns the plan of a sweep over the diagonal blocks
  // of these equations and unknowns, given by local numbers.
  using MakePlan =
      std::function<plan::Plan(std::span<const Index> equations, std::span<const Index> unknowns)>;
  void prepare(Op op, Index nrhs, const MakePlan& make_plan);
  // b and x may be the same memory.
  engine::SolveProfile run(Op op, const engine::CallersVectors<T>& vectors);

 private:
  VectorRows<T> in_rows(Buffer<T>& buffer, Index rows, Index columns) const;
  // Solves with the right-hand sides `right`, which it overwrites; x must not overlap them.
  engine::SolveProfile run_stages(Op op, VectorRows<T> right, VectorRows<T> x);
  void subtract_product(Op op, OffDiagonal<T>& off_diagonal, VectorRows<const T> x, VectorRows<T> right);

  Coupling<T>& coupling_;
  ThreadPool& pool_;
  engine::Engine<T>& engine_;
  std::map<Op, std::vector<plan::Plan>> plan_;  // by stage
  Buffer<T> right_, solution_;
  Buffer<T> known_;  // unknowns to be multiplied, row-major
};

}  // namespace trisweep::solve
