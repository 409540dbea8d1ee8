#pragma once
// Analyzes, plans and factors a system for each attempt, if possible with the ordering, structure and plan of
// the previous attempt.

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

// The factors of an attempt.
template <Scalar F, Scalar T>
struct AttemptFactors {
  std::shared_ptr<FactorSource<F>> source{};
  std::shared_ptr<const MadeTiles<T>> tiles{};  // on a single rank; null: the source has panels
};

// One object for factors in the precision T of the matrix, one for factors in lower precision.
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
  // Collective. `comm`, `system` and `options` must outlive it. `given`: the first factors, of the caller's
  // matrix, unless empty.
  Factorizer(const mpi::Communicator& comm, const LinearSystem<T>& system, const SolverOptions& options,
             FactorSources<T> given = {})
      : comm_(comm),
        system_(system),
        options_(options),
        ranks_of_node_(mpi::ranks_of_first_node(comm)),
        given_(std::move(given)) {}

  // Number of processors of each rank.
  int processors() const { return mpi::processors_of_each(ranks_of_node_); }

  // True if the factors of an attempt are another library's (SolverOptions::factorization).
  bool is_of_engine(const Attempt& attempt) const {
    return options_.factorization && attempt.pivoting == Pivoting::standard;
  }

  // Returns the given factors, another library's, or ours: on several ranks, rank 0 analyzes and plans, and
  // all ranks factor. Clears the attempt's compression, on rank 0, if it is automatic and would not pay.
  // Collective.
  template <Scalar F>
  AttemptFactors<F, T> factor(Attempt& attempt, Report& report);

  // Factors once more by all ranks, and returns the factors of the caller's matrix, as input for another
  // solver or for files. Collective.
  FactorSources<T> to_give(const Attempt& attempt, const Report& report) const;

  // Returns on rank 0 analyze() by all ranks together, where that is asked for and possible, or of the
  // gathered matrix. Collective.
  template <Scalar F>
  PlannedSystem analyze_on_ranks(const Attempt& attempt, int failed = 0) const;

  // Restores for the next factors the analysis from before conservative pivoting, if there is one.
  void return_to_standard(Report& report);

  // The functions below are for rank 0 only.
  // Returns the analysis and plan for the likely kind of factorization in the precision F or, after `failed`
  // kinds have failed, for the next kind. `helpers`: ranks that help to dissect.
  template <Scalar F>
  PlannedSystem analyze(const matrix::Csr<T>& a, const Attempt& attempt, int failed = 0,
                        ordering::Helpers* helpers = nullptr) const;
  // Sets the analysis and plan of the next factorization, for the same pattern.
  void adopt(PlannedSystem planned, Report& report);
  // Number of analyses adopted so far.
  Offset analyses() const { return analyses_; }
  // Returns the factors of the last attempt with panels, of which it made tiles. `pivot_threshold`: see
  // numeric::FactorizationOptions.
  template <Scalar F>
  std::shared_ptr<const Factorization<F>> with_panels(const matrix::Csr<T>& a, const Attempt& attempt,
                                                      double pivot_threshold = 0) const;

 private:
  // The result of a factorization on a single rank.
  template <Scalar F>
  struct MadeFactors {
    std::shared_ptr<const Factorization<F>> factorization{};
    std::shared_ptr<const MadeTiles<T>> tiles{};  // null: the factorization has its panels
  };

  // Returns the given factors, and chooses only their plan.
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> take_given(const Attempt& attempt, Report& report);
  // Keeps the plan of the previous factors if the analysis is the same.
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> factor_by_engine(const Attempt& attempt, Report& report);
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> factor_on_all_ranks(Attempt& attempt, Report& report);
  template <Scalar F>
  MadeFactors<F> factor_alone(const matrix::Csr<T>& a, Attempt& attempt, Report& report);
  void begin(const Attempt& attempt, const Report& report);
  // False also for an analysis of another kind than asked for, which previous values required.
  bool has_analysis_for(const Attempt& attempt) const {
    return analysis_ && (attempt.pivoting == Pivoting::conservative ||
                         numeric::is_of_choice(analysis_->kind, options_.kind));
  }
  template <Scalar F>
  std::shared_ptr<FactorSource<F>> once_more(const Attempt& attempt) const;
  template <Scalar F>
  void plan_for(std::shared_ptr<FactorSource<F>> source, const std::string& diagonal, const Attempt& attempt,
                Report& report);
  template <Scalar F>
  void settle_compression(Attempt& attempt) const;
  template <Scalar F>
  MadeFactors<F> factor_as_before(const matrix::Csr<T>& a, Attempt& attempt, Report& report);
  template <Scalar F>
  MadeFactors<F> try_factor(const matrix::Csr<T>& a, const std::shared_ptr<const Analysis>& analysis,
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
  // Factorizers in the two precisions.
  InPrecisions<T, FactorEngine::Made<T>, FactorEngine::Made<Single<T>>> engine_;    // null until needed
  InPrecisions<T, FrontsFactorizer<T, T>, FrontsFactorizer<Single<T>, T>> fronts_;  // by all ranks
  Offset analyses_ = 0;
  std::shared_ptr<const void> planned_key_;   // analysis_key() of the factors that the plan is for
  std::shared_ptr<const Analysis> analysis_;  // as planned, before pivots are delayed
  std::optional<PlannedSystem> standard_;     // kept while `analysis_` is of conservative pivoting
  bool is_adopted_ = false;                   // adopt() was called since the last factorization began
  // Analysis of the last factors of one rank, with pivots delayed; null: pivots were perturbed all the same.
  std::shared_ptr<const Analysis> factored_;
  // Analysis that the last factorization started from, one of these two; null: factors were given.
  std::shared_ptr<const Analysis> begun_;
  // Structure, kind and bytes per value of the last estimate.
  std::tuple<std::shared_ptr<const symbolic::Structure>, numeric::Kind, std::size_t> estimated_;
  numeric::Estimates estimate_;
  std::size_t first_bytes_ = 0;  // of the factors from `analysis_`
};

}  // namespace trisweep::solve
