#pragma once
// One factorization front by front, of all fronts or of those of one process among others: subtrees that a
// process has whole by its threads, the fronts above them one after the other, each with the contributions of
// its children, wherever these were made.

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/numeric/front_worker.hpp"

namespace trisweep::numeric {

// What a front hands to its parent in another process.
template <Scalar T>
struct FrontContribution {
  Contribution<T> block;
  Offset redone_entries = 0;  // FrontResult::redone_entries
};

template <Scalar T>
class FrontFactorization {
 public:
  // `fronts` and `values` outlive it. `own`: by front, whether it is one of this process's (empty: all are);
  // their supernodes are those that the fronts were made with.
  FrontFactorization(const Fronts& fronts, const MatrixValues<T>& values, const FactorizationOptions& options,
                     Observer& observer, PanelSink<T>* sink = nullptr, std::span<const char> own = {});
  FrontFactorization(const FrontFactorization&) = delete;
  FrontFactorization& operator=(const FrontFactorization&) = delete;

  // First, and once: the subtrees that are whole. False where factor() returns nullopt, of this and the next.
  bool factor_subtrees();
  // One of this process's other fronts, whose children are done or put.
  bool factor_front(Index f);

  // Of a front that is done, for its parent: once.
  FrontContribution<T> take(Index f);
  // Of a child of one of this process's fronts.
  void put(Index f, FrontContribution<T> contribution);

  bool has_delayed(Index f) const { return job_.result[usize(f)].has_delayed(); }

  // For fronts that several processes eliminate together. What they are made of:
  const FrontJob<T>& job() const { return job_; }
  // A supernode of this process, whose columns begin there in its front: its panel in the factors, undefined.
  Panel<T> panel(Index supernode, Index start);
  // It is final.
  void finish(const Panel<T>& panel);
  void count(Index f, Index perturbed, const PivotSummary& pivots);

  // When all of them are done: the fronts whose pivots came to other places.
  RedoneFronts<T> take_redone();
  // With those of all processes in their places, of others without values.
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
  FrontPanels<T> panels_;  // of fronts of several processes
  Index perturbed_ = 0;    // likewise
  std::vector<FrontPivots> pivots_;
};

}  // namespace trisweep::numeric
