#include "trisweep/solve/triangular_solver.hpp"

#include <algorithm>
#include <chrono>

#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/without_dependencies.hpp"
#include "trisweep/solve/broadcast.hpp"
#include "trisweep/solve/plan_traffic.hpp"

namespace trisweep::solve {
namespace {

void check_options(const SolverOptions& options, Index ranks) {
  distribution::check_grid(options.grid, ranks);
  if (options.threads == 1 || ranks == 1) return;
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided >= MPI_THREAD_SERIALIZED) return;
  throw Error(ErrorKind::usage, "several threads per rank need MPI calls from any of them",
              "start MPI with MPI_Init_thread and MPI_THREAD_SERIALIZED");
}

Index extra_rows(const plan::Plan& plan) {
  Index most = 0;
  for (const auto& phase : plan.phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) most = std::max(most, sweep->extra_rows);
  }
  return most;
}

}  // namespace

template <Scalar T>
TriangularSolver<T>::TriangularSolver(MPI_Comm comm, std::shared_ptr<const Factorization<T>> factorization,
                                      const SolverOptions& options)
    : comm_(comm),
      options_(options),
      analysis_((transport::collectively(comm_, [&] { check_options(options, comm_.size()); }),
                 broadcast_analysis(comm_, factorization ? factorization->analysis.get() : nullptr))),
      structure_(transport::collectively(comm_,
                                         [&] {
                                           return distribution::in_tiles(analysis_.structure, options.mapping,
                                                                         options.grid, options.tiling);
                                         })),
      scaled_norm_one_(factorization ? factorization->scaled_norm_one : 0),
      partition_(even_partition(structure().n, comm_.size())),
      mapping_(options.mapping.make(structure(), options.grid)),
      share_(transport::collectively(
          comm_, [&] { return distribution::make_share(structure(), *mapping_, comm_.rank()); })),
      panels_(PanelStore<T>::distribute(comm_, structure(), *mapping_, share_,
                                        factorization ? factorization->factors : nullptr)),
      crew_(options.threads),
      executor_(
          share_,
          transport::collectively(comm_, [&] { return distribution::piece_positions(structure(), share_); }),
          panels_, crew_) {
  comm_.broadcast(scaled_norm_one_);
  const auto& order = analysis_.ordering;
  const Team team{comm_, crew_};
  transport::collectively(comm_, [&] {
    rows_.emplace(team, structure(), *mapping_, share_, partition_, order.row_new, order.row_scale);
    columns_.emplace(team, structure(), *mapping_, share_, partition_, order.col_new, order.col_scale);
  });
}

template <Scalar T>
plan::Plan TriangularSolver<T>::make_plan(Op op) const {
  const bool ordered = options_.deterministic || options_.threads > 1;
  const plan::PlanSpec spec{.op = op,
                            .upper_is_lower = analysis_.kind == numeric::Kind::cholesky,
                            .tree = options_.tree,
                            .inter_grid = options_.inter_grid};
  const auto phases = options_.schedule(structure(), *mapping_, share_.layer, spec);
  plan::Plan plan =
      plan::make_plan(structure(), *mapping_, share_, phases, {.ordered = ordered, .grain = options_.grain});
  return options_.dependencies ? plan : plan::without_dependencies(std::move(plan));
}

template <Scalar T>
void TriangularSolver<T>::prepare(Op op, Index nrhs) {
  if (const auto found = prepared_.find(op); found != prepared_.end() && found->second.nrhs >= nrhs) return;
  transport::Traffic traffic;
  Prepared& prepared = prepared_[op];
  transport::collectively(comm_, [&] {
    if (prepared.plan.phase.empty()) prepared.plan = make_plan(op);
    const auto rows = usize(share_.work_rows()) + usize(extra_rows(prepared.plan));
    if (work_.size() < rows * usize(nrhs)) work_ = Buffer<T>(rows * usize(nrhs), "the right-hand sides");
    executor_.reserve(prepared.plan, nrhs);
    rows_->reserve(nrhs);
    columns_->reserve(nrhs);
    traffic = traffic_of(prepared.plan, usize(nrhs) * sizeof(T));
  });
  prepared.transport = options_.transport(comm_, traffic);
  prepared.nrhs = nrhs;
}

template <Scalar T>
void TriangularSolver<T>::solve(Op op, Columns<const T> b, Columns<T> x, bool scaled) {
  const auto start = std::chrono::steady_clock::now();
  prepare(op, b.nrhs);
  Prepared& prepared = prepared_.at(op);
  transport::Patience patience(options_.watchdog);
  const Run<T> context{.work = {.row = work_.data(), .scratch = executor_.scratch(), .nrhs = b.nrhs},
                       .transport = *prepared.transport,
                       .patience = patience,
                       .recorder = recorder_};
  // Segments whose right-hand side enters in another layer start at zero (SC'23 Algorithm 1, line 8).
  if (mapping_->layers() > 1) std::fill_n(context.work.row, usize(share_.work_rows()) * usize(b.nrhs), T{});
  // P A Q = L D U: b is permuted like A's rows and x like its columns; for A^T and A^H the other way round.
  auto& from = op == Op::none ? *rows_ : *columns_;
  auto& to = op == Op::none ? *columns_ : *rows_;
  last_ = {};
  from.load(b, context.work, patience, scaled);
  Index channel = 0;
  for (const plan::Phase& phase : prepared.plan.phase) run(channel++, phase, context);
  to.store(x, context.work, patience, scaled);
  prepared.transport->close_solve(patience);
  last_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <Scalar T>
Activity& TriangularSolver<T>::account(const plan::Phase& phase) {
  switch (plan::part_of(phase)) {
    case plan::Part::forward:
      return last_.l;
    case plan::Part::backward:
      return last_.u;
    case plan::Part::exchange:
      return last_.inter_grid;
    case plan::Part::diagonal:
      break;
  }
  return last_.diagonal;
}

template <Scalar T>
void TriangularSolver<T>::run(Index channel, const plan::Phase& phase, const Run<T>& run) {
  const auto start = std::chrono::steady_clock::now();
  const double recorded_from = recorder_ == nullptr ? 0 : recorder_->now();
  Activity done = std::visit([&](const auto& p) { return executor_.run(p, channel, run); }, phase);
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (recorder_ != nullptr) {
    done.floating_point_seconds = recorder_->total(EventKind::products, recorded_from) / threads();
    done.idle_seconds = recorder_->total(EventKind::idle, recorded_from) / threads();
  }
  account(phase) += done;
}

#define INSTANTIATE(T) template class TriangularSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
