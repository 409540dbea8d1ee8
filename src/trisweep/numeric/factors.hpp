#pragma once
// The numeric factorization in the form the solve phase wants: block LDU.
//
//   P A Q = L D U,   L block unit lower, U block unit upper, D block diagonal, and D's inverse stored.
//
// With L(I,K) = A'(I,K) D(K)^-1 and U(K,I) = D(K)^-1 A'(K,I) (A' the partly eliminated matrix) neither sweep
// has a diagonal solve left: forward y(I) -= L(I,K) y(K), then z(K) = D(K)^-1 y(K) for every K at once, then
// backward x(K) = z(K) - U(K,I) x(I). This goes one step further than inverting the diagonal blocks (Liu et
// al. 2018, section 3.2): the product with the diagonal leaves the critical path of the forward sweep,
// pivoting within a block costs nothing in the solve, and the transposed solves have the same shape.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/numeric/kind.hpp"
#include "trisweep/numeric/pivot_summary.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::numeric {

// The structure is the one that came out: where pivots were delayed (see Options), supernodes have other
// columns than the analysis gave them, and rows and columns other numbers.
//
// Panels in supernode order, each dense and in slabs (core/slabs.hpp). With w = width(K), m = height(K):
//   lower    m x w  L(rows(K), K)
//   diagonal w x w  D(K)^-1
//   upper    m x w  U(K, rows(K))^T (plain transpose); empty unless has_upper(kind).
// `lower`, `diagonal` and `upper` are empty where a sink has taken the panels. Of a factorization by several
// processes each has the panels of some supernodes; those of others have no entries.
template <Scalar T>
struct Factors {
  std::shared_ptr<const symbolic::Structure> structure;
  Kind kind = Kind::lu;
  std::vector<Offset> panel_ptr;     // supernodes + 1: K's panel starts at lower[panel_ptr[K]], same in upper
  std::vector<Offset> diagonal_ptr;  // supernodes + 1
  Buffer<T> lower;
  Buffer<T> diagonal;
  Buffer<T> upper;
  Index perturbed_pivots = 0;
  PivotSummary pivots;       // of the symmetric kinds
  Index delayed_pivots = 0;  // columns that were eliminated in another supernode than was planned
  // Row i and column j of the matrix that was factored are row row_new[i] and column col_new[j] of L D U.
  // Empty when no pivot was delayed: they are in their places.
  std::vector<Index> row_new;
  std::vector<Index> col_new;

  // Whether the panels of supernode k are here.
  bool has(Index k) const { return diagonal_ptr[usize(k)] < diagonal_ptr[usize(k) + 1]; }
  const T* lower_panel(Index k) const { return lower.data() + panel_ptr[usize(k)]; }
  const T* upper_panel(Index k) const { return upper.data() + panel_ptr[usize(k)]; }
  const T* diagonal_block(Index k) const { return diagonal.data() + diagonal_ptr[usize(k)]; }
  std::size_t bytes() const { return (lower.size() + diagonal.size() + upper.size()) * sizeof(T); }
};

struct FactorizationOptions {
  int threads = 1;
  // A pivot below this times the largest entry of A is no pivot: where another one cannot be found it is
  // replaced by that bound and counted. 0: epsilon^(3/4) of T, which is above what cancellation leaves where
  // a zero should be, and the replacement is sqrt(epsilon).
  double pivot_threshold = 0.0;
  // Nor is one below this times the largest entry in its column, among the rows that are still to be
  // eliminated: a front that has no better one delays the column (not for Cholesky). That bounds the growth
  // of entries: smaller values mean fewer delayed pivots, less fill and less accuracy. 0: pivots are looked
  // for within diagonal blocks alone, and below sqrt(epsilon) replaced (static pivoting).
  double relative_threshold = 0.01;
  // A front of which an entry grows to more than this times its largest one is eliminated with complete
  // pivoting (LU with a relative_threshold only). 0: whatever the growth.
  double growth = 0;
};

template <Scalar T>
class PanelSink;
struct Fronts;

// `a`: already ordered, scaled, and in the structure's final order. All kinds but LU read the lower triangle.
// Cholesky returns nullopt when a pivot is not positive (the caller then factors otherwise); the others
// always succeed, with delayed and perturbed pivots counted. Throws Error(environment) when memory does not
// suffice. With a sink (panel_sink.hpp) the result has no panels, and they return nullopt, too, as soon as a
// pivot is not found in its supernode: that changes panels that the sink has taken.
template <Scalar T>
std::optional<Factors<T>> factor(const matrix::Csr<T>& a,
                                 std::shared_ptr<const symbolic::Structure> structure, Kind kind,
                                 const FactorizationOptions& options, Observer& observer = silent_observer(),
                                 PanelSink<T>* sink = nullptr);

// Scaled values in the order of a pattern, and their largest modulus.
template <Scalar T>
struct MatrixValues {
  std::span<const T> value;
  RealOf<T> largest;
};

// The same of values in the order of the pattern that the fronts were made for.
template <Scalar T>
std::optional<Factors<T>> factor(const Fronts& fronts, const MatrixValues<T>& values,
                                 const FactorizationOptions& options, Observer& observer = silent_observer(),
                                 PanelSink<T>* sink = nullptr);

}  // namespace trisweep::numeric
