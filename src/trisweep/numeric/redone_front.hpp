#pragma once
// A front whose pivots, taken within diagonal blocks, are not good enough is assembled once more, as one
// square matrix, and eliminated with threshold pivoting over all of its rows. Rows and columns for which
// there is no good pivot are delayed: they go to the parent front with the contribution block and become the
// first fully summed ones there (Duff and Reid 1983; in a multifrontal method that costs nothing but fill).
// In LU rows and columns are delayed independently of each other; in a front they pair by position. In
// symmetric fronts, of which only the lower triangle is read, rows and columns move together.

#include <span>
#include <vector>

#include "trisweep/numeric/assembly.hpp"
#include "trisweep/numeric/contribution.hpp"
#include "trisweep/numeric/threshold_ldl.hpp"

namespace trisweep::numeric {

// One of the supernodes that result in place of a supernode of the structure: its panels as in Factors, but
// column-major. Pivot j is row row[j] and column col[j] of A; the rows of `lower` are row[width], row[width +
// 1], ..., those of `upper` (empty unless has_upper(kind)) col[width], ...
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

// A child's contribution block. Its delayed rows and columns become pivot candidates at supernode `into`, the
// parent of the child's last supernode; `rows` are its other rows.
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

// If the pieces have the rows and columns of the front's supernodes, writes them into the front's panels and
// returns true. Returns false, and does nothing, if pivots were moved to another supernode.
template <Scalar T>
bool put_in_place(std::span<const Piece<T>> pieces, const symbolic::Structure& structure,
                  const Front<T>& front);

// Redoes fronts of one factorization; one per thread, since it stores the position of each row in the current
// front.
template <Scalar T>
class FrontRedoer {
 public:
  FrontRedoer(const Source<T>& source, const PivotRules<RealOf<T>>& rules);

  // Redoes the front of supernodes `members`. At most `most_delayed` columns are delayed, none at a root.
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
  Index widest_;  // most columns of a supernode that is not kept whole
  NamedMatrix<T> front_;
  std::vector<Index> member_end_;       // by member: end of its candidates before the elimination
  std::vector<Index> row_at_, col_at_;  // by row or column of A: position in the front; stale if not in it
};

}  // namespace trisweep::numeric
