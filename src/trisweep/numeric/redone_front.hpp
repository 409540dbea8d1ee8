#pragma once
// A front whose pivots, taken within diagonal blocks, are not good enough is assembled once more, as one
// square matrix, and eliminated with threshold pivoting over all of its rows. Rows and columns for which
// there is no good pivot are delayed: they go to the parent front with the contribution block and become the
// first fully summed ones there (Duff and Reid 1983; in a multifrontal method that costs nothing but fill).
// In LU rows and columns are delayed independently of each other; in a front they pair by position. In
// symmetric fronts, of which the lower triangle is read alone, they move together.

#include <span>
#include <vector>

#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/contribution.hpp"
#include "trisweep/numeric/threshold_ldl.hpp"

namespace trisweep::numeric {

// What came out in the place of a supernode of the structure: its panels as in Factors, column-major. Pivot j
// is row row[j] and column col[j] of A; the rows of `lower` are row[width], row[width + 1], ..., those of
// `upper` (empty unless has_upper(kind)) col[width], ...
template <Scalar T>
struct Piece {
  Index supernode = 0;
  Index width = 0;
  std::vector<Index> row;
  std::vector<Index> col;
  std::vector<T> diagonal;
  std::vector<T> lower;
  std::vector<T> upper;

  Index height() const { return static_cast<Index>(row.size()) - width; }
  Offset entries() const { return std::ssize(diagonal) + std::ssize(lower) + std::ssize(upper); }
};

// A child's contribution block: delayed rows and columns become candidates at supernode `into`, the parent of
// its last one; `rows` are the others.
template <Scalar T>
struct ChildBlock {
  Index into;
  View<T> view;
  std::span<const Index> delayed_row, delayed_col;
  std::span<const Index> rows;
};

template <Scalar T>
struct RedoneFront {
  std::vector<Piece<T>> pieces;
  Contribution<T> contribution;
  Index perturbed_pivots = 0;
  PivotSummary pivots{};  // of the symmetric kinds
};

// Where each piece has the rows and columns of one of the front's supernodes: writes them into its panels.
// False, and nothing is done, where pivots came to another place.
template <Scalar T>
bool put_in_place(std::span<const Piece<T>> pieces, const symbolic::Structure& structure,
                  const Front<T>& front);

// Redoes fronts of one factorization; one per thread, since it knows where each row lies in the current
// front.
template <Scalar T>
class FrontRedoer {
 public:
  FrontRedoer(const Source<T>& source, const PivotRules<RealOf<T>>& rules);

  // The front of supernodes `members`. At most `most_delayed` columns are passed on, none at a root.
  RedoneFront<T> redo(std::span<const Index> members, std::span<const ChildBlock<T>> children,
                      Index most_delayed);

 private:
  void name(std::span<const Index> members, std::span<const ChildBlock<T>> children);
  void assemble(std::span<const Index> members, std::span<const ChildBlock<T>> children);
  void add_matrix(Index k);
  void add_child(const ChildBlock<T>& child);
  void add(Index row, Index col, T value);
  template <class Eliminated>
  RedoneFront<T> eliminate(std::span<const Index> members, std::span<const Index> ends, Index most_delayed,
                           Eliminated eliminated);
  template <class Eliminated>
  void cut_pieces(Index k, Index begin, Index end, const Eliminated& eliminated,
                  std::vector<Piece<T>>& pieces);
  Piece<T> piece(Index k, Index begin, Index end);
  void finish(const ThresholdLu<T>& eliminated, Index begin, Piece<T>& piece) const;
  void finish(const ThresholdLdl<T>& eliminated, Index begin, Piece<T>& piece) const;
  Contribution<T> contribution(Index begin, Index delayed) const;

  Source<T> source_;
  PivotRules<RealOf<T>> rules_;
  Index widest_;  // of the supernodes that are not kept whole
  NamedMatrix<T> front_;
  std::vector<Index> member_end_;       // candidates of members up to this one, when the first one starts
  std::vector<Index> row_at_, col_at_;  // of rows and columns of A in the current front; stale for others
};

}  // namespace trisweep::numeric
