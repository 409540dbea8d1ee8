#pragma once
// Factors on rank 0 as the source of a distributed solver.

#include <memory>
#include <utility>

#include "trisweep/solve/factor_source.hpp"

namespace trisweep::solve {

// Every rank gets its pieces from rank 0. analysis() throws Error(usage) when rank 0 has no factorization.
template <Scalar S>
class RootFactors final : public FactorSource<S> {
 public:
  // `made`: on rank 0; elsewhere ignored. Allocates nothing, so that it may be constructed outside of any
  // agreement on errors.
  explicit RootFactors(std::shared_ptr<const Factorization<S>> made) noexcept : made_(std::move(made)) {}

  std::shared_ptr<const Analysis> analysis(const mpi::Communicator& comm) override;
  engine::PieceValues<S> panels(const mpi::Communicator& comm, const distribution::Distribution& distribution,
                                const distribution::LocalBlocks& local_blocks) override;
  double scaled_norm_one(const mpi::Communicator& comm) override;
  std::shared_ptr<const void> analysis_key(const mpi::Communicator& comm) const override;
  bool holds_matrix() const override { return true; }
  void describe(FactorReport& report) const override;

 private:
  std::shared_ptr<const Factorization<S>> made_;  // read on rank 0 only
};

template <Scalar S>
std::shared_ptr<FactorSource<S>> root_factors(std::shared_ptr<const Factorization<S>> factorization) {
  return std::make_shared<RootFactors<S>>(std::move(factorization));
}

}  // namespace trisweep::solve
