#pragma once
// The third object: solves with L D U on a grid of ranks, any number of times.

#include <map>
#include <memory>
#include <optional>

#include "trisweep/plan/schedule.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/solve/sweep_executor.hpp"
#include "trisweep/solve/vector_map.hpp"

namespace trisweep::solve {

struct SolverOptions {
  distribution::ProcessGrid grid;
  plan::Tree tree = plan::binary_tree;
  plan::Schedule schedule = plan::single_sync;
  plan::InterGrid inter_grid = plan::sparse_allreduce;
};

// What one rank did in the last solve.
struct SolveActivity {
  double seconds = 0;  // the whole call, moving b and x included
  Activity l;          // forward sweep
  Activity u;          // backward sweep
  Activity inter_grid;
  Activity diagonal;
};

// Collective objects: every rank of the communicator constructs one, calls the same methods in the same order
// with the same op and nrhs, and destroys it. An exception thrown by solve() leaves the object unusable.
template <Scalar T>
class TriangularSolver {
 public:
  // `factorization`: on rank 0 (others: ignored, may be null). Throws on every rank when the grid does not
  // fit the ranks or any rank runs out of memory.
  TriangularSolver(MPI_Comm comm, std::shared_ptr<const Factorization<T>> factorization,
                   const SolverOptions& options);

  // Makes the plan of `op` and room for `nrhs` right-hand sides. Collective. solve() does so by itself when
  // needed; after it, solves of that op with at most that many right-hand sides allocate nothing.
  void prepare(Op op, Index nrhs);

  // op(A) x = b. Each rank passes its rows of b and x under partition(); b and x may be the same memory.
  // `scaled` false solves with the scaled, unpermuted matrix Dr A Dc instead.
  void solve(Op op, Columns<const T> b, Columns<T> x, bool scaled = true);

  const transport::Communicator& comm() const { return comm_; }
  const RowPartition& partition() const { return partition_; }
  // The scaling of this rank's equations of op(A) x = b: rows of A, or columns for its transposes.
  std::span<const double> equation_scale(Op op) const {
    const auto& order = analysis_.ordering;
    const auto& whole = op == Op::none ? order.row_scale : order.col_scale;
    return std::span(whole).subspan(usize(partition_.first(comm_.rank())),
                                    usize(partition_.count(comm_.rank())));
  }
  const symbolic::Structure& structure() const { return *analysis_.structure; }
  const distribution::Share& share() const { return share_; }
  const plan::Plan& plan(Op op) const { return plans_.at(op); }
  const SolveActivity& last() const { return last_; }
  std::size_t panel_bytes() const { return panels_.bytes(); }
  double scaled_norm_one() const { return scaled_norm_one_; }

 private:
  void make_plan(Op op);
  void run(const plan::Plan& plan, const kernels::Work<T>& work);

  transport::Communicator comm_;
  SolverOptions options_;
  Analysis analysis_;
  double scaled_norm_one_ = 0;
  RowPartition partition_;
  std::unique_ptr<const distribution::Mapping> mapping_;
  distribution::Share share_;
  PanelStore<T> panels_;
  SweepExecutor<T> executor_;
  std::optional<VectorMap<T>> rows_;
  std::optional<VectorMap<T>> columns_;
  std::optional<transport::TwoSided> transport_;  // from the first plan on: all plans have as many sweeps
  std::map<Op, plan::Plan> plans_;
  Index scratch_rows_ = 0;    // of the largest piece or segment
  Offset exchange_rows_ = 0;  // of the largest message between layers
  Buffer<T> work_;
  Buffer<T> scratch_;
  Buffer<T> exchange_buffer_;
  SolveActivity last_;
};

}  // namespace trisweep::solve
