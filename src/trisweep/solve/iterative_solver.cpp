#include "trisweep/solve/iterative_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/core/one_caller.hpp"
#include "trisweep/krylov/methods.hpp"
#include "trisweep/mpi/agreement.hpp"
#include "trisweep/solve/agreed_call.hpp"
#include "trisweep/solve/backward_error.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/sptrsv/ilu0.hpp"
#include "trisweep/sptrsv/ilut.hpp"

namespace trisweep::solve {
namespace {

// The diagonal block of this rank's rows, which a rank can factor by itself (block Jacobi).
template <Scalar T>
matrix::Csr<T> diagonal_block(const matrix::Csr<T>& rows, Index first) {
  matrix::Csr<T> block;
  block.pattern.rows = block.pattern.cols = rows.rows();
  for (Index i = 0; i < rows.rows(); ++i) {
    for (const Offset e : rows.pattern.entries(i)) {
      const Index j = rows.pattern.col[usize(e)] - first;
      if (j < 0 || j >= rows.rows()) continue;
      block.pattern.col.push_back(j);
      block.value.push_back(rows.value[usize(e)]);
    }
    block.pattern.row_ptr.push_back(static_cast<Offset>(block.value.size()));
  }
  return block;
}

// Options that must be equal on all ranks.
std::array<mpi::Setting, 8> settings_of(const IterativeOptions& o) {
  const char op = static_cast<char>(o.op);
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{{"method", o.method},
           {"preconditioner", text(static_cast<int>(o.preconditioning))},
           {"op", std::string_view(&op, 1)},
           {"nrhs", text(o.nrhs)},
           {"tolerance", text(o.krylov.tolerance)},
           {"max_iterations", text(o.krylov.max_iterations)},
           {"overlap, replace_every",
            fmt::format("{}, {}", static_cast<int>(o.krylov.overlap), o.krylov.replace_every)},
           {"restart", text(o.krylov.restart)}}};
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
struct IterativeSolver<T>::State {
  State(const mpi::Communicator& ranks, BlockRows<T> rows, const IterativeOptions& given)
      : comm(ranks.share()), options(mpi::agree_on_error(comm, [&] { return given; })) {
    const auto settings = mpi::agree_on_error(comm, [&] {
      method = &find_named(krylov::methods<T>(), "method", options.method);
      if (options.nrhs < 1)
        throw Error(ErrorKind::usage, fmt::format("a solver of {} right-hand sides", options.nrhs));
      pool.emplace(options.threads);
      return settings_of(options);
    });
    mpi::require_same(comm, settings);
    const auto start = Clock::now();
    if (options.preconditioning == Preconditioning::lu) lu.emplace(comm, rows, options.factors);
    ConsecutiveRows<T> own = consecutive(comm, std::move(rows));
    make_incomplete(own.a, own.partition.first(comm.rank()));
    setup_seconds = comm.max(seconds_since(start));
    matrix.emplace(comm.share(), std::move(own.a), own.partition);
  }

  void make_incomplete(const matrix::Csr<T>& rows, Index first_row) {
    const Preconditioning kind = options.preconditioning;
    if (kind == Preconditioning::lu || kind == Preconditioning::none) return;
    mpi::agree_on_error(comm, [&] {
      const matrix::Csr<T> block = diagonal_block(rows, first_row);
      incomplete.emplace(block, kind == Preconditioning::ilut ? sptrsv::ilut_pattern(block) : block.pattern,
                         sptrsv::RowSolverOptions{.threads = options.threads});
      incomplete->prepare(options.op, options.nrhs);
    });
    incomplete_nonzeros = static_cast<Offset>(comm.sum(double(incomplete->nonzeros())));
  }

  void require_fit(Vectors<const T> b, Vectors<const T> x) const {
    const Index rows = matrix->local().rows();
    if (b.rows != rows || x.rows != rows || b.cols != x.cols || b.cols < 1 || b.cols > options.nrhs)
      throw Error(
          ErrorKind::usage,
          fmt::format("b is {} x {} and x {} x {}, where this rank has {} rows and the solver is for at "
                      "most {} right-hand sides",
                      b.rows, b.cols, x.rows, x.cols, rows, options.nrhs));
  }

  BackwardError error_of(Vectors<const T> b, Vectors<const T> x) {
    const std::vector<double> ones(usize(b.rows), 1.0);
    std::vector<T> rest(usize(b.rows) * usize(b.cols));
    Residuals<T> residuals(*matrix, *pool, {ones, ones});
    residuals.prepare(options.op, b.cols);
    return largest(residuals.measure(options.op, b, x, {rest.data(), b.rows, b.cols}, 0));
  }

  mpi::Communicator comm;
  IterativeOptions options;
  const krylov::NamedMethod<T>* method = nullptr;
  std::optional<ThreadPool> pool{};
  // At most one of these two is set.
  std::optional<Solver<T>> lu{};
  std::optional<sptrsv::IncompleteLu<T>> incomplete{};
  std::optional<krylov::DistributedMatrix<T>> matrix{};
  double setup_seconds = 0;
  Offset incomplete_nonzeros = 0;
  std::atomic_flag busy{};  // a call is in progress
};

template <Scalar T>
IterativeSolver<T>::IterativeSolver(MPI_Comm comm, BlockRows<T> rows, const IterativeOptions& options)
    : state_([&] {
        const mpi::Communicator ranks(comm, {}, options.factors.watchdog);
        return mpi::revoke_on_error(
            ranks, [&] { return mpi::make_collective<State>(ranks, std::move(rows), options); });
      }()) {}
template <Scalar T>
IterativeSolver<T>::~IterativeSolver() = default;

template <Scalar T>
IterativeResult IterativeSolver<T>::solve(Vectors<const T> b, Vectors<T> x) {
  const OneCaller caller(state_->busy);
  State& s = *state_;
  const auto product = [&](Vectors<const T> v, Vectors<T> w) {
    s.matrix->apply(s.options.op, v, w, *s.pool);
  };
  const auto precondition = [&](Vectors<const T> v, Vectors<T> w) {
    if (s.lu) return s.lu->sweep(v, w, s.options.op);
    if (s.incomplete) return s.incomplete->solve(v, w, s.options.op);
    krylov::Identity()(v, w);
  };
  return mpi::revoke_on_error(s.comm, [&] {
    agree_on_call(s.comm, {.name = "solve", .op = s.options.op, .nrhs = b.cols},
                  [&] { s.require_fit(b, x); });
    const auto start = Clock::now();
    const auto results = s.method->solve({s.comm, *s.pool}, {product, precondition}, b, x, s.options.krylov);
    IterativeResult result{.seconds = s.comm.max(seconds_since(start))};
    for (const krylov::KrylovResult& r : results)
      result.iterations = std::max(result.iterations, r.iterations);
    result.worst = *std::ranges::max_element(results, {}, [](const krylov::KrylovResult& r) {
      return std::pair(r.outcome != krylov::Outcome::converged, r.residual);
    });
    result.error = s.error_of(b, x);
    result.converged = result.worst.outcome == krylov::Outcome::converged;
    result.every_equation = result.error.componentwise <= std::sqrt(s.options.krylov.tolerance);
    return result;
  });
}

template <Scalar T>
const distribution::RowPartition& IterativeSolver<T>::partition() const {
  return state_->matrix->partition();
}
template <Scalar T>
double IterativeSolver<T>::setup_seconds() const {
  return state_->setup_seconds;
}
template <Scalar T>
Offset IterativeSolver<T>::incomplete_nonzeros() const {
  return state_->incomplete_nonzeros;
}
template <Scalar T>
const Solver<T>* IterativeSolver<T>::factors() const {
  return state_->lu ? &*state_->lu : nullptr;
}

#define INSTANTIATE(T) template class IterativeSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
