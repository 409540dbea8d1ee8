#include "trisweep/ordering/auction.hpp"

#include <algorithm>
#include <utility>

namespace trisweep::ordering {
namespace {

constexpr Offset bids_per_row = 200;
constexpr Offset poll_every = 4096;

}  // namespace

Auction::Auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double> v, Index first)
    : costs_(costs),
      v_(std::move(v)),
      first_(first),
      col_of_(std::move(col_of_row)),
      row_of_(v_.size(), -1),
      free_columns_(static_cast<Index>(v_.size())),
      is_noted_(v_.size()),
      bids_left_(bids_per_row * std::ssize(col_of_)),
      largest_cost_(costs.cost.empty() ? 0 : std::ranges::max(costs.cost)) {
  waiting_.reserve(col_of_.size());
  for (Index i = rows(); i-- > 0;) {
    const Index j = col_of_[usize(i)];
    if (j < 0) {
      waiting_.push_back(i);
    } else {
      give(j, first_ + i);
      note(j);
    }
  }
}

bool Auction::run(double increment, Observer& observer) {
  while (!waiting_.empty()) {
    if (bids_left_ == 0) return false;
    if (--bids_left_ % poll_every == 0) observer.poll();
    const Index i = waiting_.back();
    waiting_.pop_back();
    bid(i, increment);
  }
  return true;
}

void Auction::free_dissatisfied(double increment) {
  for (Index i = rows(); i-- > 0;) {
    const Index j = col_of_[usize(i)];
    if (j < 0) continue;
    const Best best = best_of(i, j);
    if (best.column >= 0 && best.own <= best.least + increment) continue;
    give(j, -1);
    note(j);
  }
}

// Of cost(i,j) - v(j) in row i; `own` is that of a given column.
Auction::Best Auction::best_of(Index i, Index own) const {
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
void Auction::bid(Index i, double increment) {
  const Best best = best_of(i, -1);
  const Index j = best.column;
  if (j < 0) return;
  v_[usize(j)] -= std::min(best.second - best.least, largest_cost_) + increment;
  give(j, first_ + i);
  note(j);
}

// `row`: -1 frees the column.
void Auction::give(Index column, Index row) {
  const Index loser = std::exchange(row_of_[usize(column)], row);
  free_columns_ += (row < 0) - (loser < 0);
  if (loser == row) return;
  const auto own = [&](Index r) { return r >= first_ && r < first_ + rows(); };
  if (own(loser)) {
    col_of_[usize(loser - first_)] = -1;
    waiting_.push_back(loser - first_);
  }
  if (own(row)) col_of_[usize(row - first_)] = column;
}

void Auction::note(Index column) {
  if (std::exchange(is_noted_[usize(column)], 1) == 0) noted_.push_back(column);
}

std::vector<Auction::Bid> Auction::new_bids() {
  std::vector<Bid> bids;
  bids.reserve(noted_.size());
  for (const Index j : noted_) {
    bids.push_back({j, row_of_[usize(j)], v_[usize(j)]});
    is_noted_[usize(j)] = 0;
  }
  noted_.clear();
  return bids;
}

void Auction::accept(const Bid& bid) {
  v_[usize(bid.column)] = bid.v;
  give(bid.column, bid.row);
}

void run_auction(const Costs& costs, std::vector<Index> col_of_row, std::vector<double>& v,
                 Observer& observer) {
  Auction auction(costs, std::move(col_of_row), std::move(v));
  with_falling({}, [&](double increment) {
    auction.free_dissatisfied(increment);
    return auction.run(increment, observer);
  });
  v = auction.v();
}

}  // namespace trisweep::ordering
