#include "trisweep/solve/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/core/error.hpp"
#include "trisweep/core/memory.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/numeric/modulus.hpp"
#include "trisweep/solve/block_rows.hpp"
#include "trisweep/symbolic/clusters.hpp"

namespace trisweep::solve {
namespace {

// Hermitian with a positive diagonal: Cholesky is tried, and tells whether the matrix is definite.
bool may_be_positive_definite(const matrix::ValueSymmetry& hermitian) {
  return hermitian.holds && hermitian.has_positive_diagonal;
}

template <Scalar T>
numeric::Kind kind_if_indefinite(const matrix::Csr<T>& a, const matrix::ValueSymmetry& hermitian) {
  if (hermitian.holds) return is_complex<T> ? numeric::Kind::ldlh : numeric::Kind::ldlt;
  return is_complex<T> && matrix::is_symmetric(a, false) ? numeric::Kind::ldlt : numeric::Kind::lu;
}

// Narrower supernodes are one column of tiles, whose rows are divided by the columns of other supernodes.
constexpr Index least_to_cluster = 32;

// Maps positions of the first order to positions of the second.
void compose(std::vector<Index>& first, const std::vector<Index>& second) {
  for (Index& i : first) i = second[usize(i)];
}

std::shared_ptr<const numeric::Fronts> fronts_of(const matrix::Pattern& pattern, const Analysis& analysis) {
  if (analysis.fronts) return analysis.fronts;
  const ordering::Ordering& o = analysis.ordering;
  return std::make_shared<const numeric::Fronts>(
      numeric::make_fronts(pattern, o.row_new, o.col_new, analysis.structure, analysis.kind));
}

// Dr A Dc in the precision of the factors, with entries in the order of A.
template <Scalar F>
struct ScaledValues {
  Buffer<F> value;
  RealOf<F> largest = 0;  // modulus
  double norm_one;

  template <Scalar T>
  ScaledValues(const matrix::Csr<T>& a, const ordering::Ordering& o) {
    std::vector<double> sum(usize(a.cols()));
    value = Buffer<F>(a.value.size(), "the scaled matrix");
    RealOf<F> most = 0;
    for (Index i = 0; i < a.rows(); ++i) {
      const double row_scale = o.row_scale[usize(i)];
      for (const Offset p : a.pattern.entries(i)) {
        const std::size_t j = usize(a.pattern.col[usize(p)]);
        const F scaled(a.value[usize(p)] * static_cast<RealOf<T>>(row_scale * o.col_scale[j]));
        const RealOf<F> modulus = std::abs(scaled);
        value[usize(p)] = scaled;
        sum[j] += modulus;
        most = std::max(most, modulus);
      }
    }
    largest = most;
    norm_one = *std::ranges::max_element(sum);
  }
};

}  // namespace

template <Scalar T>
numeric::Kind likely_kind(const matrix::Csr<T>& a) {
  require_square(a.rows(), a.cols());
  const matrix::ValueSymmetry hermitian = matrix::value_symmetry(a, true);
  return may_be_positive_definite(hermitian) ? numeric::Kind::cholesky : kind_if_indefinite(a, hermitian);
}

template <Scalar T>
numeric::Kind indefinite_kind(const matrix::Csr<T>& a) {
  return kind_if_indefinite(a, matrix::value_symmetry(a, true));
}

template <Scalar T>
numeric::Kind chosen_kind(numeric::KindChoice choice, const matrix::Csr<T>& a, int failed) {
  using numeric::KindChoice;
  if (failed > 0) return failed > 1 ? numeric::Kind::lu : indefinite_kind(a);
  require_square(a.rows(), a.cols());
  if (choice == KindChoice::automatic) return likely_kind(a);
  if (choice == KindChoice::lu) return numeric::Kind::lu;
  const numeric::Kind kind = choice == KindChoice::cholesky ? numeric::Kind::cholesky : indefinite_kind(a);
  if (!numeric::has_upper(kind) && suits(kind, a)) return kind;
  throw Error(ErrorKind::usage,
              choice == KindChoice::cholesky ? "the matrix is not Hermitian with a positive diagonal"
                                             : "the matrix is neither symmetric nor Hermitian",
              "choose another kind of factorization, or leave that to the solver");
}

template <Scalar T>
bool suits(numeric::Kind kind, const matrix::Csr<T>& a) {
  if (kind == numeric::Kind::cholesky) return may_be_positive_definite(matrix::value_symmetry(a, true));
  return numeric::has_upper(kind) || matrix::is_symmetric(a, kind == numeric::Kind::ldlh);
}

template <Scalar T>
std::vector<Analysis> analyze_each_as(numeric::Kind kind, const matrix::Csr<T>& a,
                                      const ordering::OrderingOptions& ordering,
                                      std::span<const symbolic::SymbolicOptions> symbolic,
                                      Observer& observer) {
  require_square(a.rows(), a.cols());
  ordering::OrderingOptions ordering_of_kind = ordering;
  ordering_of_kind.pairs = numeric::may_have_pairs(kind);
  const auto [order, pattern] =
      ordering::order_pattern(a, !numeric::has_upper(kind), ordering_of_kind, observer);
  std::vector<Analysis> analyses;
  for (const symbolic::SymbolicOptions& options : symbolic) {
    symbolic::Analysis result = symbolic::analyze(pattern, order.tree, options, observer);
    Analysis& analysis = analyses.emplace_back(
        Analysis{.ordering = order, .structure = std::move(result.structure), .kind = kind});
    compose(analysis.ordering.row_new, result.new_of_ordered);
    compose(analysis.ordering.col_new, result.new_of_ordered);
  }
  return analyses;
}

template <Scalar T>
Analysis analyze_as(numeric::Kind kind, const matrix::Csr<T>& a, const AnalysisOptions& options,
                    Observer& observer) {
  return with_fronts(
      a, std::move(analyze_each_as(kind, a, options.ordering, {&options.symbolic, 1}, observer).front()));
}

template <Scalar T>
Analysis analyze(const matrix::Csr<T>& a, const AnalysisOptions& options, Observer& observer) {
  return analyze_as(likely_kind(a), a, options, observer);
}

template <Scalar T>
Analysis with_fronts(const matrix::Csr<T>& a, Analysis analysis) {
  analysis.fronts = fronts_of(a.pattern, analysis);
  return analysis;
}

template <Scalar T>
Analysis in_clusters(const matrix::Csr<T>& a, Analysis analysis) {
  ordering::Ordering& order = analysis.ordering;
  const matrix::Pattern pattern =
      matrix::symmetrized(matrix::permuted(a.pattern, order.row_new, order.col_new));
  symbolic::Analysis result = symbolic::clustered(pattern, *analysis.structure, least_to_cluster);
  compose(order.row_new, result.new_of_ordered);
  compose(order.col_new, result.new_of_ordered);
  analysis.structure = std::move(result.structure);
  analysis.fronts.reset();
  return analysis;
}

double log_of_symmetric_scales(const ordering::Ordering& o) {
  numeric::ModulusProduct product;
  for (const double scale : o.row_scale) product.multiply(scale);
  return 2 * product.log();
}

template <Scalar F>
std::shared_ptr<const Analysis> with_delayed_pivots(const Analysis& planned,
                                                    const numeric::Factors<F>& factors) {
  auto analysis = std::make_shared<Analysis>(planned);
  compose(analysis->ordering.row_new, factors.row_new);
  compose(analysis->ordering.col_new, factors.col_new);
  analysis->structure = factors.structure;
  analysis->fronts.reset();
  ordering::SeparatorTree& tree = analysis->ordering.tree = factors.structure->tree;
  for (std::vector<Index>* bound : {&tree.begin, &tree.end}) {
    for (Index& k : *bound) k = factors.structure->first[usize(k)];
  }
  return analysis;
}

template <Scalar F, Scalar T>
std::optional<Factorization<F>> try_factor(const matrix::Csr<T>& a, std::shared_ptr<const Analysis> analysis,
                                           const numeric::FactorizationOptions& options, Observer& observer,
                                           numeric::PanelSink<F>* sink) {
  const auto fronts = fronts_of(a.pattern, *analysis);
  const auto work = usize(fronts->stack + (sink ? fronts->largest : fronts->factor_entries())) * sizeof(F);
  require_memory(sink ? work + sink->bytes_expected() : work, "the factorization",
                 usize(options.threads) * numeric::addresses_of_thread);
  const ScaledValues<F> scaled(a, analysis->ordering);
  auto factors = numeric::factor<F>(*fronts, {scaled.value.span(), scaled.largest}, options, observer, sink);
  if (!factors) return std::nullopt;
  if (!factors->row_new.empty()) analysis = with_delayed_pivots(*analysis, *factors);
  if (!numeric::has_upper(factors->kind))
    factors->pivots.log_modulus -= log_of_symmetric_scales(analysis->ordering);
  return Factorization<F>{.analysis = std::move(analysis),
                          .factors = std::make_shared<const numeric::Factors<F>>(std::move(*factors)),
                          .scaled_norm_one = scaled.norm_one};
}

template <Scalar F, Scalar T>
Factorization<F> factor(const matrix::Csr<T>& a, std::shared_ptr<const Analysis> analysis,
                        const FactorOptions& options, Observer& observer) {
  if (auto done = try_factor<F>(a, std::move(analysis), options.numeric, observer)) return *std::move(done);
  auto again =
      std::make_shared<const Analysis>(analyze_as(indefinite_kind(a), a, options.analysis, observer));
  return try_factor<F>(a, std::move(again), options.numeric, observer).value();  // only Cholesky can fail
}

#define INSTANTIATE(T)                                                                                       \
  template std::shared_ptr<const Analysis> with_delayed_pivots(const Analysis&, const numeric::Factors<T>&); \
  template numeric::Kind likely_kind(const matrix::Csr<T>&);                                                 \
  template numeric::Kind indefinite_kind(const matrix::Csr<T>&);                                             \
  template numeric::Kind chosen_kind(numeric::KindChoice, const matrix::Csr<T>&, int);                       \
  template bool suits(numeric::Kind, const matrix::Csr<T>&);                                                 \
  template Analysis analyze(const matrix::Csr<T>&, const AnalysisOptions&, Observer&);                       \
  template Analysis with_fronts(const matrix::Csr<T>&, Analysis);                                            \
  template Analysis in_clusters(const matrix::Csr<T>&, Analysis);                                            \
  template Analysis analyze_as(numeric::Kind, const matrix::Csr<T>&, const AnalysisOptions&, Observer&);     \
  template std::vector<Analysis> analyze_each_as(numeric::Kind, const matrix::Csr<T>&,                       \
                                                 const ordering::OrderingOptions&,                           \
                                                 std::span<const symbolic::SymbolicOptions>, Observer&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

// F the precision of the factors, T that of the system.
#define INSTANTIATE_FACTOR(F, T)                                                                    \
  template std::optional<Factorization<F>> try_factor<F>(                                           \
      const matrix::Csr<T>&, std::shared_ptr<const Analysis>, const numeric::FactorizationOptions&, \
      Observer&, numeric::PanelSink<F>*);                                                           \
  template Factorization<F> factor<F>(const matrix::Csr<T>&, std::shared_ptr<const Analysis>,       \
                                      const FactorOptions&, Observer&);
#define INSTANTIATE_SAME(T) INSTANTIATE_FACTOR(T, T)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE_SAME)
#ifndef TRISWEEP_DOUBLE_ONLY
INSTANTIATE_FACTOR(float, double)
INSTANTIATE_FACTOR(std::complex<float>, std::complex<double>)
#endif

}  // namespace trisweep::solve
