// trisweep solve --method bicgstab, pipelined-bicgstab and gmres: products with the matrix, and a
// preconditioner in place of its inverse.

#include <fmt/format.h>

#include <algorithm>

#include "solve_job.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/report/run_record.hpp"
#include "trisweep/report/text.hpp"
#include "trisweep/solve/iterative_solver.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

template <Scalar T>
class IterativeJob {
 public:
  IterativeJob(const Context& context, const SolveOptions& options, System<T> system)
      : context_(context), options_(options) {
    record_.plan = {.px = world().size(), .device = "native", .threads = threads()};
    record_.matrix = {.name = options.given(), .rows = system.size(), .nonzeros = system.nonzeros};
    nrhs_ = system.nrhs;
    solver_.emplace(world().handle(), std::move(system.a), iterative_options());
    b_ = std::move(system.b);
    mpi::agree_on_error(world(), [&] { x_.resize(b_.size()); });
    record_preconditioner();
  }

  int run(Outputs& outputs) {
    context_.terminal.progress(options_.method, 0);
    const Index rows = solver_->partition().count(world().rank());
    const auto result = solver_->solve({b_.data(), rows, nrhs_}, {x_.data(), rows, nrhs_});
    record(result);
    if (!options_.output.empty())
      write_vectors<T>(world(), solver_->partition(), {x_.data(), rows, nrhs_}, outputs.solution);
    mpi::agree_on_error(world(), [&] {
      if (context_.is_root()) write(outputs);
    });
    context_.terminal.print_beside({options_.output, options_.json}, summary());
    if (!result.converged) {
      context_.terminal.error(fmt::format("{} {} after {}: the residual of x is {:.1e}\n  remedy: {}",
                                          options_.method, krylov::words_of(result.worst.outcome).sentence,
                                          report::counted(krylov_.iterations, "iteration"), krylov_.residual,
                                          remedy()));
    } else if (!result.every_equation) {
      context_.terminal.error(
          fmt::format("the residual is {:.1e}, but an equation is satisfied no better than {:.1e} of its own "
                      "terms: next to others its units are small\n  remedy: {}",
                      krylov_.residual, record_.solve.componentwise_backward_error, remedy()));
    }
    return result.solved() ? 0 : 1;
  }

 private:
  // Suggests options that this run does not use.
  std::string remedy() const {
    std::string others;
    if (std::same_as<T, Single<T>>) others += "--precision double, ";
    if (solver_->factors() == nullptr) others += "--preconditioner lu, ";
    return fmt::format("try {}{}--method direct", others, others.empty() ? "" : "or ");
  }
  const mpi::Communicator& world() const { return context_.world; }
  int threads() const { return std::max(options_.threads, 1); }

  solve::IterativeOptions iterative_options() const {
    return {.method = options_.method,
            .preconditioning =
                find_named(solve::preconditioners(), "preconditioner", options_.preconditioner).kind,
            .op = static_cast<Op>(options_.op.front()),
            .nrhs = nrhs_,
            .threads = threads(),
            .krylov = options_.krylov,
            .factors = solver_options(options_, nrhs_, context_.terminal)};
  }

  void record_preconditioner() {
    krylov_.preconditioner = options_.preconditioner;
    krylov_.tolerance = options_.krylov.tolerance;
    krylov_.setup_seconds = solver_->setup_seconds();
    krylov_.preconditioner_nonzeros = solver_->incomplete_nonzeros();
    if (const Solver<T>* const factors = solver_->factors()) {
      record_.factor = factors->report().factor;
      record_.plan = report::plan_record(factors->report().plan, options_.device);
      record_.plan.chosen_by = options_.chosen_by();
      record_.plan.threads = factors->report().threads;
    }
  }

  void record(const solve::IterativeResult& result) {
    record_.solve.seconds_min = record_.solve.seconds_median = result.seconds;
    record_.solve.componentwise_backward_error = result.error.componentwise;
    record_.solve.arioli_demmel_duff_backward_error = result.error.arioli_demmel_duff;
    record_.solve.backward_error = result.error.normwise;
    krylov_.outcome = krylov::words_of(result.worst.outcome).name;
    krylov_.residual = result.worst.residual;
    krylov_.iterations = result.iterations;
  }

  void write(Outputs& outputs) {
    record_.version = version();
    record_.machine = report::this_machine();
    record_.solve.nrhs = nrhs_;
    record_.solve.op = options_.op;
    record_.solve.precision = options_.precision;
    record_.solve.method = options_.method;
    record_.solve.setup_seconds = krylov_.setup_seconds;
    record_.krylov = krylov_;
    if (outputs.json) outputs.json->write(report::to_json(record_));
    if (outputs.solution) outputs.solution->commit();
    if (outputs.json) outputs.json->commit();
  }

  std::string summary() const {
    return fmt::format(
        "matrix    {}: {} rows, {}\n"
        "setup     {}: preconditioner {}\n"
        "solve     {}: {}, {}, op {}, {}\n"
        "accuracy  relative residual {:.1e} (2-norm); componentwise backward error "
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
  Index nrhs_ = 1;
  std::optional<solve::IterativeSolver<T>> solver_;
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
