// Supernodal multifrontal factorization (Duff and Reid 1983; Liu 1992). The tree of fronts is traversed in
// postorder. A front is assembled from the matrix and its children's contribution blocks straight into the
// factors' storage, or to where a sink will take its panels (front_panels.hpp, assembly.hpp), its columns are
// eliminated (elimination.hpp), and its own contribution block waits on a stack for its parent
// (contribution_stack.hpp). Threads work on disjoint subtrees (tree_parallelism.hpp); the order of additions
// within a front is fixed, so results do not depend on their number.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/contribution_stack.hpp"
#include "trisweep/numeric/elimination.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_panels.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/redone_front.hpp"
#include "trisweep/numeric/reshaping.hpp"
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

template <Scalar T>
struct Job {
  Source<T> source;
  const FrontTree& tree;
  const std::vector<double>& flops;  // by front
  PivotRules<RealOf<T>> rules;
  Factors<T>& factors;
  std::vector<Contribution<T>>& contributions;  // by front
  RedoneFronts<T>& redone;
  Progress& progress;
  PanelSink<T>* sink;
  Offset front_entries;  // of the largest front
};

// One thread's means, and the factorization of one front with them.
template <Scalar T>
class Worker {
 public:
  Worker(const Job<T>& job, int thread, Offset stack_entries, Index widest)
      : job_(job),
        assembly_(job.source),
        redoer_(job.source, job.rules),
        panels_(job.factors, job.sink, thread, job.front_entries),
        scratch_(widest, [this](double flops) { did(flops); }),
        stack_(stack_entries) {}

  // False when the matrix is not positive definite, or pivots would be delayed that a sink has no place for.
  bool process(const Unit& unit) {
    for (Index f = unit.first; f <= unit.last; ++f) {
      if (!process(f, f == unit.last)) return false;
      unreported_ += job_.flops[usize(f)];
      if (f == unit.last || unreported_ > report_every) job_.progress.add(std::exchange(unreported_, 0));
    }
    return true;
  }

  Index perturbed_pivots() const { return perturbed_; }

 private:
  static constexpr double report_every = 1e8;

  // Within a front.
  void did(double flops) {
    unpolled_ += flops;
    if (unpolled_ < report_every) return;
    unpolled_ = 0;
    job_.progress.poll();
  }

  bool process(Index f, bool leaves_unit) {
    lay_out(f, leaves_unit);
    for (Index c : job_.tree.children(f)) job_.redone.entries[usize(f)] += job_.redone.entries[usize(c)];
    const bool delayed = has_delayed(f);
    if (!delayed) {
      assemble(f);
      if (job_.source.kind == Kind::cholesky && !eliminate_cholesky(front_, scratch_)) return false;
    }
    if (job_.source.kind == Kind::lu) {
      const auto perturbed = delayed ? std::nullopt : eliminate_lu(front_, job_.rules, scratch_);
      if (!perturbed) redo(f);
      perturbed_ += perturbed.value_or(0);
    }
    release_children(f);
    if (job_.redone.is_redone[usize(f)]) return job_.sink == nullptr;
    panels_.finish(front_);
    return true;
  }

  bool has_delayed(Index f) const {
    return std::ranges::any_of(job_.tree.children(f),
                               [&](Index c) { return !job_.contributions[usize(c)].delayed_row.empty(); });
  }

  void assemble(Index f) {
    assembly_.begin(front_);
    for (Index c : job_.tree.children(f)) {
      const Index top = job_.tree.members(c).back();
      assembly_.add_child(front_, job_.contributions[usize(c)].view, job_.source.structure.rows(top));
    }
  }

  // With pivots searched for in the whole front, and delayed. Where that left all of them in their supernodes
  // the front has its panels.
  void redo(Index f) {
    const symbolic::Structure& s = job_.source.structure;
    std::vector<ChildBlock<T>> children;
    RedoneFronts<T>& redone = job_.redone;
    for (Index c : job_.tree.children(f)) {
      const Index top = job_.tree.members(c).back();
      children.push_back({s.parent[usize(top)], &job_.contributions[usize(c)], s.rows(top)});
    }
    RedoneFront<T> result = redoer_.redo(job_.tree.members(f), children, redone.most_delayed(job_.tree, f));
    perturbed_ += result.perturbed_pivots;
    for (const Piece<T>& piece : result.pieces) redone.entries[usize(f)] += piece.entries();
    redone.is_redone[usize(f)] = !put_in_place<T>(result.pieces, s, front_);
    if (redone.is_redone[usize(f)]) redone.pieces[usize(f)] = std::move(result.pieces);
    Contribution<T>& own = job_.contributions[usize(f)];
    result.contribution.on_stack = own.on_stack;
    own = std::move(result.contribution);
  }

  // Panels, and memory for the contribution block.
  void lay_out(Index f, bool leaves_unit) {
    panels_.lay_out(job_.tree.members(f), front_);
    const Index m = job_.tree.height[usize(f)];
    Contribution<T>& own = job_.contributions[usize(f)];
    own.on_stack = !leaves_unit;
    if (leaves_unit) {
      own.owned = Buffer<T>(usize(contribution_entries(m)), "a contribution block of the factorization");
    }
    T* memory =
        leaves_unit ? own.owned.data() : stack_.push(contribution_entries(m), job_.tree.depth[usize(f)]);
    own.view = front_.contribution = {memory, m, m, m};
    front_.contribution_is_set = false;
  }

  void release_children(Index f) {
    for (Index c : job_.tree.children(f)) {
      Contribution<T>& child = job_.contributions[usize(c)];
      if (child.on_stack) {
        stack_.pop(contribution_entries(job_.tree.height[usize(c)]), job_.tree.depth[usize(c)]);
      }
      child = {};
    }
  }

  const Job<T>& job_;
  Assembly<T> assembly_;
  FrontRedoer<T> redoer_;
  FrontPanels<T> panels_;
  EliminationScratch<T> scratch_;
  ContributionStack<T> stack_;
  Front<T> front_;
  Index perturbed_ = 0;
  double unreported_ = 0;  // of fronts that are done
  double unpolled_ = 0;
};

// With room for the panels, unless a sink takes them.
template <Scalar T>
Factors<T> allocate(std::shared_ptr<const symbolic::Structure> structure, Kind kind, bool with_panels) {
  const symbolic::Structure& s = *structure;
  Factors<T> f;
  f.kind = kind;
  f.panel_ptr = f.diagonal_ptr = {0};
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Offset w = s.width(k);
    f.panel_ptr.push_back(f.panel_ptr.back() + w * s.height(k));
    f.diagonal_ptr.push_back(f.diagonal_ptr.back() + w * w);
  }
  f.structure = std::move(structure);
  if (!with_panels) return f;
  f.lower = Buffer<T>(usize(f.panel_ptr.back()), "the lower factor");
  f.diagonal = Buffer<T>(usize(f.diagonal_ptr.back()), "the diagonal blocks of the factors");
  if (kind == Kind::lu) f.upper = Buffer<T>(usize(f.panel_ptr.back()), "the upper factor");
  return f;
}

template <Scalar T>
PivotRules<RealOf<T>> pivot_rules(const matrix::Csr<T>& a, const Options& options) {
  using Real = RealOf<T>;
  Real largest = 0;
  for (const T& value : a.value) largest = std::max(largest, Real(std::abs(value)));
  if (!(largest > 0)) largest = 1;  // a zero matrix still needs pivots to divide by
  const Real epsilon = std::numeric_limits<Real>::epsilon();
  const bool given = options.pivot_threshold > 0;
  return {.relative = Real(options.relative_threshold),
          .smallest = (given ? Real(options.pivot_threshold) : std::pow(epsilon, Real(0.75))) * largest,
          .replacement = (given ? Real(options.pivot_threshold) : std::sqrt(epsilon)) * largest};
}

std::vector<double> flops_by_front(const FrontTree& tree, const symbolic::Structure& s, Kind kind) {
  std::vector<double> flops(usize(tree.fronts()), 0);
  for (Index f = 0; f < tree.fronts(); ++f) {
    for (Index k : tree.members(f)) flops[usize(f)] += factor_flops(s.width(k), s.height(k), kind);
  }
  return flops;
}

}  // namespace

template <Scalar T>
std::optional<Factors<T>> factor(const matrix::Csr<T>& a,
                                 std::shared_ptr<const symbolic::Structure> structure, Kind kind,
                                 const Options& options, Observer& observer, PanelSink<T>* sink) {
  const symbolic::Structure& s = *structure;
  if (a.rows() != s.n || a.cols() != s.n) {
    throw Error(ErrorKind::usage,
                fmt::format("the matrix is {} x {}, its symbolic structure is for {} unknowns", a.rows(),
                            a.cols(), s.n));
  }
  const FrontTree tree = build_front_tree(s);
  const std::vector<double> flops = flops_by_front(tree, s, kind);
  const std::vector<Unit> units = cut_into_units(tree, flops, std::max(1, options.threads));
  const int threads = std::clamp(options.threads, 1, std::max(1, static_cast<int>(units.size())));

  Factors<T> factors = allocate<T>(structure, kind, sink == nullptr);
  const LowerColumns<T> columns(a, s);
  std::vector<Contribution<T>> contributions(usize(tree.fronts()));
  Progress progress(observer, std::reduce(flops.begin(), flops.end()));
  RedoneFronts<T> redone(tree, factors.panel_ptr.back());
  const Job<T> job{.source = {a, columns, s, kind},
                   .tree = tree,
                   .flops = flops,
                   .rules = pivot_rules(a, options),
                   .factors = factors,
                   .contributions = contributions,
                   .redone = redone,
                   .progress = progress,
                   .sink = sink,
                   .front_entries = largest_front_entries(tree, s, kind)};

  Offset stack = 0;
  for (const Unit& u : units) {
    if (u.first < u.last) stack = std::max(stack, tree.stack_below[usize(u.last)]);
  }
  Index widest = 1;
  for (Index k = 0; k < s.supernodes(); ++k) widest = std::max(widest, s.width(k));
  std::vector<std::unique_ptr<Worker<T>>> workers;
  for (int t = 0; t < threads; ++t) workers.push_back(std::make_unique<Worker<T>>(job, t, stack, widest));

  const auto work = [&](int thread, const Unit& unit) { return workers[usize(thread)]->process(unit); };
  if (!run_units(units, threads, work, [&] { progress.poll(); })) return std::nullopt;
  observer.progress("factor", 1.0);
  for (const auto& worker : workers) factors.perturbed_pivots += worker->perturbed_pivots();
  insert_redone(std::move(redone), tree, factors);
  return factors;
}

#define TRISWEEP_INSTANTIATE(T)                                                                  \
  template std::optional<Factors<T>> factor<T>(const matrix::Csr<T>&,                            \
                                               std::shared_ptr<const symbolic::Structure>, Kind, \
                                               const Options&, Observer&, PanelSink<T>*);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
