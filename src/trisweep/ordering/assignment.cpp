#include "trisweep/ordering/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "trisweep/ordering/auction.hpp"

namespace trisweep::ordering {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index report_every = 4096;

// Searches from single rows may settle this many columns per row of the matrix in total.
constexpr Offset cheap = 4;
}  // namespace

Assignment::Assignment(Costs costs) : costs_(std::move(costs)) {
  const std::size_t n = costs_.row_ptr.size() - 1;
  u_.assign(n, 0.0);
  v_.assign(n, 0.0);
  entry_of_.assign(n, -1);
  label_.resize(n);
  v_ = largest_prices(u_);
  tighten_rows();
  match_tight_entries();
}

void Assignment::assign(Index i, Offset p) {
  col_of_[usize(i)] = column(p);
  row_of_[usize(column(p))] = i;
  entry_of_[usize(i)] = p;
}

// u(i) = min_j c(i,j) - v(j): the largest that is feasible, tight at an entry of each row.
void Assignment::tighten_rows() {
  for (Index i = 0; i < rows(); ++i) {
    double least = infinity;
    for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p)
      least = std::min(least, costs_.cost[usize(p)] - v_[usize(column(p))]);
    u_[usize(i)] = least < infinity ? least : 0.0;
  }
}

// v(j) = min_i c(i,j) - u(i): the largest that are feasible with u.
std::vector<double> Assignment::largest_prices(std::span<const double> u) const {
  std::vector<double> prices(u.size(), infinity);
  for (Index i = 0; i < rows(); ++i) {
    for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
      double& v = prices[usize(column(p))];
      v = std::min(v, costs_.cost[usize(p)] - u[usize(i)]);
    }
  }
  return prices;
}

// The diagonal goes first: among equally good matchings the one nearest to A's own order keeps a symmetric
// pattern symmetric, and so the fill small.
void Assignment::match_tight_entries() {
  least_cost_ = std::reduce(u_.begin(), u_.end(), std::reduce(v_.begin(), v_.end()));
  rank_ = 0;
  col_of_.assign(u_.size(), -1);
  row_of_.assign(u_.size(), -1);
  for (Index i = 0; i < rows(); ++i) match_tight_entry(i, true);
  for (Index i = 0; i < rows(); ++i)
    if (col_of_[usize(i)] < 0) match_tight_entry(i, false);
}

void Assignment::match_tight_entry(Index i, bool diagonal_only) {
  for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
    const Index j = column(p);
    if ((diagonal_only && j != i) || row_of_[usize(j)] >= 0 || reduced(i, p) > 0) continue;
    assign(i, p);
    ++rank_;
    return;
  }
}

// An auction takes the same time whether paths are short or long, but does not end with an optimal matching:
// searches go on from its prices, and find short paths.
void Assignment::begin_at_auctioned_prices(Observer& observer) {
  run_auction(costs_, col_of_, v_, observer);
  tighten_rows();
  v_ = largest_prices(u_);
  match_tight_entries();
  is_auctioned_ = true;
}

// Dual variables are not unique: v becomes as large as it can be without exceeding the least cost in each
// column, which is what searches alone lead to. Bids go lower than they must, and scaling would multiply by
// that. The rows that are matched to columns whose v rises limit each other's: shortest paths, by reduced
// costs.
void Assignment::raise_prices() {
  const std::vector<double> least_cost = largest_prices(std::vector<double>(u_.size()));
  begin_search();
  for (Index j = 0; j < rows(); ++j) {
    label_[usize(j)].distance = std::max(0.0, least_cost[usize(j)] - v_[usize(j)]);
    reached_.push_back(j);
    heap_.emplace_back(label_[usize(j)].distance, j);
  }
  std::ranges::make_heap(heap_, std::greater<>());
  for (Index j; pop_nearest(j);) scan(row_of_[usize(j)], 0, label_[usize(j)].distance);
  for (Index j = 0; j < rows(); ++j) v_[usize(j)] += label_[usize(j)].distance;
  for (Index i = 0; i < rows(); ++i)
    u_[usize(i)] = costs_.cost[usize(entry_of_[usize(i)])] - v_[usize(col_of_[usize(i)])];
}

void Assignment::report(Observer& observer) {
  most_matched_ = std::max(most_matched_, rank_);
  observer.progress("match", static_cast<double>(most_matched_) / rows());
}

bool Assignment::solve(Observer& observer, double most) {
  match_one_by_one(observer, most);
  if (!roots_.empty() && least_cost_ <= most) {
    begin_at_auctioned_prices(observer);
    match_one_by_one(observer, most);
  }
  while (!roots_.empty() && least_cost_ <= most && augment(observer)) report(observer);
  if (is_auctioned_ && rank_ == rows()) raise_prices();
  return !(least_cost_ > most);
}

// In most matrices few rows are left, or paths are short, and a search from each row costs least. In a chain,
// paths are long and each search passes over the columns of many others: once these searches have cost
// enough, the rows that are left become the roots of common searches.
void Assignment::match_one_by_one(Observer& observer, double most) {
  std::vector<Index> left;
  Offset work = 0;
  for (Index i = 0; i < rows(); ++i) {
    if (i % report_every == 0) report(observer);
    if (col_of_[usize(i)] >= 0) continue;
    roots_.assign(1, i);
    if (least_cost_ <= most && work < cheap * rows()) {
      augment(observer);
      work += std::ssize(settled_);
    }
    left.insert(left.end(), roots_.begin(), roots_.end());
  }
  roots_ = std::move(left);
}

// Matches the roots whose trees have a free column, and keeps the others. Trees are disjoint, and so are
// their paths: all are augmented at once, as by Hopcroft & Karp, SIAM J. Comput. 2 (1973), where there are no
// costs. Returns false if no tree has a free column: then no matching with any of these roots is larger.
bool Assignment::augment(Observer& observer) {
  search(observer);
  const Index before = rank_;
  flip_paths();
  update_duals();
  return rank_ > before;
}

// Dijkstra's algorithm over columns, by reduced costs, from all roots at once: a column joins the tree of the
// root nearest to it. The search stops when half of the trees have a free column, or when it has grown by
// half since the last tree found one: the columns that the other trees need are in neighbouring trees, and
// after augmenting these there are nearer ones. The sum of the dual variables grows with the radius at the
// rate (number of roots - number of free columns within the radius).
void Assignment::search(Observer& observer) {
  begin_search();
  const std::size_t trees = roots_.size();
  std::size_t ended = 0, free_columns = 0, enough = std::numeric_limits<std::size_t>::max();
  for (std::size_t t = 0; t < trees; ++t) scan(roots_[t], static_cast<Index>(t), 0.0);
  for (Index j; 2 * ended < trees && settled_.size() < enough && pop_nearest(j);) {
    if (settled_.size() % report_every == 0) report(observer);
    const Label& label = label_[usize(j)];
    least_cost_ += (label.distance - radius_) * static_cast<double>(trees - free_columns);
    radius_ = label.distance;
    if (row_of_[usize(j)] >= 0) {
      scan(row_of_[usize(j)], label.tree, radius_);
      continue;
    }
    ++free_columns;
    if (end_[usize(label.tree)] >= 0) continue;
    end_[usize(label.tree)] = j;
    ++ended;
    enough = settled_.size() + (settled_.size() + trees) / 2;
  }
}

void Assignment::begin_search() {
  for (const Index j : reached_) label_[usize(j)] = {};
  reached_.clear();
  settled_.clear();
  heap_.clear();
  end_.assign(roots_.size(), -1);
  radius_ = 0;
  farthest_ = infinity;
}

// Relaxes the entries of row i of a tree, which lies at distance `length` from the root.
void Assignment::scan(Index i, Index tree, double length) {
  for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
    const Index j = column(p);
    Label& label = label_[usize(j)];
    if (label.settled) continue;
    // Rounding may leave a reduced cost a little below zero.
    const double d = length + std::max(0.0, reduced(i, p));
    if (d >= farthest_ || d >= label.distance) continue;
    if (label.distance == infinity) reached_.push_back(j);
    label = {.distance = d, .entry = p, .row = i, .tree = tree};
    if (row_of_[usize(j)] < 0 && roots_.size() == 1) farthest_ = d;
    heap_.emplace_back(d, j);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
}

// Settles the nearest reached column; false when none is left.
bool Assignment::pop_nearest(Index& column) {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    column = heap_.back().second;
    heap_.pop_back();
    if (std::exchange(label_[usize(column)].settled, true)) continue;
    settled_.push_back(column);
    return true;
  }
  return false;
}

// Matches along the path of each tree from its free column to its root.
void Assignment::flip_paths() {
  std::vector<Index> left;
  for (std::size_t t = 0; t < roots_.size(); ++t) {
    if (end_[t] < 0) {
      left.push_back(roots_[t]);
      continue;
    }
    for (Index j = end_[t]; j >= 0;) {
      const Label& label = label_[usize(j)];
      j = col_of_[usize(label.row)];
      assign(label.row, label.entry);
    }
    ++rank_;
  }
  roots_ = std::move(left);
}

// Shifts the dual variables of settled columns by their distance to the radius: entries of trees become
// tight, no reduced cost becomes negative, and other columns are unchanged (Jonker & Volgenant, Computing 38
// (1987)). u(i) = c(i,j) - v(j) is recomputed at every matched entry that changed.
void Assignment::update_duals() {
  for (const Index j : settled_) {
    v_[usize(j)] += label_[usize(j)].distance - radius_;
    const Index i = row_of_[usize(j)];
    if (i >= 0) u_[usize(i)] = costs_.cost[usize(entry_of_[usize(i)])] - v_[usize(j)];
  }
  for (const Index i : roots_) u_[usize(i)] += radius_;
}

}  // namespace trisweep::ordering
