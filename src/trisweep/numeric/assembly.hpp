#pragma once
// Fills a front: entries of the matrix, and the contribution blocks of its children (extend-add).

#include <span>
#include <vector>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/numeric/front.hpp"

namespace trisweep::numeric {

// The entries of A below the diagonal blocks, by column: what a CSR matrix cannot give to a supernode's
// panel.
template <Scalar T>
struct LowerColumns {
  std::vector<Offset> ptr;
  std::vector<Index> row;
  std::vector<T> value;

  LowerColumns(const matrix::Csr<T>& a, const symbolic::Structure& structure);
};

// The error that A has an entry where the structure has none.
Error outside_structure(Index row_or_column);

// What every front of one factorization is assembled from.
template <Scalar T>
struct Source {
  const matrix::Csr<T>& a;
  const LowerColumns<T>& columns;
  const symbolic::Structure& structure;
  Kind kind;
};

// Assembles one front after the other; one per thread, since it knows where each row lies in the current
// front.
template <Scalar T>
class Assembly {
 public:
  explicit Assembly(const Source<T>& source) : source_(source), position_(usize(source.structure.n), 0) {}

  // Makes `front` the current one: zero panels plus the entries of A. Throws Error(usage) when A has an entry
  // outside the structure.
  void begin(Front<T>& front);

  // Adds the contribution block of a child whose rows are `rows`.
  void add_child(Front<T>& front, View<T> child, std::span<const Index> rows);

 private:
  // Child rows [begin, end) that are consecutive in the front too, from position `target` on.
  struct Run {
    Index begin;
    Index end;
    Index target;
  };

  Index position_of(Index global) const;
  void add_matrix_rows(const Panel<T>& panel);
  void add_matrix_columns(const Panel<T>& panel);
  void find_runs(const Front<T>& front, std::span<const Index> rows);
  // Adds the child's column `from`, its rows in `runs` from `begin` on, to the column `to` whose row 0 is
  // front row `shift`.
  void add_column(std::span<const Run> runs, const T* from, Index begin, T* to, Index shift) const;
  void add_to_panel(const Panel<T>& panel, View<T> child, std::size_t first, std::size_t last) const;
  void add_transposed(const Panel<T>& panel, View<T> child, const Run& rows,
                      std::span<const Run> columns) const;
  void add_to_contribution(Front<T>& front, View<T> child, std::span<const Run> runs) const;

  const Source<T>& source_;
  std::vector<Index> position_;  // of a global row in the current front; stale for others
  std::vector<Index> global_;    // the current front's rows
  std::vector<Run> runs_;
};

}  // namespace trisweep::numeric
