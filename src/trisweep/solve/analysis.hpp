#pragma once
// The first two of the three objects a user meets: analyze -> factor -> solver. Both are made by one process
// with threads, and the solver takes the result to all ranks. (Where all ranks factor, the
// analysis is made so.)

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/numeric/fronts.hpp"
#include "trisweep/numeric/panel_sink.hpp"
#include "trisweep/ordering/ordering.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::solve {

struct AnalysisOptions {
  ordering::OrderingOptions ordering;
  symbolic::SymbolicOptions symbolic;
};

// What depends on the pattern, and on the values only through matching and scaling. Entry (i, j) of A is
// entry (row_new[i], col_new[j]) of the factored matrix, times row_scale[i] * col_scale[j].
struct Analysis {
  ordering::Ordering ordering;  // including the postorder
  std::shared_ptr<const symbolic::Structure> structure;
  numeric::Kind kind = numeric::Kind::lu;
  std::shared_ptr<const numeric::Fronts> fronts;  // of one process; null: made when A is factored
};

// A = (scaling and permutations of) L D U, with F the precision of the factors.
template <Scalar F>
struct Factorization {
  std::shared_ptr<const Analysis> analysis;
  std::shared_ptr<const numeric::Factors<F>> factors;
  double scaled_norm_one = 0;  // ||Dr A Dc||_1, for the condition estimate
};

// Cholesky when A is Hermitian with a positive diagonal: whether A is definite, only factoring it tells.
// Otherwise as indefinite_kind(). Throws Error(usage) when A is not square or empty.
template <Scalar T>
numeric::Kind likely_kind(const matrix::Csr<T>& a);

// L D L^H of a complex Hermitian matrix, L D L^T of a symmetric one, LU of others.
template <Scalar T>
numeric::Kind indefinite_kind(const matrix::Csr<T>& a);

// The kind that was chosen; automatic: the likely one. Throws Error(usage) when it does not suit A. After it
// has `failed` once, indefinite_kind(); after that, too, LU.
template <Scalar T>
numeric::Kind chosen_kind(numeric::KindChoice choice, const matrix::Csr<T>& a, int failed = 0);

// Whether A can be factored in that kind: where U is not stored it is symmetric or Hermitian.
template <Scalar T>
bool suits(numeric::Kind kind, const matrix::Csr<T>& a);

// In the likely kind. Throws as that does, and Error(numerical) when A is structurally singular.
template <Scalar T>
Analysis analyze(const matrix::Csr<T>& a, const AnalysisOptions& options = {},
                 Observer& observer = silent_observer());

// analyze() with the kind of factorization given, which must suit A.
template <Scalar T>
Analysis analyze_as(numeric::Kind kind, const matrix::Csr<T>& a, const AnalysisOptions& options,
                    Observer& observer = silent_observer());

// An analysis for each of `symbolic`, which share one order: the same as analyzing again and again, without
// ordering again.
template <Scalar T>
std::vector<Analysis> analyze_each_as(numeric::Kind kind, const matrix::Csr<T>& a,
                                      const ordering::OrderingOptions& ordering,
                                      std::span<const symbolic::SymbolicOptions> symbolic,
                                      Observer& observer = silent_observer());

// With the fronts of A's pattern, which other values of it are then factored with, too.
template <Scalar T>
Analysis with_fronts(const matrix::Csr<T>& a, Analysis analysis);

// The same analysis with wide supernodes in the order of clusters, so that their
// panels can be compressed.
template <Scalar T>
Analysis in_clusters(const matrix::Csr<T>& a, Analysis analysis);

// The analysis of factors that have another structure than was planned.
template <Scalar F>
std::shared_ptr<const Analysis> with_delayed_pivots(const Analysis& planned,
                                                    const numeric::Factors<F>& factors);

// The logarithm of the determinant of Dr Dc, which are the same where A stays symmetric.
double log_of_symmetric_scales(const ordering::Ordering& ordering);

// Factors A in the precision of F, as it was analyzed; where pivots are delayed the result has an analysis of
// its own, with the order and structure that came out. Nullopt when Cholesky meets a pivot that is not
// positive: A is not positive definite after all. A sink takes the panels, and has the other kinds return
// nullopt where pivots would be delayed (numeric/factors.hpp).
template <Scalar F, Scalar T>
std::optional<Factorization<F>> try_factor(const matrix::Csr<T>& a, std::shared_ptr<const Analysis> analysis,
                                           const numeric::FactorizationOptions& options = {},
                                           Observer& observer = silent_observer(),
                                           numeric::PanelSink<F>* sink = nullptr);

struct FactorOptions {
  AnalysisOptions analysis;  // for the second try, see below
  numeric::FactorizationOptions numeric;
};

// try_factor(), and when A is not positive definite after all, once more: A is then analyzed again as
// indefinite_kind() says, and the result has that analysis.
template <Scalar F, Scalar T>
Factorization<F> factor(const matrix::Csr<T>& a, std::shared_ptr<const Analysis> analysis,
                        const FactorOptions& options = {}, Observer& observer = silent_observer());

}  // namespace trisweep::solve
