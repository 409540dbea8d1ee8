#pragma once
// Factorization front by front, of all fronts or of those of one process. Subtrees that belong entirely to
// the process are factored by its threads; the fronts above them one after another, each from its children's
// contributions, whichever process made these.

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/numeric/front_worker.hpp"

namespace trisweep::numeric {

// The contribution that a front passes to its parent in another process.
template <Scalar T>
struct FrontContribution {
  Contribution<T> block;
  Offset redone_entries = 0;  // FrontResult::redone_entries
};

template <Scalar T>
class FrontFactorization {
 public:
  // `fronts` and `values` must outlive this object. `own`: by front, whether it belongs to this process
  // (empty: all do). The supernodes of these fronts must be among the OwnFronts::panels of make_fronts().
  FrontFactorization(const Fronts& fronts, const MatrixValues<T>& values, const FactorizationOptions& options,
                     Observer& observer, PanelSink<T>* sink = nullptr, std::span<const char> own = {});
  FrontFactorization(const FrontFactorization&) = delete;
  FrontFactorization& operator=(const FrontFactorization&) = delete;

  // Factors the subtrees that belong entirely to this process; to be called once, and first. Like
  // factor_front(), returns false where factor() returns nullopt.
  bool factor_subtrees();
  // Factors another front of this process. Its children have been factored here or put().
  bool factor_front(Index f);

  // Takes the contribution of a factored front, for its parent; once per front.
  FrontContribution<T> take(Index f);
  // Sets the contribution of a child of one of this process's fronts.
  void put(Index f, FrontContribution<T> contribution);

  bool has_delayed(Index f) const { return job_.result[usize(f)].has_delayed(); }

  // The next four functions are for fronts that several processes eliminate together.
  const FrontJob<T>& job() const { return job_; }
  // The panel in the factors, with undefined entries, of a supernode of this process whose columns begin at
  // `start` in its front.
  Panel<T> panel(Index supernode, Index start);
  // Stores a panel whose entries are final.
  void finish(const Panel<T>& panel);
  void count(Index f, Index perturbed, const PivotSummary& pivots);

  // When all fronts are factored: takes those in which pivots were moved to other supernodes.
  RedoneFronts<T> take_redone();
  // Returns the factors, with the redone fronts of all processes inserted; those of other processes have no
  // values.
  Factors<T> finish(RedoneFronts<T> redone);

 private:
  const Fronts& fronts_;
  Observer& observer_;
  std::vector<Unit> units_;
  Factors<T> factors_;
  FactorProgress progress_;
  FrontJob<T> job_;
  std::vector<std::unique_ptr<FrontWorker<T>>> workers_;
  std::deque<Contribution<T>> put_;
  FrontPanels<T> panels_;  // of fronts that several processes share
  Index perturbed_ = 0;    // likewise
  std::vector<FrontPivots> pivots_;
};

}  // namespace trisweep::numeric
