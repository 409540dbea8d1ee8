#pragma once
// Our factorization by all ranks: the multifrontal one of a single rank with its kinds, its pivoting and its
// delayed pivots. Whole subtrees of fronts are on one rank, and each front above them is shared by the ranks
// below it, unless pivots have to be delayed there: then each is on one of these.

#include <memory>
#include <optional>
#include <utility>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/solve/dissecting_ranks.hpp"
#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/fronts_of_ranks.hpp"

namespace trisweep::solve {

// New values may delay further pivots. As long as the factors have at most that many times the bytes of the
// first ones, these are where the next values begin.
inline constexpr double most_growth = 1.25;

// What has come of a factorization. The same on all ranks, but for the source.
template <Scalar F>
struct FrontFactors {
  std::shared_ptr<FactorSource<F>> source{};  // this rank's panels, and what all ranks know of the others'
  Index perturbed_pivots = 0;
  std::size_t bytes = 0;  // of the factors
  double seconds = 0;
};

// Factors systems of one pattern again and again, with F the precision of the factors and T that of the
// matrix. Collective.
template <Scalar F, Scalar T>
class FrontsFactorizer {
 public:
  // What the next factorizations begin with: rank 0's, of which the others get a copy (theirs is ignored),
  // once.
  void begin(const mpi::Communicator& comm, const std::shared_ptr<const Analysis>& analysis);
  // Null: none yet.
  const std::shared_ptr<const Analysis>& analysis() const { return analysis_; }

  // Before: each rank has its rows of A, those of `partition`, with the columns of the whole matrix. After:
  // the panels of its fronts. Pivots that the last values delayed are planned where they were eliminated.
  // Nothing, on all ranks, where the kind of the analysis does not suit the values: they are not symmetric,
  // or not definite. Throws on every rank.
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
      last_;  // of the last factors, with pivots delayed; null: none, or perturbed
  std::shared_ptr<const Analysis> current_;  // one of these two: what the rest is of
  bool shares_fronts_ = true;                // as far as the last factorizations tell
  distribution::FrontOwners owners_;
  bool are_shared_ = false;                // fronts of `owners_`
  std::optional<numeric::Fronts> fronts_;  // this rank's
  std::size_t first_bytes_ = 0;            // of the factors that came of the analysis as it was given
};

// Factors a system once, by all ranks. `begun`: rank 0's analysis for it; null there: analyze(a, failed,
// helpers) makes one of the gathered matrix, after so many of other kinds have failed, as the given one may.
// `options`: with the most threads of a rank. Collective.
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
    if (has_begun == 0)
      gather_to_order(comm, system, [&](const matrix::Csr<T>& a, ordering::Helpers& helpers) {
        begun = analyze(a, failed, helpers);
      });
    fronts.begin(comm, std::exchange(begun, nullptr));
    const Analysis& analysis = *fronts.analysis();
    options.threads = numeric::useful_threads(*analysis.structure, analysis.kind, most_threads);
    if (auto made = fronts.factor(comm, rows, system.matrix().partition(), options, observer))
      return *std::move(made);
  }
}

}  // namespace trisweep::solve
