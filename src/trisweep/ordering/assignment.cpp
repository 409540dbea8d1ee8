#include "trisweep/ordering/assignment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace trisweep::ordering {
namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index report_every = 4096;
}  // namespace

Assignment::Assignment(Costs costs) : costs_(std::move(costs)) {
  const std::size_t n = costs_.row_ptr.size() - 1;
  u_.assign(n, 0.0);
  v_.assign(n, infinity);
  col_of_.assign(n, -1);
  row_of_.assign(n, -1);
  entry_of_.assign(n, -1);
  distance_.assign(n, infinity);
  from_.assign(n, -1);
  from_entry_.assign(n, -1);
  settled_.assign(n, 0);
  start_duals();
  for (Index i = 0; i < rows(); ++i) match_tight_entries(i, true);
  for (Index i = 0; i < rows(); ++i) {
    if (col_of_[usize(i)] < 0) match_tight_entries(i, false);
  }
}

void Assignment::assign(Index i, Offset p) {
  col_of_[usize(i)] = column(p);
  row_of_[usize(column(p))] = i;
  entry_of_[usize(i)] = p;
}

// v(j) = min_i c(i,j), then u(i) = min_j c(i,j) - v(j): feasible, and tight at the minimum of each row.
void Assignment::start_duals() {
  for (Offset p = 0; p < costs_.row_ptr.back(); ++p) {
    double& v = v_[usize(column(p))];
    v = std::min(v, costs_.cost[usize(p)]);
  }
  for (Index i = 0; i < rows(); ++i) {
    double least = infinity;
    for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
      least = std::min(least, reduced(i, p));
    }
    u_[usize(i)] = least < infinity ? least : 0.0;
  }
  least_cost_ = std::reduce(u_.begin(), u_.end(), std::reduce(v_.begin(), v_.end()));
}

// The diagonal goes first: among equally good matchings the one nearest to A's own order keeps a symmetric
// pattern symmetric, and so the fill small.
void Assignment::match_tight_entries(Index i, bool diagonal_only) {
  for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
    const Index j = column(p);
    if ((diagonal_only && j != i) || row_of_[usize(j)] >= 0 || reduced(i, p) > 0) continue;
    assign(i, p);
    ++rank_;
    return;
  }
}

// An augmenting path of two tight entries: row i takes the column of a row that has another free one.
bool Assignment::rematch_neighbour(Index i) {
  for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
    const Index other = row_of_[usize(column(p))];
    if (reduced(i, p) > 0 || other < 0) continue;
    for (Offset q = costs_.row_ptr[usize(other)]; q < costs_.row_ptr[usize(other) + 1]; ++q) {
      if (row_of_[usize(column(q))] >= 0 || reduced(other, q) > 0) continue;
      assign(other, q);
      assign(i, p);
      ++rank_;
      return true;
    }
  }
  return false;
}

bool Assignment::solve(Observer& observer, double most) {
  for (Index i = 0; i < rows(); ++i) {
    if (i % report_every == 0) observer.progress("match", static_cast<double>(i) / rows());
    if (least_cost_ > most) return false;
    if (col_of_[usize(i)] < 0 && !rematch_neighbour(i) && augment(i)) ++rank_;
  }
  return !(least_cost_ > most);
}

// Dijkstra over columns, by reduced costs, from `root` to the nearest free column. A search that finds none
// leaves its columns settled for good: no later augmenting path can pass through them.
bool Assignment::augment(Index root) {
  shortest_ = infinity;
  end_ = -1;
  heap_.clear();
  reached_.clear();
  settled_columns_.clear();
  scan(root, 0.0);
  for (Index j; pop_nearest(j);) scan(row_of_[usize(j)], distance_[usize(j)]);
  const bool found = end_ >= 0;
  if (found) {
    least_cost_ += shortest_;
    update_duals();
    flip_path(root);
    for (const Index j : settled_columns_) settled_[usize(j)] = 0;
  }
  for (const Index j : reached_) distance_[usize(j)] = infinity;
  return found;
}

// Relaxes the entries of row i, which lies at distance `length` from the root.
void Assignment::scan(Index i, double length) {
  for (Offset p = costs_.row_ptr[usize(i)]; p < costs_.row_ptr[usize(i) + 1]; ++p) {
    const Index j = column(p);
    if (settled_[usize(j)]) continue;
    // Rounding may leave a reduced cost a little below zero.
    const double d = length + std::max(0.0, reduced(i, p));
    if (d >= shortest_ || d >= distance_[usize(j)]) continue;
    from_[usize(j)] = i;
    from_entry_[usize(j)] = p;
    if (row_of_[usize(j)] < 0) {
      shortest_ = d;
      end_ = j;
      continue;
    }
    if (distance_[usize(j)] == infinity) reached_.push_back(j);
    distance_[usize(j)] = d;
    heap_.emplace_back(d, j);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
}

// Settles the nearest reached column; false when none is nearer than the best augmenting path's end.
bool Assignment::pop_nearest(Index& column) {
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto [d, j] = heap_.back();
    heap_.pop_back();
    if (d >= shortest_) return false;
    if (settled_[usize(j)] || d > distance_[usize(j)]) continue;
    settled_[usize(j)] = 1;
    settled_columns_.push_back(j);
    column = j;
    return true;
  }
  return false;
}

void Assignment::update_duals() {
  for (const Index j : settled_columns_) v_[usize(j)] += distance_[usize(j)] - shortest_;
}

// Matches along the path to end_, then restores u(i) = c(i,j) - v(j) at every matched entry that changed.
void Assignment::flip_path(Index root) {
  for (Index j = end_, i = -1; i != root;) {
    i = from_[usize(j)];
    const Index freed = col_of_[usize(i)];
    assign(i, from_entry_[usize(j)]);
    j = freed;
  }
  const auto tighten = [&](Index j) {
    const Index i = row_of_[usize(j)];
    u_[usize(i)] = costs_.cost[usize(entry_of_[usize(i)])] - v_[usize(j)];
  };
  tighten(end_);
  for (const Index j : settled_columns_) tighten(j);
}

}  // namespace trisweep::ordering
