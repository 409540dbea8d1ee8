#pragma once
// Factors a linear system as a whole, or its diagonal blocks, if it has a profitable block triangular form.

#include <memory>

#include "trisweep/solve/block_triangular_system.hpp"
#include "trisweep/solve/explicit_factors.hpp"
#include "trisweep/solve/factorizer.hpp"

namespace trisweep::solve {

// Collective, except functions that only return a member.
template <Scalar T>
class SystemFactorizer {
 public:
  // `comm`, `system`, `options` and `report` must outlive it. `given`: the first factors, unless empty;
  // `analyzed`: on rank 0 an analysis of the whole matrix, or null. With either, the whole matrix is
  // factored.
  SystemFactorizer(const mpi::Communicator& comm, const LinearSystem<T>& system, const SolverOptions& options,
                   Report& report, FactorSources<T> given, const PlannedSystem* analyzed);

  // Takes over new values of the system. Returns false, and changes nothing, if another SystemFactorizer is
  // needed: for values without this block triangular form, or to use an analysis of the whole matrix.
  bool follow(const PlannedSystem* analyzed);
  // Restores the analysis of standard pivoting for the next factors.
  void return_to_standard() { whole_or_blocks_.return_to_standard(report_); }

  bool is_of_engine(const Attempt& attempt) const { return whole_or_blocks_.is_of_engine(attempt); }
  // Factorizer::factor(), with the report shared by all ranks.
  template <Scalar F>
  AttemptFactors<F, T> factor(Attempt& attempt);
  // The factors of the last attempt with panels, after it made tiles of them.
  template <Scalar F>
  AttemptFactors<F, T> with_panels(const Attempt& attempt) const;

  // The off-diagonal blocks, which are not factored; null if the factors are of the whole matrix.
  Coupling<T>* coupling() { return form_ ? &form_->coupling() : nullptr; }
  int processors() const { return whole_or_blocks_.processors(); }

  // Factor the whole matrix once more by the same plan: see Solver::explicit_factors(), factored_system().
  ExplicitFactors<T> explicit_factors(const Attempt& attempt) const;
  FactorSources<T> factors_to_give(const Attempt& attempt) const;

 private:
  std::unique_ptr<BlockTriangularSystem<T>> find_form(const FactorSources<T>& given,
                                                      const PlannedSystem* analyzed);
  const LinearSystem<T>& system_to_factor() const { return form_ ? form_->diagonal() : system_; }
  bool on_any_rank(bool here) const { return comm_.max(double(here)) > 0; }
  void share_report(Attempt& attempt);
  // Calls work(factorizer) with a Factorizer of the whole matrix.
  template <class Work>
  auto as_a_whole(const Work& work) const;

  const mpi::Communicator& comm_;
  const LinearSystem<T>& system_;
  const SolverOptions& options_;
  Report& report_;
  double form_seconds_ = 0;  // of the search for the form, until they are reported
  std::unique_ptr<BlockTriangularSystem<T>> form_;
  Factorizer<T> whole_or_blocks_;
  Offset analyses_ = 0;  // that the form is scaled for
};

}  // namespace trisweep::solve
