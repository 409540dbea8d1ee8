#pragma once
// The first two steps of a direct solution: analyze -> factor -> solve. The functions here run in one process
// with threads; the solver distributes their result to all ranks. (fronts_factorizer.hpp factors by all
// ranks, from the same analysis.)

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

// What depends on the pattern, and on the values only through matching and scaling. Entry (i, j) of A, times
// row_scale[i] * col_scale[j], is entry (row_new[i], col_new[j]) of the factored matrix.
struct Analysis {
  ordering::Ordering ordering;  // including the postorder
  std::shared_ptr<const symbolic::Structure> structure;
  numeric::Kind kind = numeric::Kind::lu;
  std::shared_ptr<const numeric::Fronts> fronts;  // for one process; null: made when A is factored
};

// A = L D U up to scaling and permutations, with F the precision of the factors.
template <Scalar F>
struct Factorization {
  std::shared_ptr<const Analysis> analysis;
  std::shared_ptr<const numeric::Factors<F>> factors;
  double scaled_norm_one = 0;  // ||Dr A Dc||_1, for the condition estimate
};

// Returns Cholesky if A is Hermitian with a positive diagonal (only the factorization tells whether A is
// definite), otherwise indefinite_kind(). Throws Error(input) when A is not square or is empty.
template <Scalar T>
numeric::Kind likely_kind(const matrix::Csr<T>& a);

// Returns L D L^H for a complex Hermitian matrix, L D L^T for a symmetric one, LU for others.
template <Scalar T>
numeric::Kind indefinite_kind(const matrix::Csr<T>& a);

// Returns the chosen kind (automatic: the likely one); after one failed attempt indefinite_kind(), after more
// LU. `failed`: number of failed attempts. Throws Error(usage) when the chosen kind does not suit A.
template <Scalar T>
numeric::Kind chosen_kind(numeric::KindChoice choice, const matrix::Csr<T>& a, int failed = 0);

// True if A can be factored in this kind: kinds that do not store U need a symmetric or Hermitian A.
template <Scalar T>
bool suits(numeric::Kind kind, const matrix::Csr<T>& a);

// Analyzes A for likely_kind(). Throws as that does, and Error(numerical) when A is structurally singular.
template <Scalar T>
Analysis analyze(const matrix::Csr<T>& a, const AnalysisOptions& options = {},
                 Observer& observer = silent_observer());

// analyze() for the given kind of factorization, which must suit A.
template <Scalar T>
Analysis analyze_as(numeric::Kind kind, const matrix::Csr<T>& a, const AnalysisOptions& options,
                    Observer& observer = silent_observer());

// Returns one analysis for each of `symbolic`, all from one ordering; the same as separate analyses, without
// ordering repeatedly.
template <Scalar T>
std::vector<Analysis> analyze_each_as(numeric::Kind kind, const matrix::Csr<T>& a,
                                      const ordering::OrderingOptions& ordering,
                                      std::span<const symbolic::SymbolicOptions> symbolic,
                                      Observer& observer = silent_observer());

// Returns the analysis with the fronts of A's pattern, which are reused to factor other values.
template <Scalar T>
Analysis with_fronts(const matrix::Csr<T>& a, Analysis analysis);

// Returns the analysis with wide supernodes ordered by clusters, so that their panels can be compressed.
template <Scalar T>
Analysis in_clusters(const matrix::Csr<T>& a, Analysis analysis);

// Returns the analysis of factors whose structure differs from the planned one.
template <Scalar F>
std::shared_ptr<const Analysis> with_delayed_pivots(const Analysis& planned,
                                                    const numeric::Factors<F>& factors);

// Returns log det(Dr Dc) for a scaling that preserves symmetry: Dr = Dc.
double log_of_symmetric_scales(const ordering::Ordering& ordering);

// Factors A in the precision F, as analyzed; if pivots are delayed, the result has an analysis of its own,
// with the resulting order and structure. Returns nullopt when Cholesky meets a nonpositive pivot: A is not
// positive definite. `sink` takes the panels, if it is not null; the other kinds then return nullopt if
// pivots would be delayed (numeric/factors.hpp).
template <Scalar F, Scalar T>
std::optional<Factorization<F>> try_factor(const matrix::Csr<T>& a, std::shared_ptr<const Analysis> analysis,
                                           const numeric::FactorizationOptions& options = {},
                                           Observer& observer = silent_observer(),
                                           numeric::PanelSink<F>* sink = nullptr);

struct FactorOptions {
  AnalysisOptions analysis;  // for the second try, see below
  numeric::FactorizationOptions numeric;
};

// try_factor(); if A is not positive definite after all, A is analyzed and factored again as
// indefinite_kind(), and the result has that analysis.
template <Scalar F, Scalar T>
Factorization<F> factor(const matrix::Csr<T>& a, std::shared_ptr<const Analysis> analysis,
                        const FactorOptions& options = {}, Observer& observer = silent_observer());

}  // namespace trisweep::solve
