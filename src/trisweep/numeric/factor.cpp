// Supernodal multifrontal factorization (Duff and Reid 1983; Liu 1992). The tree of fronts is traversed in
// postorder. A front is assembled from the matrix and its children's contribution blocks straight into the
// factors' storage, or to where a sink will take its panels (front_panels.hpp, assembly.hpp), its columns are
// eliminated (elimination.hpp), and its own contribution block waits on a stack for its parent
// (contribution_stack.hpp). Threads, each with a worker (front_worker.hpp), work on disjoint subtrees
// (tree_parallelism.hpp); the order of additions within a front is fixed, so results do not depend on their
// number.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_worker.hpp"

namespace trisweep::numeric {
namespace {

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
  FactorProgress progress(observer, std::reduce(fronts.flops.begin(), fronts.flops.end()));
  FrontJob<T> job{.source = {values.value, fronts},
                  .rules = pivot_rules(values.largest, options),
                  .factors = factors,
                  .result = std::vector<FrontResult<T>>(usize(tree.fronts())),
                  .limits = DelayLimits(tree, factors.panel_ptr.back()),
                  .modulus = std::vector<double>(has_upper(fronts.kind) ? 0 : usize(tree.fronts()), 1.0),
                  .progress = progress,
                  .sink = sink};

  Offset stack = 0;
  for (const Unit& u : units) stack = std::max(stack, u.stack);
  std::vector<std::unique_ptr<FrontWorker<T>>> workers;
  for (int t = 0; t < threads; ++t) workers.push_back(std::make_unique<FrontWorker<T>>(job, t, stack));

  const auto work = [&](int thread, const Unit& unit) { return workers[usize(thread)]->process(unit); };
  if (!run_units(units, threads, work, [&] { progress.poll(); })) return std::nullopt;
  observer.progress("factor", 1.0);
  std::vector<FrontPivots> pivots;
  RedoneFronts<T> redone;
  for (const auto& worker : workers) {
    factors.perturbed_pivots += worker->perturbed_pivots();
    factors.pivots += worker->signs();
    pivots.insert(pivots.end(), worker->pivots().begin(), worker->pivots().end());
    std::ranges::move(worker->redone().front, std::back_inserter(redone.front));
    std::ranges::move(worker->redone().piece, std::back_inserter(redone.piece));
  }
  std::ranges::sort(pivots, {}, &FrontPivots::front);
  for (const FrontPivots& of_front : pivots) factors.pivots += of_front.summary;
  ModulusProduct moduli;
  for (const double of_front : job.modulus) moduli.multiply(of_front);
  factors.pivots.log_modulus += moduli.log();
  insert_redone(std::move(redone), tree, factors);
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
