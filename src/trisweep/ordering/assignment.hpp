#pragma once
// Sparse linear assignment: the matching of rows to columns of least total cost, with the dual variables that
// prove it optimal.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/ordering/costs.hpp"

namespace trisweep::ordering {

// Shortest augmenting paths with dual variables: u(i) + v(j) <= cost(i,j), with equality where matched.
class Assignment {
 public:
  // `costs` must have as many columns as rows, and every column must occur. Makes the matches that greedy
  // choices find.
  explicit Assignment(Costs costs);

  // Matches as many rows as possible. Returns false as soon as the cost of matching all rows is known to
  // exceed `most`; a further call continues with the rows that are left.
  bool solve(Observer& observer, double most = std::numeric_limits<double>::infinity());

  Index rank() const { return rank_; }
  std::span<const Index> col_of_row() const { return col_of_; }  // -1 where unmatched
  std::span<const double> u() const { return u_; }
  std::span<const double> v() const { return v_; }

 private:
  // State of a column in a search.
  struct Label {
    double distance = std::numeric_limits<double>::infinity();  // from the nearest root
    Offset entry = -1;                                          // the last on the shortest path to it
    Index row = -1;                                             // of that entry
    Index tree = -1;                                            // of that row
    bool settled = false;                                       // the distance is final
  };

  Index rows() const { return static_cast<Index>(u_.size()); }
  double reduced(Index i, Offset p) const {
    return costs_.cost[usize(p)] - u_[usize(i)] - v_[usize(column(p))];
  }
  Index column(Offset p) const { return costs_.col[usize(p)]; }
  void assign(Index i, Offset p);
  void tighten_rows();
  std::vector<double> largest_prices(std::span<const double> u) const;
  void match_tight_entries();
  void match_tight_entry(Index i, bool diagonal_only);
  void begin_at_auctioned_prices(Observer& observer);
  void raise_prices();
  void report(Observer& observer);
  void match_one_by_one(Observer& observer, double most);
  bool augment(Observer& observer);
  void search(Observer& observer);
  void begin_search();
  void scan(Index i, Index tree, double length);
  bool pop_nearest(Index& column);
  void flip_paths();
  void update_duals();

  Costs costs_;
  std::vector<double> u_, v_;
  std::vector<Index> col_of_, row_of_;
  std::vector<Offset> entry_of_;  // of row i: the position of its matched entry
  Index rank_ = 0;
  Index most_matched_ = 0;  // so far
  bool is_auctioned_ = false;
  double least_cost_ = 0;  // sum of the dual variables: the least that matching all rows can cost

  // One search, from one unmatched row or from all that are left.
  std::vector<Index> roots_;                    // those rows: tree t grows from roots_[t]
  std::vector<Index> end_;                      // of tree t: its free column nearest to the root, or -1
  std::vector<Label> label_;                    // of columns
  std::vector<Index> reached_;                  // columns with a finite distance
  std::vector<Index> settled_;                  // columns by distance
  std::vector<std::pair<double, Index>> heap_;  // by distance; entries that were improved since are skipped
  double radius_ = 0;                           // columns nearer to a root are settled
  double farthest_ = 0;                         // columns as far or farther are of no use
};

}  // namespace trisweep::ordering
