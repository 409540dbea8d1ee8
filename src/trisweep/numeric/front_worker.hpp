#pragma once
// Processing of fronts, one after another, by one thread of a factorization.

#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/contribution_stack.hpp"
#include "trisweep/numeric/elimination.hpp"
#include "trisweep/numeric/front_panels.hpp"
#include "trisweep/numeric/fronts.hpp"
#include "trisweep/numeric/redone_front.hpp"
#include "trisweep/numeric/reshaping.hpp"
#include "trisweep/numeric/tiny_front.hpp"
#include "trisweep/numeric/tree_parallelism.hpp"

namespace trisweep::numeric {

// Reports progress to the observer, from one thread at a time.
class FactorProgress {
 public:
  FactorProgress(Observer& observer, double total) : observer_(observer), total_(total) {}

  void add(double flops) {
    const std::lock_guard lock(mutex_);
    done_ += flops;
    observer_.progress("factor", total_ > 0 ? std::min(1.0, done_ / total_) : 1.0);
  }
  void poll() {
    const std::lock_guard lock(mutex_);
    observer_.poll();
  }

 private:
  Observer& observer_;
  double total_;
  std::mutex mutex_;
  double done_ = 0;
};

// The result of a front, for its parent.
template <Scalar T>
struct FrontResult {
  T* block;  // contribution block
  // Owner of contribution blocks that are not on a thread's stack. The last front whose block leaves a unit
  // has the memory of all the blocks that leave it; the others have null.
  Contribution<T>* own;
  Offset redone_entries;  // of all pieces in the front's subtree, in any process

  bool has_delayed() const { return own && !own->delayed_row.empty(); }
};

// The pivots of a front of a symmetric matrix.
struct FrontPivots {
  Index front;
  PivotSummary summary;
};

// Data shared by the threads of one factorization.
template <Scalar T>
struct FrontJob {
  Source<T> source;
  PivotRules<RealOf<T>> rules;
  Factors<T>& factors;
  std::vector<FrontResult<T>> result;  // by front
  DelayLimits limits;
  std::vector<double> modulus;  // by front: |product of pivots|, in tiny fronts of symmetric matrices
  FactorProgress& progress;
  PanelSink<T>* sink;
};

// Processes fronts on one thread, with work memory of its own.
template <Scalar T>
class FrontWorker {
 public:
  FrontWorker(FrontJob<T>& job, int thread, Offset stack_entries);

  // Returns false if the matrix is not positive definite (Cholesky), or if pivots would be delayed while a
  // sink takes the panels.
  bool process(const Unit& unit);
  // To be called when no unit of more than one front is left.
  void free_stack() { stack_ = ContributionStack<T>(0); }

  Index perturbed_pivots() const { return perturbed_; }
  // Signs of pivots that are not in pivots(), summed over fronts: their sum does not depend on the order.
  const PivotSummary& signs() const { return signs_; }
  const std::vector<FrontPivots>& pivots() const { return pivots_; }
  RedoneFronts<T>& redone() { return redone_; }

 private:
  // Properties of a front's children.
  struct Children {
    bool delayed = false;       // some have delayed pivots
    bool has_own = false;       // some have contribution blocks that are not on this stack
    Offset redone_entries = 0;  // of their subtrees

    void add(const FrontResult<T>& child) {
      redone_entries += child.redone_entries;
      if (child.own == nullptr) return;
      has_own = true;
      delayed |= child.has_delayed();
    }
  };

  bool process(Index f, const FrontRecord& front, bool leaves_unit);
  // Allocates the contribution block.
  void make_room(const FrontRecord& front, bool leaves_unit, FrontResult<T>& result);
  void make_own(const FrontRecord& front, FrontResult<T>& result);
  Buffer<T> outgoing_memory();
  // Eliminates the assembled front. Returns false if a pivot is not good enough.
  bool eliminate_tiny(Index f, const FrontRecord& front, T* block);
  void count_tiny_pivots(Index f, Index width);
  // Counts phases and extreme moduli, which are neither in signs() nor in FrontJob::modulus.
  void count_in_summary(Index f, Index width, bool is_extreme);
  // Eliminates a front that is not tiny, has children with delayed pivots, or has a pivot not good enough for
  // eliminate_tiny(). Returns false if that ends the factorization.
  bool eliminate_otherwise(Index f, const Children& children, bool is_tiny);
  // Returns nullopt if a pivot is not good enough.
  std::optional<Index> eliminate(Index f);
  // Eliminates the front with pivots searched for in all of it, and delayed if necessary. Returns true if all
  // pivots stayed in their supernodes: then the front's panels are filled.
  bool redo(Index f);
  void report() { job_.progress.add(std::exchange(unreported_, 0)); }
  // Reports flops within a front.
  void did(double flops);

  std::span<const Index> children_of(const FrontRecord& front) const {
    return {tree_.child.data() + front.child_begin, usize(front.child_end - front.child_begin)};
  }
  std::span<const MatrixEntry> entries_of(const FrontRecord& front) const {
    return {fronts_.entry.data() + front.entry_begin, usize(front.entry_end - front.entry_begin)};
  }
  std::span<const Index> places_of(const FrontRecord& front) const {
    return {fronts_.place.data() + front.place, usize(front.height)};
  }
  // Contribution block of a front that has delayed no pivot.
  View<T> block_of(Index c) const {
    const Index m = tree_.height[usize(c)];
    return {result_[usize(c)].block, m, m, m};
  }

  FrontJob<T>& job_;
  const Fronts& fronts_;
  const FrontTree& tree_;
  const std::span<const FrontRecord> record_;
  const std::span<FrontResult<T>> result_;
  const std::span<double> modulus_;
  Assembly<T> assembly_;
  TinyFront<T> tiny_;
  FrontRedoer<T> redoer_;
  FrontPanels<T> panels_;
  EliminationScratch<T> scratch_;
  ContributionStack<T> stack_;
  Front<T> front_;
  std::deque<Contribution<T>> own_;
  RedoneFronts<T> redone_;
  PivotSummary signs_;
  std::vector<FrontPivots> pivots_;
  Unit unit_{};
  Contribution<T>* outgoing_ = nullptr;  // memory of the unit's outgoing contribution blocks
  Offset outgoing_so_far_ = 0;           // entries of it in use
  Buffer<T> spare_;                      // memory of the last contribution block that was added to its parent
  Index perturbed_ = 0;
  double unreported_ = 0;  // flops of finished fronts
  double unpolled_ = 0;
};

}  // namespace trisweep::numeric
