#pragma once
// What one thread of a factorization does with one front after the other.

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

// Tells the observer, as one thread at a time.
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

// What a front hands to its parent.
template <Scalar T>
struct FrontResult {
  T* block;  // its contribution
  // The memory of those that are not on the stack of a thread: of the last one that leaves a unit, with that
  // of the others, which have none.
  Contribution<T>* own;
  Offset redone_entries;  // of all pieces in the front's subtree, wherever they are

  bool has_delayed() const { return own && !own->delayed_row.empty(); }
};

// The pivots of a front of a symmetric matrix.
struct FrontPivots {
  Index front;
  PivotSummary summary;
};

// What the threads of one factorization share.
template <Scalar T>
struct FrontJob {
  Source<T> source;
  PivotRules<RealOf<T>> rules;
  Factors<T>& factors;
  std::vector<FrontResult<T>> result;  // by front
  DelayLimits limits;
  std::vector<double> modulus;  // by front, of the pivots' product in tiny fronts of symmetric matrices
  FactorProgress& progress;
  PanelSink<T>* sink;
};

// The fronts of one thread after the other, and its means.
template <Scalar T>
class FrontWorker {
 public:
  FrontWorker(FrontJob<T>& job, int thread, Offset stack_entries);

  // False when the matrix is not positive definite, or pivots would be delayed that a sink has no place for.
  bool process(const Unit& unit);
  // When no unit of more than one front is left.
  void free_stack() { stack_ = ContributionStack<T>(0); }

  Index perturbed_pivots() const { return perturbed_; }
  // Those that are not in pivots(), of any number of fronts: in whatever order they are counted.
  const PivotSummary& signs() const { return signs_; }
  const std::vector<FrontPivots>& pivots() const { return pivots_; }
  RedoneFronts<T>& redone() { return redone_; }

 private:
  // Properties of a front's children.
  struct Children {
    bool delayed = false;       // some have delayed pivots
    bool has_own = false;       // contribution blocks that are not on this stack
    Offset redone_entries = 0;  // of their subtrees

    void add(const FrontResult<T>& child) {
      redone_entries += child.redone_entries;
      if (child.own == nullptr) return;
      has_own = true;
      delayed |= child.has_delayed();
    }
  };

  bool process(Index f, const FrontRecord& front, bool leaves_unit);
  // Memory for the contribution block.
  void make_room(const FrontRecord& front, bool leaves_unit, FrontResult<T>& result);
  void make_own(const FrontRecord& front, FrontResult<T>& result);
  // Assembled already. False where a pivot is not good enough.
  bool eliminate_tiny(Index f, const FrontRecord& front, T* block);
  void count_tiny_pivots(Index f, Index width);
  // What is neither in signs() nor among the moduli.
  void count_in_summary(Index f, Index width, bool is_extreme);
  // Where it is not tiny, or tiny and a pivot was not good enough. False where that ends the factorization.
  bool eliminate_otherwise(Index f, const Children& children, bool is_tiny);
  // Nothing where a pivot is not good enough.
  std::optional<Index> eliminate(Index f);
  // With pivots searched for in the whole front, and delayed. True where that left all of them in their
  // supernodes: the front has its panels.
  bool redo(Index f);
  void report() { job_.progress.add(std::exchange(unreported_, 0)); }
  // Within a front.
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
  // Of a front that has delayed no pivot.
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
  Contribution<T>* outgoing_ = nullptr;  // the memory of the unit's outgoing contribution blocks
  Offset outgoing_so_far_ = 0;           // entries of it
  Index perturbed_ = 0;
  double unreported_ = 0;  // of fronts that are done
  double unpolled_ = 0;
};

}  // namespace trisweep::numeric
