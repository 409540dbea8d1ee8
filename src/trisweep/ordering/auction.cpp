#include "trisweep/ordering/auction.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace trisweep::ordering {
namespace {

// Of the increment that a bid adds: a matching then costs at most that much more than the least, per row.
constexpr double first_increment = 0.25, last_increment = 1e-5, reduction = 5;
constexpr Offset bids_per_row = 200;
constexpr Offset poll_every = 4096;

class Auction {
 public:
  Auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double>& v)
      : costs_(costs),
        v_(v),
        col_of_(std::move(col_of_row)),
        row_of_(v.size(), -1),
        bids_left_(bids_per_row * std::ssize(v)),
        largest_cost_(costs.cost.empty() ? 0 : std::ranges::max(costs.cost)) {
    for (Index i = rows(); i-- > 0;) {
      const Index j = col_of_[usize(i)];
      if (j >= 0)
        row_of_[usize(j)] = i;
      else
        waiting_.push_back(i);
    }
  }

  // Lets unmatched rows bid until all are matched. Returns false when there were too many bids.
  bool run(double increment, Observer& observer) {
    while (!waiting_.empty()) {
      if (--bids_left_ < 0) return false;
      if (bids_left_ % poll_every == 0) observer.poll();
      const Index i = waiting_.back();
      waiting_.pop_back();
      bid(i, increment);
    }
    return true;
  }

  // Frees rows whose entry is worse than their best by more than the increment.
  void free_dissatisfied(double increment) {
    for (Index i = rows(); i-- > 0;) {
      Index& j = col_of_[usize(i)];
      if (j < 0) continue;
      if (const Best best = best_of(i, j); best.own <= best.least + increment) continue;
      row_of_[usize(j)] = -1;
      j = -1;
      waiting_.push_back(i);
    }
  }

 private:
  struct Best {
    Index column = -1;
    double least = std::numeric_limits<double>::infinity(), second = least, own = least;
  };

  Index rows() const { return static_cast<Index>(v_.size()); }

  // Of cost(i,j) - v(j) in row i; `own` is that of a given column.
  Best best_of(Index i, Index own) const {
    Best best;
    for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
      const Index j = costs_.col[usize(p)];
      const double net = costs_.cost[usize(p)] - v_[usize(j)];
      if (j == own) best.own = net;
      if (net < best.least) {
        best.second = best.least;
        best.least = net;
        best.column = j;
      } else {
        best.second = std::min(best.second, net);
      }
    }
    return best;
  }

  // Row i takes its best column, and lowers v so far that it would hardly prefer its second best.
  void bid(Index i, double increment) {
    const Best best = best_of(i, -1);
    const Index j = best.column;
    if (j < 0) return;
    v_[usize(j)] -= std::min(best.second - best.least, largest_cost_) + increment;
    const Index loser = std::exchange(row_of_[usize(j)], i);
    col_of_[usize(i)] = j;
    if (loser < 0) return;
    col_of_[usize(loser)] = -1;
    waiting_.push_back(loser);
  }

  const Costs& costs_;
  std::vector<double>& v_;
  std::vector<Index> col_of_, row_of_;
  std::vector<Index> waiting_;  // unmatched rows, the next one to bid last
  Offset bids_left_;
  double largest_cost_;
};

}  // namespace

void run_auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double>& v,
                 Observer& observer) {
  Auction auction(costs, std::move(col_of_row), v);
  for (double increment = first_increment; auction.run(increment, observer) && increment > last_increment;) {
    increment /= reduction;
    auction.free_dissatisfied(increment);
  }
}

}  // namespace trisweep::ordering
