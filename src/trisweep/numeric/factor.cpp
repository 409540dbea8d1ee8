// Supernodal multifrontal factorization (Duff and Reid 1983; Liu 1992). The tree of fronts is traversed in
// postorder. A front is assembled from the matrix and its children's contribution blocks straight into the
// factors' storage (assembly.hpp), its columns are eliminated (elimination.hpp), and its own contribution
// block waits on a stack for its parent (contribution_stack.hpp). Threads work on disjoint subtrees
// (schedule.hpp); the order of additions within a front is fixed, so results do not depend on their number.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/contribution_stack.hpp"
#include "trisweep/numeric/elimination.hpp"
#include "trisweep/numeric/estimates.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/schedule.hpp"

namespace trisweep::numeric {
namespace {

// A contribution block between its front and the front's parent. Those that cross from one unit to another
// own their memory; the others lie on the stack of the thread.
template <Scalar T>
struct Contribution {
  View<T> view;
  Buffer<T> owned;
};

// Tells the observer about a hundred times.
class Progress {
 public:
  Progress(Observer& observer, double total) : observer_(observer), total_(total) {}

  void add(double flops) {
    const std::lock_guard lock(mutex_);
    done_ += flops;
    if (done_ < next_) return;
    next_ = done_ + total_ / 100;
    observer_.progress("factor", total_ > 0 ? std::min(1.0, done_ / total_) : 1.0);
  }

 private:
  Observer& observer_;
  double total_;
  std::mutex mutex_;
  double done_ = 0;
  double next_ = 0;
};

template <Scalar T>
struct Job {
  Source<T> source;
  const FrontTree& tree;
  const std::vector<double>& flops;  // by front
  RealOf<T> pivot_bound;
  Factors<T>& factors;
  std::vector<Contribution<T>>& contributions;  // by front
  Progress& progress;
};

// One thread's means, and the factorization of one front with them.
template <Scalar T>
class Worker {
 public:
  Worker(const Job<T>& job, Offset stack_entries, Index widest)
      : job_(job), assembly_(job.source), scratch_(widest), stack_(stack_entries) {}

  // False when the matrix is not positive definite.
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

  bool process(Index f, bool leaves_unit) {
    Front<T>& front = front_;
    lay_out(f, leaves_unit);
    assembly_.begin(front);
    for (Index c : job_.tree.children(f)) {
      const Index top = job_.tree.members(c).back();
      assembly_.add_child(front, job_.contributions[usize(c)].view, job_.source.structure.rows(top));
    }
    release_children(f);
    if (job_.source.kind == Kind::cholesky) {
      if (!eliminate_cholesky(front, scratch_)) return false;
    } else {
      perturbed_ += eliminate_lu(front, job_.pivot_bound, scratch_);
    }
    for (const Panel<T>& panel : front.panels) {
      for (const View<T>& part : {panel.diagonal, panel.lower, panel.upper}) finish(part);
    }
    return true;
  }

  // Brings a final block into the form that the solve phase wants, while it is in the cache.
  void finish(View<T> part) {
    if (part.rows <= slab_rows) return;
    slab_scratch_.resize(std::max(slab_scratch_.size(), usize(part.rows) * usize(part.cols)));
    cut_into_slabs(part.data, part.rows, part.cols, slab_scratch_.data());
  }

  // The front's panels in the factors, and memory for its contribution block.
  void lay_out(Index f, bool leaves_unit) {
    const symbolic::Structure& s = job_.source.structure;
    Factors<T>& factors = job_.factors;
    front_.panels.clear();
    front_.width = 0;
    for (Index k : job_.tree.members(f)) {
      const Index w = s.width(k), m = s.height(k);
      const Offset at = factors.panel_ptr[usize(k)];
      const View<T> upper{factors.upper.data() + at, m, w, m};
      front_.panels.push_back(
          {.supernode = k,
           .start = front_.width,
           .diagonal = {factors.diagonal.data() + factors.diagonal_ptr[usize(k)], w, w, w},
           .lower = {factors.lower.data() + at, m, w, m},
           .upper = factors.kind == Kind::lu ? upper : View<T>{}});
      front_.width += w;
    }
    const Index m = job_.tree.height[usize(f)];
    Contribution<T>& own = job_.contributions[usize(f)];
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
      if (child.owned.size() == 0) {
        stack_.pop(contribution_entries(child.view.rows), job_.tree.depth[usize(c)]);
      }
      child = {};
    }
  }

  const Job<T>& job_;
  Assembly<T> assembly_;
  EliminationScratch<T> scratch_;
  ContributionStack<T> stack_;
  Front<T> front_;
  std::vector<T> slab_scratch_;
  Index perturbed_ = 0;
  double unreported_ = 0;
};

template <Scalar T>
Factors<T> allocate(std::shared_ptr<const symbolic::Structure> structure, Kind kind) {
  const symbolic::Structure& s = *structure;
  Factors<T> f;
  f.kind = kind;
  f.panel_ptr = f.diagonal_ptr = {0};
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Offset w = s.width(k);
    f.panel_ptr.push_back(f.panel_ptr.back() + w * s.height(k));
    f.diagonal_ptr.push_back(f.diagonal_ptr.back() + w * w);
  }
  f.lower = Buffer<T>(usize(f.panel_ptr.back()), "the lower factor");
  f.diagonal = Buffer<T>(usize(f.diagonal_ptr.back()), "the diagonal blocks of the factors");
  if (kind == Kind::lu) f.upper = Buffer<T>(usize(f.panel_ptr.back()), "the upper factor");
  f.structure = std::move(structure);
  return f;
}

template <Scalar T>
RealOf<T> pivot_bound(const matrix::Csr<T>& a, const Options& options) {
  using Real = RealOf<T>;
  Real largest = 0;
  for (const T& value : a.value) largest = std::max(largest, Real(std::abs(value)));
  const double threshold = options.pivot_threshold > 0
                               ? options.pivot_threshold
                               : std::sqrt(double(std::numeric_limits<Real>::epsilon()));
  // A zero matrix still needs pivots to divide by.
  return Real(threshold) * (largest > 0 ? largest : Real(1));
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
                                 const Options& options, Observer& observer) {
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

  Factors<T> factors = allocate<T>(structure, kind);
  const LowerColumns<T> columns(a, s);
  std::vector<Contribution<T>> contributions(usize(tree.fronts()));
  Progress progress(observer, std::reduce(flops.begin(), flops.end()));
  const Job<T> job{{a, columns, s, kind}, tree,    flops, pivot_bound(a, options), factors,
                   contributions,         progress};

  Offset stack = 0;
  for (const Unit& u : units) {
    if (u.first < u.last) stack = std::max(stack, tree.stack_below[usize(u.last)]);
  }
  Index widest = 1;
  for (Index k = 0; k < s.supernodes(); ++k) widest = std::max(widest, s.width(k));
  std::vector<std::unique_ptr<Worker<T>>> workers;
  for (int t = 0; t < threads; ++t) workers.push_back(std::make_unique<Worker<T>>(job, stack, widest));

  const auto work = [&](int thread, const Unit& unit) { return workers[usize(thread)]->process(unit); };
  if (!run_units(units, threads, work)) return std::nullopt;
  observer.progress("factor", 1.0);
  for (const auto& worker : workers) factors.perturbed_pivots += worker->perturbed_pivots();
  return factors;
}

#define TRISWEEP_INSTANTIATE(T)                 \
  template std::optional<Factors<T>> factor<T>( \
      const matrix::Csr<T>&, std::shared_ptr<const symbolic::Structure>, Kind, const Options&, Observer&);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
