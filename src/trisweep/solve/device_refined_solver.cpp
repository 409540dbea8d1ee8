#include "trisweep/solve/device_refined_solver.hpp"

#include <utility>
#include <vector>

namespace trisweep::solve {
namespace {

// The exchange that copies the caller's rows to the column numbering of this rank's rows of A: its own rows,
// then the halo.
template <Scalar T>
plan::VectorPhase columns_of(const krylov::DistributedMatrix<T>& rows) {
  plan::VectorPhase phase{.way = plan::VectorWay::in};
  for (Index i = 0; i < rows.local_rows(); ++i) {
    phase.caller.push_back(i);
    phase.work.emplace_back(i);
  }
  for (const auto& n : rows.halo().neighbours()) {
    if (!n.owned.empty()) phase.sent.push_back({plan::RankId(n.rank), n.owned});
    if (n.ghost_begin == n.ghost_end) continue;
    auto& ghosts = phase.received.emplace_back(plan::VectorMessage{plan::RankId(n.rank), {}}).row;
    for (Index g = n.ghost_begin; g < n.ghost_end; ++g) ghosts.push_back(rows.local_rows() + g);
  }
  return phase;
}

}  // namespace

template <Scalar T>
void DeviceRefinedSolver<T>::prepare(Op op, Index nrhs) {
  if (const auto found = prepared_.find(op); found != prepared_.end() && found->second.nrhs >= nrhs) return;
  const bool transposes = op != Op::none;
  if (transposes && !transposed_) {
    matrix::Csr<T> room, turned;
    const matrix::Csr<T>& whole = a_.whole(room);
    mpi::agree_on_error(a_.comm(), [&] {
      if (a_.comm().rank() == 0) turned = matrix::transpose(whole);
    });
    transposed_.emplace(a_.comm(), a_.comm().rank() == 0 ? &turned : nullptr, a_.partition());
  }
  const krylov::DistributedMatrix<T>& rows = transposes ? *transposed_ : a_;
  const auto columns = mpi::agree_on_error(a_.comm(), [&] { return columns_of(rows); });
  auto made = solver_.refinement(op, residuals_.measuring(op, rows.local()), columns, nrhs);
  auto entry = mpi::agree_on_error(a_.comm(), [&] {
    std::map<Op, Prepared> one;
    one.emplace(op, Prepared{std::move(made), nrhs});
    return one;
  });
  prepared_.erase(op);
  prepared_.merge(entry);  // allocates nothing, so it cannot fail on some ranks only
}

template <Scalar T>
CorrectedColumns DeviceRefinedSolver<T>::solve(Op op, Vectors<const T> b, Vectors<T> x,
                                               const RefinementLimits& limits, void* stream) {
  engine::Refinement<T>& device = *prepared_.at(op).refinement;
  const auto errors = [&](const auto& measure) {
    std::vector<ColumnError> of;
    of.reserve(usize(b.cols));
    for (const engine::ResidualNorms& n : measure()) of.push_back(residuals_.error(op, {n}));
    return of;
  };
  CorrectedColumns columns(errors([&] { return device.start(b, stream); }), true);
  const CorrectionStep step{.correct = [&] { return errors([&] { return device.correct(); }); },
                            .take = [&](std::span<const Index> taken) { device.take(taken); },
                            .measure = [&] { device.measure(); }};
  columns.correct_by_factors(step, limits);
  device.read(x);
  return columns;
}

#define INSTANTIATE(T) template class DeviceRefinedSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
