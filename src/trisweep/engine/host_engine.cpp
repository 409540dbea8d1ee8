#include "trisweep/engine/host_engine.hpp"

#include <algorithm>

#include "trisweep/core/clock.hpp"
#include "trisweep/engine/communication_pattern.hpp"
#include "trisweep/mpi/agreement.hpp"

namespace trisweep::engine {

template <Scalar T>
HostEngine<T>::HostEngine(const RankSystem<T>& system, const EngineOptions& options)
    : system_(system),
      options_(options),
      executor_(system.local_blocks,
                distribution::piece_positions(*system.distribution.structure, system.local_blocks),
                system.panels, system.pool),
      scales_(system.ordering, system.partition, system.comm.rank()) {}

template <Scalar T>
HostEngine<T>::~HostEngine() {
  if (!system_.comm.revoked()) return;
  work_.release();
  executor_.release();
}

template <Scalar T>
Index HostEngine<T>::room(const plan::Plan& plan) const {
  const Prepared* const found = prepared_.find(plan);
  return found == nullptr ? 0 : found->nrhs;
}

template <Scalar T>
void HostEngine<T>::prepare(const plan::Plan& plan, Index nrhs) {
  mpi::CommunicationPattern pattern;
  mpi::agree_on_error(system_.comm, [&] {
    Prepared& prepared = prepared_.of(plan);
    if (prepared.shapes.empty()) prepared.shapes = executor_.tiny_shapes(plan);
    const std::size_t size =
        (usize(system_.local_blocks.work_rows()) + usize(plan::extra_rows(plan))) * usize(nrhs);
    if (work_.size() < size) work_ = Buffer<T>(size, "the right-hand sides");
    executor_.reserve(plan, nrhs);
    pattern = pattern_of(plan, usize(nrhs) * sizeof(T));
  });
  mpi::require_matching(system_.comm, pattern);
  Prepared& prepared = *prepared_.find(plan);
  prepared.transport = options_.transport(system_.comm, pattern);
  prepared.nrhs = nrhs;
}

template <Scalar T>
SolveProfile HostEngine<T>::run(const plan::Plan& plan, const CallersVectors<T>& vectors) {
  const Prepared& prepared = *prepared_.find(plan);
  mpi::Watchdog watchdog(options_.watchdog, &system_.comm);
  const Run<T> run{.work = {.row = work_.data(), .scratch = executor_.scratch(), .nrhs = vectors.columns()},
                   .transport = *prepared.transport,
                   .watchdog = watchdog,
                   .recorder = recorder_,
                   .shapes = prepared.shapes,
                   .vectors = scales_.scaled(plan.op, vectors)};
  // Segments whose right-hand side enters in another layer start at zero (SC'23 Algorithm 1, line 8).
  if (system_.distribution.mapping->layers() > 1)
    std::fill_n(run.work.row, usize(system_.local_blocks.work_rows()) * usize(run.work.nrhs), T{});
  SolveProfile done;
  Index channel = 0;
  for (const plan::Phase& phase : plan.phase) {
    const auto start = Clock::now();
    const double recorded_from = recorder_ == nullptr ? 0 : recorder_->now();
    PhaseProfile of_phase =
        std::visit([&](const auto& p) { return executor_.run(p, channel++, run); }, phase);
    of_phase.seconds = seconds_since(start);
    if (recorder_ != nullptr) record(of_phase, recorded_from);
    done.of(plan::part_of(phase)) += of_phase;
  }
  prepared.transport->close_solve(watchdog);
  return done;
}

template <Scalar T>
void HostEngine<T>::record(PhaseProfile& done, double recorded_from) const {
  done.floating_point_seconds = recorder_->total(TraceKind::products, recorded_from) / system_.pool.size();
  done.idle_seconds = recorder_->total(TraceKind::idle, recorded_from) / system_.pool.size();
}

#define INSTANTIATE(T) template class HostEngine<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::engine
