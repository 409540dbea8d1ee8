// Supernodal multifrontal factorization (Duff and Reid 1983; Liu 1992). The tree of fronts is traversed in
// postorder. A front is assembled from the matrix and its children's contribution blocks straight into the
// factors' storage, or to where a sink will take its panels (front_panels.hpp, assembly.hpp), its columns are
// eliminated (elimination.hpp), and its own contribution block waits on a stack for its parent
// (contribution_stack.hpp). Threads work on disjoint subtrees (tree_parallelism.hpp); the order of additions
// within a front is fixed, so results do not depend on their number.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/contribution_stack.hpp"
#include "trisweep/numeric/elimination.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_panels.hpp"
#include "trisweep/numeric/fronts.hpp"
#include "trisweep/numeric/redone_front.hpp"
#include "trisweep/numeric/reshaping.hpp"
#include "trisweep/numeric/tiny_front.hpp"
#include "trisweep/numeric/tree_parallelism.hpp"

namespace trisweep::numeric {
namespace {

// Tells the observer, as one thread at a time.
class Progress {
 public:
  Progress(Observer& observer, double total) : observer_(observer), total_(total) {}

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
  T* block = nullptr;                      // its contribution
  std::unique_ptr<Contribution<T>> own{};  // of those that are not on the stack of a thread
  Offset redone_entries = 0;               // of all pieces in the front's subtree, wherever they are

  bool has_delayed() const { return own && !own->delayed_row.empty(); }
};

// The pivots of a front of a symmetric matrix.
struct FrontPivots {
  Index front;
  PivotSummary summary;
};

template <Scalar T>
struct Job {
  Source<T> source;
  PivotRules<RealOf<T>> rules;
  Factors<T>& factors;
  std::vector<FrontResult<T>> result;  // by front
  RedoneFronts<T> redone;
  std::vector<ModulusProduct> moduli;  // by front, of pivots of tiny fronts of symmetric matrices
  Progress& progress;
  PanelSink<T>* sink;
};

// One thread's means, and the factorization of one front with them.
template <Scalar T>
class Worker {
 public:
  Worker(Job<T>& job, int thread, Offset stack_entries)
      : job_(job),
        fronts_(job.source.fronts),
        tree_(fronts_.tree),
        assembly_(job.source),
        tiny_(job.source, job.rules),
        redoer_(job.source, job.rules),
        panels_(job.factors, job.sink, thread, fronts_.largest),
        scratch_(fronts_.widest, [this](double flops) { did(flops); }),
        stack_(stack_entries) {}

  // False when the matrix is not positive definite, or pivots would be delayed that a sink has no place for.
  bool process(const Unit& unit) {
    first_ = unit.first;
    for (Index f = unit.first; f <= unit.last; ++f) {
      if (!process(f, f == unit.last)) return false;
      unreported_ += fronts_.record[usize(f)].flops;
      if (f == unit.last || unreported_ > report_every) job_.progress.add(std::exchange(unreported_, 0));
    }
    return true;
  }

  Index perturbed_pivots() const { return perturbed_; }
  // Those that are not in pivots(), of any number of fronts: in whatever order they are counted.
  const PivotSummary& signs() const { return signs_; }
  const std::vector<FrontPivots>& pivots() const { return pivots_; }

 private:
  static constexpr double report_every = 1e8;

  // Within a front.
  void did(double flops) {
    unpolled_ += flops;
    if (unpolled_ < report_every) return;
    unpolled_ = 0;
    job_.progress.poll();
  }

  // Properties of a front's children.
  struct Children {
    bool delayed = false;       // some have delayed pivots
    bool has_own = false;       // contribution blocks that are not on this stack
    Offset stacked = 0;         // entries of those that are
    Offset redone_entries = 0;  // of their subtrees
  };

  bool process(Index f, bool leaves_unit) {
    const FrontRecord& front = fronts_.record[usize(f)];
    FrontResult<T>& result = job_.result[usize(f)];
    make_room(front, leaves_unit, result);
    const bool is_tiny = TinyFront<T>::fits(front.width, front.width + front.height);
    if (is_tiny) tiny_.begin(front.width, front.width + front.height, entries_of(front));
    Children children;
    for (const Index c : children_of(front)) {
      const FrontResult<T>& child = job_.result[usize(c)];
      const FrontRecord& record = fronts_.record[usize(c)];
      children.redone_entries += child.redone_entries;
      children.has_own |= child.own != nullptr;
      children.delayed |= child.has_delayed();
      if (c >= first_) children.stacked += contribution_entries(record.height);
      if (is_tiny && !children.delayed) tiny_.add_child(child.block, places_of(record));
    }
    result.redone_entries = children.redone_entries;
    const bool done = is_tiny && !children.delayed && eliminate_tiny(f, front, result.block);
    if (!done && is_tiny && fronts_.kind == Kind::cholesky) return false;
    if (!done && !eliminate_otherwise(f, children, is_tiny)) return false;
    stack_.pop(children.stacked, front.depth + 1);
    for (const Index c : children.has_own ? children_of(front) : std::span<const Index>())
      job_.result[usize(c)].own.reset();
    return true;
  }

  std::span<const Index> children_of(const FrontRecord& front) const {
    return {tree_.child.data() + front.child_begin, usize(front.child_end - front.child_begin)};
  }
  std::span<const MatrixEntry> entries_of(const FrontRecord& front) const {
    return {fronts_.entry.data() + front.entry_begin, usize(front.entry_end - front.entry_begin)};
  }
  std::span<const Index> places_of(const FrontRecord& front) const {
    return {fronts_.place.data() + front.place, usize(front.height)};
  }

  // Where it is not tiny, or tiny and a pivot was not good enough. False where that ends the factorization.
  bool eliminate_otherwise(Index f, const Children& children, bool is_tiny) {
    panels_.lay_out(tree_.members(f), front_);
    std::optional<Index> perturbed;
    if (!children.delayed && (!is_tiny || may_have_pairs(fronts_.kind))) perturbed = eliminate(f);
    if (!perturbed && fronts_.kind == Kind::cholesky) return false;
    if (!perturbed) redo(f);
    perturbed_ += perturbed.value_or(0);
    if (job_.redone.pieces[usize(f)]) return job_.sink == nullptr;
    panels_.finish(front_);
    return true;
  }

  // Of a front that has delayed no pivot.
  View<T> block_of(Index c) const {
    const Index m = tree_.height[usize(c)];
    return {job_.result[usize(c)].block, m, m, m};
  }

  // Nothing where a pivot is not good enough.
  std::optional<Index> eliminate(Index f) {
    front_.contribution = block_of(f);
    front_.contribution_is_set = false;
    assembly_.begin(front_);
    for (const Index c : tree_.children(f))
      assembly_.add_child(front_, block_of(c), fronts_.places_in_parent(c));
    if (fronts_.kind == Kind::lu) return eliminate_lu(front_, job_.rules, scratch_);
    PivotSummary pivots;
    std::optional<Index> perturbed;
    if (fronts_.kind != Kind::cholesky) {
      perturbed = eliminate_ldl(front_, fronts_.kind, job_.rules, pivots, scratch_);
    } else if (eliminate_cholesky(front_, pivots, scratch_)) {
      perturbed = 0;
    }
    if (perturbed) pivots_.push_back({f, pivots});
    return perturbed;
  }

  // Assembled already. False where a pivot is not good enough.
  bool eliminate_tiny(Index f, const FrontRecord& front, T* block) {
    if (job_.sink != nullptr) panels_.lay_out(tree_.members(f), front_);
    const auto perturbed = tiny_.eliminate(
        job_.sink ? parts_of(front_.panels.front()) : panels_.parts_at(front.panel, front.diagonal), block);
    if (!perturbed) return false;
    perturbed_ += *perturbed;
    if (job_.sink != nullptr) panels_.finish(front_);
    if (fronts_.kind != Kind::lu) count_tiny_pivots(f, front.width);
    return true;
  }

  // Signs are counted in any order; products of other phases are of one order, as those of moduli are.
  void count_tiny_pivots(Index f, Index width) {
    ModulusProduct& moduli = job_.moduli[usize(f)];
    if (pivots_have_signs<T>(fronts_.kind)) {
      Index positive = 0;
      for (Index k = 0; k < width; ++k) {
        const RealOf<T> pivot = std::real(tiny_.pivot(k));
        moduli.multiply(std::abs(pivot));
        positive += pivot > 0;
      }
      return signs_.add_signs(positive, width - positive);
    }
    PivotSummary& summary = pivots_.emplace_back(FrontPivots{f, {}}).summary;
    for (Index k = 0; k < width; ++k) {
      const RealOf<T> modulus = std::abs(tiny_.pivot(k));
      moduli.multiply(modulus);
      summary.add(tiny_.pivot(k) / modulus, fronts_.kind);
    }
  }

  // With pivots searched for in the whole front, and delayed. Where that left all of them in their supernodes
  // the front has its panels.
  void redo(Index f) {
    const symbolic::Structure& s = *fronts_.structure;
    std::vector<ChildBlock<T>> children;
    for (const Index c : tree_.children(f)) {
      const Index top = tree_.members(c).back();
      const ChildBlock<T>& child =
          children.emplace_back(ChildBlock<T>{s.parent[usize(top)], block_of(c), {}, {}, s.rows(top)});
      if (const auto& own = job_.result[usize(c)].own)
        children.back() = {child.into, own->view, own->delayed_row, own->delayed_col, child.rows};
    }
    RedoneFronts<T>& redone = job_.redone;
    FrontResult<T>& of_front = job_.result[usize(f)];
    RedoneFront<T> result =
        redoer_.redo(tree_.members(f), children, redone.most_delayed(tree_, f, of_front.redone_entries));
    perturbed_ += result.perturbed_pivots;
    if (fronts_.kind != Kind::lu) pivots_.push_back({f, result.pivots});
    for (const Piece<T>& piece : result.pieces) of_front.redone_entries += piece.entries();
    if (!put_in_place<T>(result.pieces, s, front_))
      redone.pieces[usize(f)] = std::make_unique<std::vector<Piece<T>>>(std::move(result.pieces));
    of_front.block = result.contribution.view.data;
    of_front.own = std::make_unique<Contribution<T>>(std::move(result.contribution));
  }

  // Memory for the contribution block.
  void make_room(const FrontRecord& front, bool leaves_unit, FrontResult<T>& result) {
    const Index m = front.height;
    const Offset entries = contribution_entries(m);
    if (!leaves_unit) {
      result.block = stack_.push(entries, front.depth);
    } else if (m > 0) {
      auto own = std::make_unique<Contribution<T>>();
      own->owned = Buffer<T>(usize(entries), "a contribution block of the factorization");
      own->view = {own->owned.data(), m, m, m};
      result.block = own->owned.data();
      result.own = std::move(own);
    }
  }

  Job<T>& job_;
  const Fronts& fronts_;
  const FrontTree& tree_;
  Assembly<T> assembly_;
  TinyFront<T> tiny_;
  FrontRedoer<T> redoer_;
  FrontPanels<T> panels_;
  EliminationScratch<T> scratch_;
  ContributionStack<T> stack_;
  Front<T> front_;
  PivotSummary signs_;
  std::vector<FrontPivots> pivots_;
  Index first_ = 0;  // front of the unit
  Index perturbed_ = 0;
  double unreported_ = 0;  // of fronts that are done
  double unpolled_ = 0;
};

// With room for the panels, unless a sink takes them.
template <Scalar T>
Factors<T> allocate(const Fronts& fronts, bool with_panels) {
  Factors<T> f;
  f.kind = fronts.kind;
  f.structure = fronts.structure;
  f.panel_ptr = fronts.panel_ptr;
  f.diagonal_ptr = fronts.diagonal_ptr;
  if (!with_panels) return f;
  f.lower = Buffer<T>(usize(f.panel_ptr.back()), "the lower factor");
  f.diagonal = Buffer<T>(usize(f.diagonal_ptr.back()), "the diagonal blocks of the factors");
  if (has_upper(f.kind)) f.upper = Buffer<T>(usize(f.panel_ptr.back()), "the upper factor");
  return f;
}

// `largest`: modulus of an entry.
template <class Real>
PivotRules<Real> pivot_rules(Real largest, const FactorizationOptions& options) {
  if (!(largest > 0)) largest = 1;  // a zero matrix still needs pivots to divide by
  const Real epsilon = std::numeric_limits<Real>::epsilon();
  const bool given = options.pivot_threshold > 0;
  return {.relative = Real(options.relative_threshold),
          .smallest = (given ? Real(options.pivot_threshold) : std::pow(epsilon, Real(0.75))) * largest,
          .replacement = (given ? Real(options.pivot_threshold) : std::sqrt(epsilon)) * largest,
          .growth = Real(options.growth)};
}

}  // namespace

template <Scalar T>
std::optional<Factors<T>> factor(const Fronts& fronts, const MatrixValues<T>& values,
                                 const FactorizationOptions& options, Observer& observer,
                                 PanelSink<T>* sink) {
  const FrontTree& tree = fronts.tree;
  const std::vector<Unit> units = cut_into_units(tree, fronts.flops, std::max(1, options.threads));
  const int threads = std::clamp(options.threads, 1, std::max(1, static_cast<int>(units.size())));

  Factors<T> factors = allocate<T>(fronts, sink == nullptr);
  Progress progress(observer, std::reduce(fronts.flops.begin(), fronts.flops.end()));
  Job<T> job{.source = {values.value, fronts},
             .rules = pivot_rules(values.largest, options),
             .factors = factors,
             .result = std::vector<FrontResult<T>>(usize(tree.fronts())),
             .redone = RedoneFronts<T>(tree, factors.panel_ptr.back()),
             .moduli = std::vector<ModulusProduct>(has_upper(fronts.kind) ? 0 : usize(tree.fronts())),
             .progress = progress,
             .sink = sink};

  Offset stack = 0;
  for (const Unit& u : units) stack = std::max(stack, u.stack);
  std::vector<std::unique_ptr<Worker<T>>> workers;
  for (int t = 0; t < threads; ++t) workers.push_back(std::make_unique<Worker<T>>(job, t, stack));

  const auto work = [&](int thread, const Unit& unit) { return workers[usize(thread)]->process(unit); };
  if (!run_units(units, threads, work, [&] { progress.poll(); })) return std::nullopt;
  observer.progress("factor", 1.0);
  std::vector<FrontPivots> pivots;
  for (const auto& worker : workers) {
    factors.perturbed_pivots += worker->perturbed_pivots();
    factors.pivots += worker->signs();
    pivots.insert(pivots.end(), worker->pivots().begin(), worker->pivots().end());
  }
  std::ranges::sort(pivots, {}, &FrontPivots::front);
  for (const FrontPivots& of_front : pivots) factors.pivots += of_front.summary;
  ModulusProduct moduli;
  for (const ModulusProduct& of_front : job.moduli) moduli.multiply(of_front);
  factors.pivots.log_modulus += moduli.log();
  insert_redone(std::move(job.redone), tree, factors);
  return factors;
}

template <Scalar T>
std::optional<Factors<T>> factor(const matrix::Csr<T>& a,
                                 std::shared_ptr<const symbolic::Structure> structure, Kind kind,
                                 const FactorizationOptions& options, Observer& observer,
                                 PanelSink<T>* sink) {
  RealOf<T> largest = 0;
  for (const T& value : a.value) largest = std::max(largest, RealOf<T>(std::abs(value)));
  return factor<T>(make_fronts(a.pattern, {}, {}, std::move(structure), kind), {a.value, largest}, options,
                   observer, sink);
}

#define TRISWEEP_INSTANTIATE(T)                                                                        \
  template std::optional<Factors<T>> factor<T>(const Fronts&, const MatrixValues<T>&,                  \
                                               const FactorizationOptions&, Observer&, PanelSink<T>*); \
  template std::optional<Factors<T>> factor<T>(const matrix::Csr<T>&,                                  \
                                               std::shared_ptr<const symbolic::Structure>, Kind,       \
                                               const FactorizationOptions&, Observer&, PanelSink<T>*);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
