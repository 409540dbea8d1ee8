// Supernodal multifrontal factorization (Duff and Reid 1983; Liu 1992). The tree of fronts is traversed in
// postorder. A front is assembled from the matrix and its children's contribution blocks straight into the
// factors' storage, or into a buffer for a sink (front_panels.hpp, assembly.hpp), its columns are eliminated
// (elimination.hpp), and its own contribution block waits on a stack for its parent (contribution_stack.hpp).
// Threads, each with a worker (front_worker.hpp), work on disjoint subtrees (tree_parallelism.hpp); the order
// of additions within a front is fixed, so results do not depend on the number of threads.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "trisweep/numeric/factors.hpp"
#include "trisweep/numeric/front_factorization.hpp"

namespace trisweep::numeric {
namespace {

// Factors with memory for the panels, unless a sink takes them.
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

// `largest`: the largest modulus of an entry.
template <class Real>
PivotRules<Real> pivot_rules(Real largest, const FactorizationOptions& options) {
  if (!(largest > 0)) largest = 1;  // a zero matrix still needs pivots to divide by
  const Real epsilon = std::numeric_limits<Real>::epsilon();
  const bool given = options.pivot_threshold > 0;
  const Real smallest = given ? Real(options.pivot_threshold) : std::pow(epsilon, Real(0.75));
  const Real replacement = options.pivot_replacement > 0 ? Real(options.pivot_replacement)
                           : given                       ? smallest
                                                         : std::sqrt(epsilon);
  return {.relative = Real(options.relative_threshold),
          .smallest = smallest * largest,
          .replacement = replacement * largest,
          .growth = Real(options.growth)};
}

double flops_of(const Fronts& fronts, std::span<const char> own) {
  double sum = 0;
  for (std::size_t f = 0; f < fronts.flops.size(); ++f) sum += own.empty() || own[f] ? fronts.flops[f] : 0;
  return sum;
}

}  // namespace

template <Scalar T>
FrontFactorization<T>::FrontFactorization(const Fronts& fronts, const MatrixValues<T>& values,
                                          const FactorizationOptions& options, Observer& observer,
                                          PanelSink<T>* sink, std::span<const char> own)
    : fronts_(fronts),
      observer_(observer),
      units_(cut_into_units(fronts.tree, fronts.flops, std::max(1, options.threads), own)),
      factors_(allocate<T>(fronts, sink == nullptr)),
      progress_(observer, flops_of(fronts, own)),
      job_{.source = {values.value, fronts},
           .rules = pivot_rules(values.largest, options),
           .factors = factors_,
           .result = std::vector<FrontResult<T>>(usize(fronts.tree.fronts())),
           .limits = DelayLimits(fronts.tree, fronts.all_panel_entries),
           .modulus = std::vector<double>(has_upper(fronts.kind) ? 0 : usize(fronts.tree.fronts()), 1.0),
           .progress = progress_,
           .sink = sink},
      panels_(factors_, nullptr, 0, 0) {
  const int threads = std::clamp(options.threads, 1, std::max(1, static_cast<int>(units_.size())));
  Offset stack = 0;
  for (const Unit& u : units_) stack = std::max(stack, u.stack);
  for (int t = 0; t < threads; ++t) workers_.push_back(std::make_unique<FrontWorker<T>>(job_, t, stack));
}

template <Scalar T>
bool FrontFactorization<T>::factor_subtrees() {
  const auto work = [&](int thread, const Unit& unit) { return workers_[usize(thread)]->process(unit); };
  const bool done = run_units(units_, static_cast<int>(workers_.size()), work, [&] { progress_.poll(); });
  for (const auto& worker : workers_) worker->free_stack();
  return done;
}

template <Scalar T>
bool FrontFactorization<T>::factor_front(Index f) {
  return workers_.front()->process(
      Unit{.first = f, .last = f, .outgoing = contribution_entries(fronts_.tree.height[usize(f)])});
}

template <Scalar T>
FrontContribution<T> FrontFactorization<T>::take(Index f) {
  FrontResult<T>& result = job_.result[usize(f)];
  return {std::exchange(*result.own, {}), result.redone_entries};
}

template <Scalar T>
void FrontFactorization<T>::put(Index f, FrontContribution<T> contribution) {
  Contribution<T>& block = put_.emplace_back(std::move(contribution.block));
  job_.result[usize(f)] = {block.view.data, &block, contribution.redone_entries};
}

template <Scalar T>
Panel<T> FrontFactorization<T>::panel(Index supernode, Index start) {
  Front<T> front;
  panels_.lay_out(std::span(&supernode, 1), front);
  Panel<T> panel = front.panels.front();
  panel.start = start;
  return panel;
}

template <Scalar T>
void FrontFactorization<T>::finish(const Panel<T>& panel) {
  panels_.finish({.panels = {panel}, .contribution = {}});
}

template <Scalar T>
void FrontFactorization<T>::count(Index f, Index perturbed, const PivotSummary& pivots) {
  perturbed_ += perturbed;
  if (fronts_.kind != Kind::lu) pivots_.push_back({f, pivots});
}

template <Scalar T>
RedoneFronts<T> FrontFactorization<T>::take_redone() {
  RedoneFronts<T> redone;
  for (const auto& worker : workers_) {
    std::ranges::move(worker->redone().front, std::back_inserter(redone.front));
    std::ranges::move(worker->redone().piece, std::back_inserter(redone.piece));
  }
  return redone;
}

template <Scalar T>
Factors<T> FrontFactorization<T>::finish(RedoneFronts<T> redone) {
  observer_.progress("factor", 1.0);
  std::vector<FrontPivots> pivots = std::move(pivots_);
  factors_.perturbed_pivots += perturbed_;
  for (const auto& worker : workers_) {
    factors_.perturbed_pivots += worker->perturbed_pivots();
    factors_.pivots += worker->signs();
    pivots.insert(pivots.end(), worker->pivots().begin(), worker->pivots().end());
  }
  std::ranges::sort(pivots, {}, &FrontPivots::front);
  for (const FrontPivots& of_front : pivots) factors_.pivots += of_front.summary;
  ModulusProduct moduli;
  for (const double of_front : job_.modulus) moduli.multiply(of_front);
  factors_.pivots.log_modulus += moduli.log();
  insert_redone(std::move(redone), fronts_.tree, factors_);
  return std::move(factors_);
}

template <Scalar T>
std::optional<Factors<T>> factor(const Fronts& fronts, const MatrixValues<T>& values,
                                 const FactorizationOptions& options, Observer& observer,
                                 PanelSink<T>* sink) {
  FrontFactorization<T> run(fronts, values, options, observer, sink);
  if (!run.factor_subtrees()) return std::nullopt;
  return run.finish(run.take_redone());
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
  template class FrontFactorization<T>;                                                                \
  template std::optional<Factors<T>> factor<T>(const Fronts&, const MatrixValues<T>&,                  \
                                               const FactorizationOptions&, Observer&, PanelSink<T>*); \
  template std::optional<Factors<T>> factor<T>(const matrix::Csr<T>&,                                  \
                                               std::shared_ptr<const symbolic::Structure>, Kind,       \
                                               const FactorizationOptions&, Observer&, PanelSink<T>*);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
