#pragma once
// Analyzes, plans and factors a system on rank 0, which has the whole matrix, attempt after attempt: with the
// ordering, structure and plan of the attempt before where that is to be.

#include <memory>

#include "trisweep/solve/attempt.hpp"
#include "trisweep/solve/linear_system.hpp"
#include "trisweep/solve/planning.hpp"

namespace trisweep::solve {

// On rank 0; the others have neither.
template <Scalar F, Scalar T>
struct MadeFactors {
  std::shared_ptr<const Factorization<F>> factorization;
  std::shared_ptr<const MadeTiles<T>> tiles;  // null: the factorization has its panels
};

template <Scalar T>
class Factorizer {
 public:
  // All of these outlive it. Collective.
  Factorizer(const mpi::Communicator& comm, const LinearSystem<T>& system, const SolverOptions& options)
      : comm_(comm), system_(system), options_(options), ranks_of_node_(mpi::ranks_of_first_node(comm)) {}

  // These are for rank 0 alone. Leaves out the attempt's compression where it is automatic and would not pay.
  template <Scalar F>
  MadeFactors<F, T> factor(const matrix::Csr<T>& a, Attempt& attempt, Report& report);
  // The same factors with their panels, which the last attempt has made tiles of.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> with_panels(const matrix::Csr<T>& a, const Attempt& attempt) const;

 private:
  template <Scalar F>
  MadeFactors<F, T> factor_as_before(const matrix::Csr<T>& a, Attempt& attempt, Report& report);
  template <Scalar F>
  MadeFactors<F, T> try_factor(const matrix::Csr<T>& a, const std::shared_ptr<const Analysis>& analysis,
                               Attempt& attempt, FactorReport& report);
  template <Scalar F>
  PlanRequest plan_request(const Attempt& attempt) const;
  numeric::FactorizationOptions numeric_options(const Attempt& attempt) const;
  Compression compression_at_once(const Attempt& attempt) const;

  const mpi::Communicator& comm_;
  const LinearSystem<T>& system_;
  const SolverOptions& options_;
  Index ranks_of_node_;
  std::shared_ptr<const Analysis> analysis_;  // as it was planned, before pivots are delayed
  std::shared_ptr<const Analysis> factored_;  // of the last factors, with pivots delayed
  std::size_t first_bytes_ = 0;               // of the factors that came of the analysis as it was planned
};

}  // namespace trisweep::solve
