#include "trisweep/solve/iterative_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/sptrsv/ilut.hpp"

namespace trisweep::solve {
namespace {

// The columns of this rank's own rows: what a rank can factor by itself (block Jacobi).
template <Scalar T>
matrix::Csr<T> diagonal_block(const matrix::Csr<T>& rows, Index first) {
  matrix::Csr<T> block;
  block.pattern.rows = block.pattern.cols = rows.rows();
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Offset e = rows.pattern.row_ptr[usize(i)]; e < rows.pattern.row_ptr[usize(i) + 1]; ++e) {
      const Index j = rows.pattern.col[usize(e)] - first;
      if (j < 0 || j >= rows.rows()) continue;
      block.pattern.col.push_back(j);
      block.value.push_back(rows.value[usize(e)]);
    }
    block.pattern.row_ptr.push_back(static_cast<Offset>(block.value.size()));
  }
  return block;
}

}  // namespace

std::span<const NamedPreconditioner> preconditioners() {
  static constexpr auto table = std::to_array<NamedPreconditioner>({
      {"lu", "the factors", Preconditioning::lu},
      {"ilu0", "an incomplete factorization of each rank's diagonal block", Preconditioning::ilu0},
      {"ilut", "the same with the largest of the fill", Preconditioning::ilut},
      {"none", "", Preconditioning::none},
  });
  return table;
}

template <Scalar T>
IterativeSolver<T>::IterativeSolver(MPI_Comm comm, BlockRows<T> rows, const IterativeOptions& options)
    : comm_(comm), options_(options) {
  mpi::agree_on_error(comm_, [&] {
    if (!rows.number.empty())
      throw Error(ErrorKind::usage, "iterative solvers take consecutive rows of each rank",
                  "leave the rows' numbers out");
    method_ = &find_named(krylov::methods<T>(), "method", options_.method);
    pool_.emplace(options_.threads);
  });
  std::vector<Index> counts = comm_.gather(rows.a.rows());
  comm_.broadcast(counts, 0);
  distribution::RowPartition partition{.begin = {0}};
  for (const Index count : counts) partition.begin.push_back(partition.begin.back() + count);
  preconditioner_.op = options_.op;
  const auto start = Clock::now();
  make_preconditioner(rows, partition.first(comm_.rank()));
  setup_seconds_ = comm_.max(seconds_since(start));
  matrix_.emplace(comm_.handle(), std::move(rows.a), partition);
}

template <Scalar T>
void IterativeSolver<T>::make_preconditioner(const BlockRows<T>& rows, Index first_row) {
  const Preconditioning kind = options_.preconditioning;
  if (kind == Preconditioning::lu) {
    preconditioner_.lu.emplace(comm_.handle(), rows, options_.factors);
  } else if (kind != Preconditioning::none) {
    mpi::agree_on_error(comm_, [&] {
      const matrix::Csr<T> block = diagonal_block(rows.a, first_row);
      preconditioner_.incomplete.emplace(
          block, kind == Preconditioning::ilut ? sptrsv::ilut_pattern(block) : block.pattern,
          sptrsv::RowSolverOptions{.threads = options_.threads});
      preconditioner_.incomplete->prepare(options_.op, options_.nrhs);
    });
    incomplete_nonzeros_ = static_cast<Offset>(comm_.sum(double(preconditioner_.incomplete->nonzeros())));
  }
}

template <Scalar T>
void IterativeSolver<T>::Preconditioner::operator()(Vectors<const T> b, Vectors<T> x) {
  if (lu) return lu->sweep(b, x, op);
  if (incomplete) return incomplete->solve(b, x, op);
  krylov::Identity()(b, x);
}

template <Scalar T>
void IterativeSolver<T>::Product::operator()(Vectors<const T> x, Vectors<T> y) {
  solver.matrix_->apply(solver.options_.op, x, y, *solver.pool_);
}

template <Scalar T>
IterativeResult IterativeSolver<T>::solve(Vectors<const T> b, Vectors<T> x) {
  const auto start = Clock::now();
  const auto results =
      method_->solve({matrix_->comm(), *pool_}, {product_, preconditioner_}, b, x, options_.krylov);
  IterativeResult result{.seconds = comm_.max(seconds_since(start))};
  for (const krylov::BicgstabResult& r : results)
    result.iterations = std::max(result.iterations, r.iterations);
  result.worst = *std::ranges::max_element(results, {}, [](const krylov::BicgstabResult& r) {
    return std::pair(r.outcome != krylov::Outcome::converged, r.residual);
  });
  result.error = error_of(b, x);
  result.converged = result.worst.outcome == krylov::Outcome::converged;
  result.every_equation = result.error.componentwise <= std::sqrt(options_.krylov.tolerance);
  return result;
}

template <Scalar T>
BackwardError IterativeSolver<T>::error_of(Vectors<const T> b, Vectors<const T> x) {
  std::vector<double> ones;
  std::vector<T> rest;
  mpi::agree_on_error(comm_, [&] {
    ones.assign(usize(b.rows), 1.0);
    rest.resize(usize(b.rows) * usize(b.cols));
  });
  Residuals<T> residuals(*matrix_, *pool_, {ones, ones});
  BackwardError error;
  mpi::revoke_on_error(matrix_->comm(), [&] {
    residuals.prepare(options_.op, b.cols);
    error = largest(residuals.measure(options_.op, b, x, {rest.data(), b.rows, b.cols}, 0));
  });
  return error;
}

#define INSTANTIATE(T) template class IterativeSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
