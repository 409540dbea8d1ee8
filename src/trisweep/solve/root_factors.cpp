#include "trisweep/solve/root_factors.hpp"

#include "trisweep/engine/panel_exchange.hpp"
#include "trisweep/solve/broadcast.hpp"
#include "trisweep/solve/report.hpp"

namespace trisweep::solve {

template <Scalar S>
std::shared_ptr<const Analysis> RootFactors<S>::analysis(const mpi::Communicator& comm) {
  mpi::agree_on_error(comm, [&] {
    if (comm.rank() == 0 && !(made_ && made_->analysis && made_->analysis->structure && made_->factors))
      throw Error(ErrorKind::usage, "rank 0 has no factorization to solve with",
                  "pass what factor() returned on rank 0");
  });
  return broadcast_analysis(comm, made_ ? made_->analysis : nullptr);
}

template <Scalar S>
engine::PieceValues<S> RootFactors<S>::panels(const mpi::Communicator& comm,
                                              const distribution::Distribution& distribution,
                                              const distribution::LocalBlocks& local_blocks) {
  numeric::Kind kind = comm.rank() == 0 ? made_->factors->kind : numeric::Kind{};
  comm.broadcast(kind);
  std::vector<Index> maker;  // rank 0 for each supernode of the factors, at most as many as after tiling
  const auto factors = mpi::agree_on_error(comm, [&]() -> std::shared_ptr<const numeric::Factors<S>> {
    maker.assign(usize(distribution.structure->supernodes()), 0);
    if (comm.rank() == 0 && made_->factors->bytes() == 0)
      throw Error(ErrorKind::usage, "the factorization has no panels", "factor without a sink for them");
    if (comm.rank() == 0) return made_->factors;
    return std::make_shared<const numeric::Factors<S>>(
        numeric::Factors<S>{.structure = distribution.structure, .kind = kind});
  });
  return engine::collected<S>(comm, distribution, local_blocks, factors, maker);
}

template <Scalar S>
double RootFactors<S>::scaled_norm_one(const mpi::Communicator& comm) {
  double norm = made_ ? made_->scaled_norm_one : 0;
  comm.broadcast(norm);
  return norm;
}

template <Scalar S>
std::shared_ptr<const void> RootFactors<S>::analysis_key(const mpi::Communicator& comm) const {
  return comm.rank() == 0 && made_ ? made_->analysis->structure : nullptr;
}

template <Scalar S>
void RootFactors<S>::describe(FactorReport& report) const {
  const numeric::Factors<S>& factors = *made_->factors;
  report.perturbed_pivots = factors.perturbed_pivots;
  report.delayed_pivots = factors.delayed_pivots;
  if (!numeric::has_upper(factors.kind)) report.pivots = factors.pivots;
}

#define INSTANTIATE(S) template class RootFactors<S>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
