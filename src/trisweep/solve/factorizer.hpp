#pragma once
// Analyzes, plans and factors a system, attempt after attempt: with the ordering, structure and plan of the
// attempt before where that is to be.

#include <memory>
#include <tuple>

#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/attempt.hpp"
#include "trisweep/solve/factor_engine.hpp"
#include "trisweep/solve/fronts_factorizer.hpp"
#include "trisweep/solve/given_factors.hpp"
#include "trisweep/solve/linear_system.hpp"
#include "trisweep/solve/planning.hpp"

namespace trisweep::solve {

// On rank 0; the others have neither.
template <Scalar F, Scalar T>
struct MadeFactors {
  std::shared_ptr<const Factorization<F>> factorization;
  std::shared_ptr<const MadeTiles<T>> tiles;  // null: the factorization has its panels
};

// One for factors in the precision of a matrix in T, one for those of lower precision.
template <Scalar T, class Full, class Low>
struct InPrecisions {
  Full in_full{};
  Low in_single{};

  template <Scalar F>
  auto& in() {
    if constexpr (std::same_as<F, T>) {
      return in_full;
    } else {
      return in_single;
    }
  }
};

template <Scalar T>
class Factorizer {
 public:
  // All of these outlive it. Collective. `given`: the first factors, of the caller's matrix, unless it is
  // empty.
  Factorizer(const mpi::Communicator& comm, const LinearSystem<T>& system, const SolverOptions& options,
             FactorSources<T> given = {})
      : comm_(comm),
        system_(system),
        options_(options),
        ranks_of_node_(mpi::ranks_of_first_node(comm)),
        given_(std::move(given)) {}

  // Of each rank.
  int processors() const { return mpi::processors_of_each(ranks_of_node_); }

  // Whether the next factors are those that were given.
  bool is_given() const { return given_.in_full || given_.in_single; }
  // These. They are what they are: only the plan is chosen. Collective.
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> take_given(const Attempt& attempt, const model::ProductShare& product,
                                              Report& report);

  // Whether the factors of an attempt are another library's (SolverOptions::factorization).
  bool is_of_engine(const Attempt& attempt) const {
    return options_.factorization && attempt.pivoting == Pivoting::standard;
  }
  // These; the plan of the last ones stays where their analysis does. Collective.
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> factor_by_engine(const Attempt& attempt,
                                                    const model::ProductShare& product, Report& report);

  // Ours on several ranks: rank 0 analyzes and plans, and all factor. Leaves out the attempt's compression
  // where it is automatic and would not pay, on rank 0. Collective.
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> factor_on_all_ranks(Attempt& attempt, Report& report);

  // The last factors once more, by all ranks, as those of the caller's matrix: for another solver to begin
  // with, and for files. Collective.
  FactorSources<T> to_give(const Attempt& attempt, const Report& report) const;

  // The next factors begin with the analysis of before conservative pivoting took another, if there is one.
  void return_to_standard(Report& report);

  // The rest is for rank 0 alone.
  // The analysis and plan for the likely kind of factorization, in the precision F; or where so many kinds
  // have failed, for another. `helpers`: who dissects, too.
  template <Scalar F>
  PlannedSystem analyze(const matrix::Csr<T>& a, const Attempt& attempt, int failed = 0,
                        ordering::Helpers* helpers = nullptr) const;
  // What the next factorization begins with; of the same pattern.
  void adopt(PlannedSystem planned, Report& report);
  // On a rank that is alone. Leaves out the attempt's compression as factor_on_all_ranks().
  template <Scalar F>
  MadeFactors<F, T> factor(const matrix::Csr<T>& a, Attempt& attempt, Report& report);
  // The same factors with their panels, which the last attempt has made tiles of. `pivot_threshold`: as
  // numeric::FactorizationOptions has it.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> with_panels(const matrix::Csr<T>& a, const Attempt& attempt,
                                                      double pivot_threshold = 0) const;

 private:
  void begin(const Attempt& attempt, const Report& report);
  // Not one that other values have led to, which did not suit the kind that is asked for.
  bool has_analysis_for(const Attempt& attempt) const {
    return analysis_ && (attempt.pivoting == Pivoting::conservative ||
                         numeric::is_of_choice(analysis_->kind, options_.kind));
  }
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> once_more(const Attempt& attempt) const;
  template <Scalar F>
  void plan_for(std::shared_ptr<FactorSource<F>> source, const std::string& diagonal, const Attempt& attempt,
                const model::ProductShare& product, Report& report);
  template <Scalar F>
  void settle_compression(Attempt& attempt) const;
  template <Scalar F>
  MadeFactors<F, T> factor_as_before(const matrix::Csr<T>& a, Attempt& attempt, Report& report);
  template <Scalar F>
  MadeFactors<F, T> try_factor(const matrix::Csr<T>& a, const std::shared_ptr<const Analysis>& analysis,
                               Attempt& attempt, FactorReport& report);
  template <Scalar F>
  void describe_factors(const Analysis& analysis, const FactorSource<F>& source, FactorReport& report);
  template <Scalar F>
  PlanRequest plan_request(const Attempt& attempt) const;
  numeric::FactorizationOptions numeric_options(int threads, const Attempt& attempt) const;
  int threads_for(const Analysis& analysis) const;
  Compression compression_at_once(const Attempt& attempt) const;

  const mpi::Communicator& comm_;
  const LinearSystem<T>& system_;
  const SolverOptions& options_;
  Index ranks_of_node_;
  FactorSources<T> given_;
  // What makes factors in the two precisions.
  InPrecisions<T, FactorEngine::Made<T>, FactorEngine::Made<Single<T>>> engine_;    // null until asked for
  InPrecisions<T, FrontsFactorizer<T, T>, FrontsFactorizer<Single<T>, T>> fronts_;  // by all ranks
  std::shared_ptr<const void> planned_key_;   // of the analysis that the plan is for, of sources
  std::shared_ptr<const Analysis> analysis_;  // as it was planned, before pivots are delayed
  std::optional<PlannedSystem> standard_;     // aside, while that is of conservative pivoting
  bool is_adopted_ = false;                   // since the last factors were begun
  // Of the last factors of one rank, with pivots delayed; null: pivots were perturbed even so.
  std::shared_ptr<const Analysis> factored_;
  // That the last factors were begun with: one of these two; null: they were given.
  std::shared_ptr<const Analysis> begun_;
  // The last structure whose factors were described, in which kind and with how many bytes for a value.
  std::tuple<std::shared_ptr<const symbolic::Structure>, numeric::Kind, std::size_t> estimated_;
  numeric::Estimates estimate_;
  std::size_t first_bytes_ = 0;  // of the factors that came of the analysis as it was planned
};

}  // namespace trisweep::solve
