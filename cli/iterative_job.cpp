// trisweep solve --method bicgstab, pipelined-bicgstab and gmres: the matrix is multiplied, and a
// preconditioner stands for its inverse.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "solve_job.hpp"
#include "trisweep/component/ilu0.hpp"
#include "trisweep/component/ilut.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/krylov/bicgstab.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/report/text.hpp"
#include "trisweep/solve/backward_error.hpp"
#include "trisweep/solve/rows.hpp"

namespace trisweep::cli {
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

// Of one kind, chosen by name; the others are not there.
template <Scalar T>
struct Preconditioner {
  std::optional<Solver<T>> lu;
  std::optional<component::IncompleteLu<T>> incomplete;
  Op op = Op::none;

  void operator()(Vectors<const T> b, Vectors<T> x) {
    if (lu) return lu->sweep(b, x, op);
    if (incomplete) return incomplete->solve(b, x, op);
    krylov::Identity()(b, x);
  }
};

template <Scalar T>
class IterativeJob {
 public:
  IterativeJob(const Context& context, const SolveOptions& options, System<T> system)
      : context_(context), options_(options) {
    preconditioner_.op = static_cast<Op>(options.op.front());
    record_.plan = {.px = world().size(), .device = "native", .threads = threads()};
    record_.matrix = {.name = options.matrix, .rows = system.a.rows(), .nonzeros = system.a.nonzeros()};
    nrhs_ = system.b.cols;
    Index n = system.a.rows();
    world().broadcast(nrhs_);
    world().broadcast(n);
    transport::collectively(world(), [&] { crew_.emplace(threads()); });
    auto rows = dealt_out(world().handle(), std::move(system.a));
    const auto partition = distribution::even_partition(n, world().size());
    const auto start = Clock::now();
    make_preconditioner(rows, partition);
    krylov_.setup_seconds = world().max(seconds_since(start));
    matrix_.emplace(world().handle(), std::move(rows.a), partition);
    b_ = solve::scatter_rows(world(), partition, system.b);
    transport::collectively(world(), [&] { x_.resize(b_.size()); });
  }

  int run(Outputs& outputs) {
    context_.terminal.progress(options_.method, 0);
    const auto start = Clock::now();
    const auto& method = find_named(krylov::methods<T>(), "method", options_.method);
    const auto results =
        method.solve({matrix_->comm(), *crew_}, {product_, preconditioner_}, {b_.data(), rows(), nrhs_},
                     {x_.data(), rows(), nrhs_}, options_.krylov);
    record_.solve.seconds_min = record_.solve.seconds_median = world().max(seconds_since(start));
    const auto worst = std::ranges::max_element(results, {}, [](const krylov::BicgstabResult& r) {
      return std::pair(r.outcome != krylov::Outcome::converged, r.residual);
    });
    krylov_.outcome = krylov::words_of(worst->outcome).name;
    krylov_.residual = worst->residual;
    for (const auto& r : results) krylov_.iterations = std::max(krylov_.iterations, r.iterations);
    judge();
    const bool converged = worst->outcome == krylov::Outcome::converged;
    const auto x = options_.output.empty() ? matrix::Dense<T>()
                                           : solve::gather_rows(world(), matrix_->partition(), x_, nrhs_);
    transport::collectively(world(), [&] {
      if (context_.is_root()) write(outputs, x);
    });
    context_.terminal.print_beside({options_.output, options_.json}, summary());
    if (!converged) {
      context_.terminal.error(fmt::format("{} {} after {}: residual {:.1e}, of what x is there\n  remedy: {}",
                                          options_.method, krylov::words_of(worst->outcome).sentence,
                                          report::counted(krylov_.iterations, "iteration"), krylov_.residual,
                                          remedy()));
    } else if (!every_equation()) {
      context_.terminal.error(
          fmt::format("the residual is {:.1e}, but an equation is satisfied no better than {:.1e} of its own "
                      "terms: next to others its units are small\n  remedy: {}",
                      krylov_.residual, record_.solve.componentwise_backward_error, remedy()));
    }
    return converged && every_equation() ? 0 : 1;
  }

 private:
  // The 2-norm of a residual is that of the equations in the largest units: of the others at least half of
  // the digits must be there that were asked for.
  bool every_equation() const {
    return record_.solve.componentwise_backward_error <= std::sqrt(options_.krylov.tolerance);
  }
  // What is not in use yet.
  std::string remedy() const {
    std::string others;
    if (std::same_as<T, Single<T>>) others += "--precision double, ";
    if (!preconditioner_.lu) others += "--preconditioner lu, ";
    return fmt::format("try {}{}--method direct", others, others.empty() ? "" : "or ");
  }
  const transport::Communicator& world() const { return context_.world; }
  Index rows() const { return matrix_->local_rows(); }
  int threads() const { return std::max(options_.threads, 1); }

  void make_preconditioner(const solve::BlockRows<T>& rows, const distribution::RowPartition& partition) {
    krylov_.preconditioner = options_.preconditioner;
    krylov_.tolerance = options_.krylov.tolerance;
    const Preconditioning kind =
        find_named(preconditioners(), "preconditioner", options_.preconditioner).kind;
    if (kind == Preconditioning::lu) {
      preconditioner_.lu.emplace(world().handle(), rows, solver_options(options_, nrhs_, context_.terminal));
      record_.factor = preconditioner_.lu->report().factor;
      record_.plan = report::plan_record(preconditioner_.lu->report().plan, options_.device);
      record_.plan.threads = threads();
    } else if (kind != Preconditioning::none) {
      transport::collectively(world(), [&] {
        const matrix::Csr<T> block = diagonal_block(rows.a, partition.first(world().rank()));
        preconditioner_.incomplete.emplace(
            block, kind == Preconditioning::ilut ? component::ilut_pattern(block) : block.pattern,
            component::Options{.threads = threads()});
        preconditioner_.incomplete->prepare(preconditioner_.op, nrhs_);
      });
      krylov_.preconditioner_nonzeros =
          static_cast<Offset>(world().sum(double(preconditioner_.incomplete->nonzeros())));
    }
  }

  void judge() {
    std::vector<double> ones;
    std::vector<T> rest;
    transport::collectively(world(), [&] {
      ones.assign(usize(rows()), 1.0);
      rest.resize(x_.size());
    });
    const Vectors<const T> b(b_.data(), rows(), nrhs_), x(x_.data(), rows(), nrhs_);
    solve::Residuals<T> residuals(*matrix_, *crew_, {ones, ones});
    transport::together(matrix_->comm(), [&] {
      residuals.prepare(preconditioner_.op, nrhs_);
      const auto error =
          largest(residuals.measure(preconditioner_.op, b, x, {rest.data(), rows(), nrhs_}, 0));
      record_.solve.componentwise_backward_error = error.componentwise;
      record_.solve.arioli_demmel_duff_backward_error = error.arioli_demmel_duff;
      record_.solve.backward_error = error.normwise;
    });
  }

  void write(Outputs& outputs, const matrix::Dense<T>& x) {
    record_.version = TRISWEEP_VERSION;
    record_.machine = report::this_machine();
    record_.solve.nrhs = nrhs_;
    record_.solve.op = options_.op;
    record_.solve.precision = options_.precision;
    record_.solve.method = options_.method;
    record_.solve.setup_seconds = krylov_.setup_seconds;
    record_.krylov = krylov_;
    if (outputs.solution) matrix::write_matrix_market(*outputs.solution, x);
    if (outputs.json) outputs.json->write(report::to_json(record_));
    if (outputs.solution) outputs.solution->commit();
    if (outputs.json) outputs.json->commit();
  }

  std::string summary() const {
    return fmt::format(
        "matrix    {}: {} rows, {}\n"
        "setup     {}: preconditioner {}\n"
        "solve     {}: {}, {}, op {}, {}\n"
        "accuracy  residual {:.1e} of the right-hand side, in the 2-norm; componentwise backward error "
        "{:.1e}\n",
        record_.matrix.name, record_.matrix.rows, report::counted(record_.matrix.nonzeros, "nonzero"),
        report::duration(krylov_.setup_seconds), krylov_.preconditioner,
        report::duration(record_.solve.seconds_min), options_.method,
        report::counted(nrhs_, "right-hand side"), options_.op,
        report::counted(krylov_.iterations, "iteration"), krylov_.residual,
        record_.solve.componentwise_backward_error);
  }

  const Context& context_;
  const SolveOptions& options_;
  std::optional<Crew> crew_;
  Index nrhs_ = 1;
  Preconditioner<T> preconditioner_;
  std::optional<krylov::DistributedMatrix<T>> matrix_;
  struct Product {
    IterativeJob& job;
    void operator()(Vectors<const T> x, Vectors<T> y) {
      job.matrix_->apply(job.preconditioner_.op, x, y, *job.crew_);
    }
  } product_{*this};
  std::vector<T> b_, x_;  // this rank's rows
  report::KrylovRecord krylov_;
  report::RunRecord record_;  // complete on rank 0
};

}  // namespace

template <Scalar T>
int solve_iteratively(const Context& context, const SolveOptions& options, System<T> system,
                      Outputs outputs) {
  return IterativeJob<T>(context, options, std::move(system)).run(outputs);
}

#define INSTANTIATE(T) \
  template int solve_iteratively<T>(const Context&, const SolveOptions&, System<T>, Outputs);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::cli
