#include "trisweep/solve/triangular_solver.hpp"

#include <algorithm>
#include <chrono>

#include "trisweep/plan/make_plan.hpp"
#include "trisweep/solve/broadcast.hpp"

namespace trisweep::solve {
namespace {

Index largest_extent(const distribution::Share& share) {
  Index rows = 0;
  for (const auto* side : {&share.lower, &share.upper}) {
    for (Index p = 0; p < side->pieces(); ++p) rows = std::max(rows, side->height(p));
  }
  for (Index s = 0; s < share.segments(); ++s) rows = std::max(rows, share.width(s));
  return rows;
}

}  // namespace

template <Scalar T>
TriangularSolver<T>::TriangularSolver(MPI_Comm comm, std::shared_ptr<const Factorization<T>> factorization,
                                      const SolverOptions& options)
    : comm_(comm),
      options_(options),
      analysis_(
          (transport::collectively(comm_, [&] { distribution::check_grid(options.grid, comm_.size()); }),
           broadcast_analysis(comm_, factorization ? factorization->analysis.get() : nullptr))),
      scaled_norm_one_(factorization ? factorization->scaled_norm_one : 0),
      partition_(even_partition(structure().n, comm_.size())),
      mapping_(distribution::block_cyclic(structure(), options.grid)),
      share_(transport::collectively(
          comm_, [&] { return distribution::make_share(structure(), *mapping_, comm_.rank()); })),
      panels_(PanelStore<T>::distribute(comm_, structure(), *mapping_, share_,
                                        factorization ? factorization->factors : nullptr)),
      executor_(share_, panels_),
      scratch_rows_(largest_extent(share_)) {
  comm_.broadcast(scaled_norm_one_);
  const auto& order = analysis_.ordering;
  transport::collectively(comm_, [&] {
    rows_.emplace(comm_, structure(), *mapping_, share_, partition_, order.row_new, order.row_scale);
    columns_.emplace(comm_, structure(), *mapping_, share_, partition_, order.col_new, order.col_scale);
  });
}

template <Scalar T>
void TriangularSolver<T>::make_plan(Op op) {
  const plan::PlanSpec spec{.op = op,
                            .upper_is_lower = analysis_.kind == numeric::Kind::cholesky,
                            .tree = options_.tree,
                            .inter_grid = options_.inter_grid};
  const auto phases = options_.schedule(structure(), *mapping_, share_.layer, spec);
  const plan::Plan& plan =
      plans_.emplace(op, plan::make_plan(structure(), *mapping_, share_, phases)).first->second;
  Index sweeps = 0;
  std::size_t most_sends = 0;
  for (const auto& phase : plan.phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) {
      ++sweeps;
      executor_.reserve(*sweep);
      most_sends = std::max(most_sends, usize(sweep->sends.broadcast + sweep->sends.reduction));
    } else if (const auto* exchange = std::get_if<plan::ExchangePhase>(&phase)) {
      for (const auto& step : exchange->step) exchange_rows_ = std::max(exchange_rows_, step.rows);
    }
  }
  if (!transport_) transport_.emplace(comm_.handle(), sweeps, structure().supernodes());
  transport_->reserve(most_sends);
}

template <Scalar T>
void TriangularSolver<T>::prepare(Op op, Index nrhs) {
  if (!plans_.contains(op)) make_plan(op);
  const auto grow = [&](Buffer<T>& buffer, Offset rows, const char* what) {
    const std::size_t size = usize(rows) * usize(nrhs);
    if (buffer.size() < size) buffer = Buffer<T>(size, what);
  };
  grow(work_, share_.work_rows(), "the right-hand sides");
  grow(scratch_, scratch_rows_, "the right-hand sides");
  grow(exchange_buffer_, exchange_rows_, "the right-hand sides");
  rows_->reserve(nrhs);
  columns_->reserve(nrhs);
}

template <Scalar T>
void TriangularSolver<T>::solve(Op op, Columns<const T> b, Columns<T> x, bool scaled) {
  const auto start = std::chrono::steady_clock::now();
  prepare(op, b.nrhs);
  const kernels::Work<T> work{.row = work_.data(), .scratch = scratch_.data(), .nrhs = b.nrhs};
  // Segments whose right-hand side enters in another layer start at zero (SC'23 Algorithm 1, line 8).
  if (mapping_->layers() > 1) std::fill_n(work.row, usize(share_.work_rows()) * usize(b.nrhs), T{});
  // P A Q = L D U: b is permuted like A's rows and x like its columns; for A^T and A^H the other way round.
  auto& from = op == Op::none ? *rows_ : *columns_;
  auto& to = op == Op::none ? *columns_ : *rows_;
  from.load(comm_, b, work, scaled);
  run(plans_.at(op), work);
  to.store(comm_, x, work, scaled);
  transport_->close_solve();
  last_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <Scalar T>
void TriangularSolver<T>::run(const plan::Plan& plan, const kernels::Work<T>& work) {
  last_ = {};
  Index channel = 0;
  for (const plan::Phase& phase : plan.phase) {
    if (const auto* sweep = std::get_if<plan::SweepPhase>(&phase)) {
      Activity& account = sweep->direction == plan::Direction::scatter ? last_.l : last_.u;
      account += executor_.run(*sweep, channel++, work, *transport_);
    } else if (const auto* exchange = std::get_if<plan::ExchangePhase>(&phase)) {
      last_.inter_grid += executor_.run(*exchange, work, comm_, exchange_buffer_.span());
    } else {
      last_.diagonal += executor_.run(std::get<plan::DiagonalPhase>(phase), work);
    }
  }
}

#define INSTANTIATE(T) template class TriangularSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
