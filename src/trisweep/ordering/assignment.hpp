#pragma once
// Sparse linear assignment: the matching of rows to columns of least total cost, with the dual variables that
// prove it.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::ordering {

// Row i may be matched to col[p] at cost[p] >= 0, p in [row_ptr[i], row_ptr[i+1]).
struct Costs {
  std::vector<Offset> row_ptr;
  std::vector<Index> col;
  std::vector<double> cost;
};

// Shortest augmenting paths with dual variables: u(i) + v(j) <= cost(i,j), with equality where matched.
class Assignment {
 public:
  // As many columns as rows; every column occurs in `costs`. Matches what greedy choices can.
  explicit Assignment(Costs costs);

  // Matches as many rows as can be. False, with rows left for a further call, as soon as it is known that all
  // of them cost more than `most`.
  bool solve(Observer& observer, double most = std::numeric_limits<double>::infinity());

  Index rank() const { return rank_; }
  std::span<const Index> col_of_row() const { return col_of_; }  // -1 where unmatched
  std::span<const double> u() const { return u_; }
  std::span<const double> v() const { return v_; }

 private:
  Index rows() const { return static_cast<Index>(u_.size()); }
  double reduced(Index i, Offset p) const {
    return costs_.cost[usize(p)] - u_[usize(i)] - v_[usize(column(p))];
  }
  Index column(Offset p) const { return costs_.col[usize(p)]; }
  void assign(Index i, Offset p);
  void start_duals();
  void match_tight_entries(Index i, bool diagonal_only);
  bool rematch_neighbour(Index i);
  bool augment(Index root);
  void scan(Index i, double length);
  bool pop_nearest(Index& column);
  void update_duals();
  void flip_path(Index root);

  Costs costs_;
  std::vector<double> u_, v_;
  std::vector<Index> col_of_, row_of_;
  std::vector<Offset> entry_of_;  // of row i: the position of its matched entry
  Index rank_ = 0;
  double least_cost_ = 0;  // the sum of the dual variables: all matchings of all rows cost as much

  // One search from an unmatched row.
  std::vector<double> distance_;    // of columns
  std::vector<Index> from_;         // the row before column j on the shortest path to it
  std::vector<Offset> from_entry_;  // ... and the entry that joins them
  std::vector<char> settled_;       // distance is final
  std::vector<Index> reached_;      // columns with a finite distance
  std::vector<Index> settled_columns_;
  std::vector<std::pair<double, Index>> heap_;  // by distance; entries that were improved since are skipped
  double shortest_ = 0;                         // length of the best augmenting path so far
  Index end_ = -1;                              // and the free column it ends in
};

}  // namespace trisweep::ordering
