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

// `structure` is that of the result: if pivots were delayed (see FactorizationOptions), supernodes have other
// columns than in the analysis, and rows and columns are numbered differently.
//
// Panels in supernode order, each dense and in slabs (core/slabs.hpp). With w = width(K), m = height(K):
//   lower    m x w  L(rows(K), K)
//   diagonal w x w  D(K)^-1
//   upper    m x w  U(K, rows(K))^T (plain transpose); empty unless has_upper(kind).
// `lower`, `diagonal` and `upper` are empty if a sink took the panels. In a factorization by several
// processes, each process has the panels of some supernodes; the panels of the others have no entries.
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
  Index delayed_pivots = 0;  // columns eliminated in another supernode than planned
  // Row i and column j of the matrix that was factored are row row_new[i] and column col_new[j] of L D U.
  // Empty if no pivot was delayed: the numbers are unchanged.
  std::vector<Index> row_new;
  std::vector<Index> col_new;

  // True if the panels of supernode k are stored here.
  bool has(Index k) const { return diagonal_ptr[usize(k)] < diagonal_ptr[usize(k) + 1]; }
  const T* lower_panel(Index k) const { return lower.data() + panel_ptr[usize(k)]; }
  const T* upper_panel(Index k) const { return upper.data() + panel_ptr[usize(k)]; }
  const T* diagonal_block(Index k) const { return diagonal.data() + diagonal_ptr[usize(k)]; }
  std::size_t bytes() const { return (lower.size() + diagonal.size() + upper.size()) * sizeof(T); }
};

struct FactorizationOptions {
  int threads = 1;
  // A pivot below this times the largest entry of A is rejected; if no other can be found, it is replaced and
  // counted. 0: epsilon^(3/4) of T, which is above what cancellation leaves in place of a zero.
  double pivot_threshold = 0.0;
  // What such a pivot is replaced by, relative to the largest entry of A. 0: sqrt(epsilon), or a given
  // pivot_threshold itself.
  double pivot_replacement = 0.0;
  // A pivot below this times the largest entry in its column, among the rows still to be eliminated, is
  // rejected, too: a front without a better one delays the column (except in Cholesky). This bounds the
  // growth of entries: smaller values mean fewer delayed pivots, less fill and less accuracy. 0: pivots are
  // searched for within diagonal blocks only, and replaced if below sqrt(epsilon) (static pivoting).
  double relative_threshold = 0.01;
  // A front in which an entry grows beyond this times the front's largest entry is eliminated with complete
  // pivoting (only for LU with a relative_threshold). 0: growth is not limited.
  double growth = 0;
};

template <Scalar T>
class PanelSink;
struct Fronts;

// `a`: scaled, and permuted into the structure's final order. All kinds but LU read the lower triangle only.
// Cholesky returns nullopt if a pivot is not positive (the caller then tries another kind). The other kinds
// always succeed without a sink; delayed and perturbed pivots are counted. With a sink (panel_sink.hpp) the
// result has no panels, and these kinds, too, return nullopt as soon as a pivot would have to be delayed to
// another supernode: that would change panels which the sink has taken. Throws Error(environment) when memory
// does not suffice.
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

// The same for values in the order of the pattern for which the fronts were made.
template <Scalar T>
std::optional<Factors<T>> factor(const Fronts& fronts, const MatrixValues<T>& values,
                                 const FactorizationOptions& options, Observer& observer = silent_observer(),
                                 PanelSink<T>* sink = nullptr);

}  // namespace trisweep::numeric
