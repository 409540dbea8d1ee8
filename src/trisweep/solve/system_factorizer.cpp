#include "trisweep/solve/system_factorizer.hpp"

#include <limits>
#include <utility>

#include "trisweep/core/clock.hpp"
#include "trisweep/solve/parallel_analysis.hpp"
#include "trisweep/solve/root_factors.hpp"

namespace trisweep::solve {

template <Scalar T>
SystemFactorizer<T>::SystemFactorizer(const mpi::Communicator& comm, const LinearSystem<T>& system,
                                      const SolverOptions& options, Report& report, FactorSources<T> given,
                                      const PlannedSystem* analyzed)
    : comm_(comm),
      system_(system),
      options_(options),
      report_(report),
      form_(find_form(given, analyzed)),
      whole_or_blocks_(comm, system_to_factor(), options, std::move(given)) {
  if (analyzed) whole_or_blocks_.adopt(*analyzed, report);
}

template <Scalar T>
std::unique_ptr<BlockTriangularSystem<T>> SystemFactorizer<T>::find_form(const FactorSources<T>& given,
                                                                         const PlannedSystem* analyzed) {
  using numeric::KindChoice;
  const bool may_have_form = options_.block_triangular != BlockTriangular::off && !options_.factorization &&
                             options_.dependencies && options_.device == engine::Device::native &&
                             !given.in_full && !given.in_single &&
                             (options_.kind == KindChoice::automatic || options_.kind == KindChoice::lu);
  if (!may_have_form || on_any_rank(analyzed != nullptr)) return nullptr;
  // Rank 0 would gather the matrix.
  const bool asked_for = options_.block_triangular == BlockTriangular::on;
  if (!asked_for && ranks_order_together(comm_, system_, options_.ordering)) return nullptr;
  const auto start = Clock::now();
  auto form = BlockTriangularSystem<T>::find(comm_, system_, options_);
  form_seconds_ = comm_.max(seconds_since(start));
  return form;
}

template <Scalar T>
bool SystemFactorizer<T>::follow(const PlannedSystem* analyzed) {
  if (form_ && (on_any_rank(analyzed != nullptr) || !form_->follow())) return false;
  if (analyzed) whole_or_blocks_.adopt(*analyzed, report_);
  return true;
}

template <Scalar T>
template <Scalar F>
AttemptFactors<F, T> SystemFactorizer<T>::factor(Attempt& attempt) {
  auto factors = whole_or_blocks_.template factor<F>(attempt, report_);
  share_report(attempt);
  if (form_) {
    auto analyses = whole_or_blocks_.analyses();
    comm_.broadcast(analyses);
    if (std::exchange(analyses_, analyses) != analyses)
      form_->scale(attempt.pivoting == Pivoting::conservative);
  }
  return factors;
}

template <Scalar T>
void SystemFactorizer<T>::share_report(Attempt& attempt) {
  const auto share = [&](auto&... value) { (comm_.broadcast(value), ...); };
  share(report_.plan.grid, attempt.compression);
  for (const model::NamedAxis& axis : model::named_axes()) share(report_.plan.*axis.value);
  FactorReport& of = report_.factor;
  share(of.kind, of.given, of.nonzeros_l, of.nonzeros_u, of.bytes, of.uncompressed_bytes, of.supernodes,
        of.flops, of.analysis_seconds, of.seconds, of.perturbed_pivots, of.delayed_pivots, of.pivots,
        of.compression_seconds);
  of.analysis_seconds += std::exchange(form_seconds_, 0);
  of.low_precision = attempt.low_precision;
  if (!form_) return;
  of.pivots.reset();  // they are those of the blocks, not of the matrix
  of.block_stages = form_->stages();
  of.nonzeros_off_diagonal = form_->off_diagonal_nonzeros();
}

template <Scalar T>
template <Scalar F>
AttemptFactors<F, T> SystemFactorizer<T>::with_panels(const Attempt& attempt) const {
  AttemptFactors<F, T> factors;
  system_to_factor().gather([&](const matrix::Csr<T>& a) {
    factors.source = root_factors(whole_or_blocks_.template with_panels<F>(a, attempt));
  });
  return factors;
}

template <Scalar T>
template <class Work>
auto SystemFactorizer<T>::as_a_whole(const Work& work) const {
  if (!form_) return work(whole_or_blocks_);
  SolverOptions by_same_plan = options_;
  by_same_plan.plan = model::only(report_.plan);
  return work(Factorizer<T>(comm_, system_, by_same_plan));
}

template <Scalar T>
ExplicitFactors<T> SystemFactorizer<T>::explicit_factors(const Attempt& attempt) const {
  ExplicitFactors<T> factors;
  as_a_whole([&](const Factorizer<T>& factorizer) {
    system_.gather([&](const matrix::Csr<T>& a) {
      // Pivots are perturbed only if necessary: solves are corrected, but L U and the determinant are not.
      const double least_pivot = std::numeric_limits<RealOf<T>>::epsilon();
      factors = solve::explicit_factors(*factorizer.template with_panels<T>(a, attempt, least_pivot));
      for (double& scale : factors.row_scale) scale *= double(system_.unit());
    });
  });
  return factors;
}

template <Scalar T>
FactorSources<T> SystemFactorizer<T>::factors_to_give(const Attempt& attempt) const {
  return as_a_whole([&](const Factorizer<T>& factorizer) { return factorizer.to_give(attempt, report_); });
}

#define INSTANTIATE(T) template class SystemFactorizer<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
#define INSTANTIATE_FACTORS(F, T)                                         \
  template AttemptFactors<F, T> SystemFactorizer<T>::factor<F>(Attempt&); \
  template AttemptFactors<F, T> SystemFactorizer<T>::with_panels<F>(const Attempt&) const;
TRISWEEP_FOR_EACH_STORAGE(INSTANTIATE_FACTORS)

}  // namespace trisweep::solve
