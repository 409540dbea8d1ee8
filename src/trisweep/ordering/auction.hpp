#pragma once
// Matchings of rows to columns at nearly the least cost, by an auction for the columns.
//
// Bertsekas, "The auction algorithm: a distributed relaxation method for the assignment problem", Annals of
// Operations Research 14 (1988), with its scaling of the increment.

#include <limits>
#include <utility>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/ordering/costs.hpp"

namespace trisweep::ordering {

// Bids of some rows, those from `first` on, for all columns. The dual variable v of a column is lowered by
// each bid, so that a matched entry has u(i) + v(j) >= cost(i,j) - increment with u(i) = min_j (cost(i,j) -
// v(j)). That holds, too, if some v were lower than a bid took them for, as others' bids may have made them.
class Auction {
 public:
  struct Bid {
    Index column, row;  // row: of the whole matrix, or -1 for a column that is free again
    double v;
  };

  // `costs` must outlive this. `col_of_row`: for each of the rows its column, or -1.
  Auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double> v, Index first = 0);

  // Lets unmatched rows bid until all are matched. Returns false when there were too many bids: a number
  // proportional to that of rows. Where few prices decide about long chains of rows, or where not all rows
  // can be matched, there is no end of bidding soon.
  bool run(double increment, Observer& observer);
  // Frees rows whose entry is worse than their best by more than the increment.
  void free_dissatisfied(double increment);

  // The last bids for the columns whose v or row has changed since the last call.
  std::vector<Bid> new_bids();
  // Takes over a bid that was made elsewhere, or one of this auction. Allocates nothing.
  void accept(const Bid& bid);

  Index free_columns() const { return free_columns_; }
  const std::vector<double>& v() const { return v_; }
  const std::vector<Index>& row_of() const { return row_of_; }  // by column, -1: free

 private:
  struct Best {
    Index column = -1;
    double least = std::numeric_limits<double>::infinity(), second = least, own = least;
  };

  Index rows() const { return static_cast<Index>(col_of_.size()); }
  Best best_of(Index i, Index own) const;
  void bid(Index i, double increment);
  void give(Index column, Index row);
  void note(Index column);

  const Costs& costs_;
  std::vector<double> v_;
  Index first_;
  std::vector<Index> col_of_;  // by row of this auction
  std::vector<Index> row_of_;  // by column, of the whole matrix
  Index free_columns_;
  std::vector<Index> waiting_;  // unmatched rows, the next one to bid last
  std::vector<char> is_noted_;
  std::vector<Index> noted_;  // columns that changed
  Offset bids_left_;
  double largest_cost_;
};

// What a bid adds, in bits: a matching then costs at most that much more than the least, per row.
struct Increments {
  static constexpr double reduction = 5;
  double first = 0.25, last = 1e-5;
};

// Calls step(increment), each time with a smaller one, until that returns false or the last is reached.
template <class Step>
void with_falling(const Increments& increments, const Step& step) {
  for (double of = increments.first; step(of) && of > increments.last;) of /= Increments::reduction;
}

// Lowers the dual variables v of columns, so that most rows can be matched to entries of which u(i) + v(j) =
// cost(i,j): a cheap start for shortest augmenting paths. Begins with a matching (col_of_row, -1: unmatched)
// of such entries.
void run_auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double>& v,
                 Observer& observer);

}  // namespace trisweep::ordering
