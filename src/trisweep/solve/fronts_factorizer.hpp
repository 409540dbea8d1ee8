#pragma once
// Our factorization by all ranks: multifrontal, with the kinds, pivoting and delayed pivots of a single
// rank's. Whole subtrees of fronts are on one rank; each front above them is shared by the ranks of its
// subtree or, if pivots have to be delayed in a shared front, factored by one of these ranks.

#include <memory>
#include <optional>
#include <utility>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/fronts_of_ranks.hpp"
#include "trisweep/solve/linear_system.hpp"

namespace trisweep::solve {

// New values may delay further pivots. The next factorization starts from the resulting structure while the
// bytes of the factors do not exceed this multiple of the first ones.
inline constexpr double most_growth = 1.25;

// The result of a factorization. The same on all ranks, except the source.
template <Scalar F>
struct FrontFactors {
  std::shared_ptr<FactorSource<F>> source{};  // this rank's panels, and the structure of all
  Index perturbed_pivots = 0;
  std::size_t bytes = 0;  // of the factors
  double seconds = 0;
};

// Factors systems of one pattern repeatedly, with F the precision of the factors and T that of the matrix.
// Collective.
template <Scalar F, Scalar T>
class FrontsFactorizer {
 public:
  // Sets the analysis of the next factorizations: rank 0's (elsewhere ignored), broadcast if it is new.
  void begin(const mpi::Communicator& comm, const std::shared_ptr<const Analysis>& analysis);
  // The analysis that was set; null: none yet.
  const std::shared_ptr<const Analysis>& analysis() const { return analysis_; }

  // Before: each rank has its rows of A in `partition`, with the columns of the whole matrix. After: the
  // panels of its fronts. Pivots that the last values delayed are eliminated where they were then. Returns
  // nullopt on all ranks if the kind of the analysis does not suit the values: they are not symmetric, or not
  // definite. Errors are thrown on every rank.
  std::optional<FrontFactors<F>> factor(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                        const distribution::RowPartition& partition,
                                        const numeric::FactorizationOptions& options, Observer& observer);

 private:
  struct Values;
  std::optional<Values> take_entries(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                     const distribution::RowPartition& partition);
  void start_from(const mpi::Communicator& comm, const std::shared_ptr<const Analysis>& analysis,
                  bool shares_fronts);
  std::optional<FrontFactors<F>> factor_with(const std::shared_ptr<const Analysis>& analysis,
                                             const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                             const distribution::RowPartition& partition,
                                             const numeric::FactorizationOptions& options,
                                             Observer& observer);
  std::optional<FrontFactors<F>> try_factor(const mpi::Communicator& comm, const matrix::Csr<T>& rows,
                                            const distribution::RowPartition& partition,
                                            const numeric::FactorizationOptions& options, Observer& observer);

  std::shared_ptr<const Analysis> analysis_;
  std::shared_ptr<const Analysis>
      last_;  // of the last factors, with pivots delayed; null: none, or pivots were perturbed
  std::shared_ptr<const Analysis> current_;  // one of these two, to which the members below belong
  bool shares_fronts_ = true;                // false: a shared front had to delay pivots
  distribution::FrontOwners owners_;
  bool are_shared_ = false;                // `owners_` has shared fronts
  std::optional<numeric::Fronts> fronts_;  // this rank's
  std::size_t first_bytes_ = 0;            // of the factors from `analysis_`
};

// Factors a system once, by all ranks. `begun`: its analysis on rank 0; if null, or if its kind fails,
// analyze(failed), which is collective, returns one on rank 0, after `failed` kinds have failed.
// `options`: with the maximum number of threads of a rank. Collective.
template <Scalar F, Scalar T, class Analyze>
FrontFactors<F> factor_once(const mpi::Communicator& comm, const LinearSystem<T>& system,
                            std::shared_ptr<const Analysis> begun, const Analyze& analyze,
                            numeric::FactorizationOptions options, Observer& observer) {
  FrontsFactorizer<F, T> fronts;
  const auto rows = mpi::agree_on_error(comm, [&] { return system.template rows_in<T>(); });
  const int most_threads = options.threads;
  for (int failed = 0;; ++failed) {
    char has_begun = begun != nullptr;
    comm.broadcast(has_begun);
    if (has_begun == 0) begun = analyze(failed);
    fronts.begin(comm, std::exchange(begun, nullptr));
    const Analysis& analysis = *fronts.analysis();
    options.threads = numeric::useful_threads(*analysis.structure, analysis.kind, most_threads);
    if (auto made = fronts.factor(comm, rows, system.matrix().partition(), options, observer))
      return *std::move(made);
  }
}

}  // namespace trisweep::solve
