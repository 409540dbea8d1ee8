#include "trisweep/ordering/maximum_matching.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace trisweep::ordering {
namespace {

constexpr Index unmatched = -1;

struct RowsAndColumns {
  std::vector<Index> col_of_row, row_of_col;  // unmatched: -1
};

bool has_full_diagonal(const matrix::Pattern& a) {
  for (Index i = 0; i < a.rows; ++i)
    if (!std::ranges::binary_search(a.row(i), i)) return false;
  return true;
}

// Matches again and again the row or column with the fewest choices left, with the one of these that has the
// fewest itself. With one choice there is no other (Karp and Sipser, "Maximum matching in sparse random
// graphs", FOCS 1981): so all of a permuted triangular matrix is matched, whose augmenting paths would be
// long, and 99 % of others.
class FewestChoicesFirst {
 public:
  explicit FewestChoicesFirst(const matrix::Pattern& a)
      : lines_{a, matrix::transpose(a)},
        partner_{Partners(usize(a.rows), unmatched), Partners(usize(a.rows), unmatched)} {
    for (const int side : {0, 1})
      for (Index i = 0; i < a.rows; ++i) {
        left_[side].push_back(static_cast<Index>(lines_[side].row(i).size()));
        note(side, i);
      }
    while (fewest_ < most) {
      if (waiting_[fewest_].empty()) {
        ++fewest_;
        continue;
      }
      const auto [side, i] = waiting_[fewest_].back();
      waiting_[fewest_].pop_back();
      if (partner_[side][usize(i)] == unmatched && place(side, i) == fewest_) match(side, i);
    }
  }

  RowsAndColumns matching() && { return {std::move(partner_[0]), std::move(partner_[1])}; }

 private:
  using Partners = std::vector<Index>;  // of rows (side 0), or of columns (side 1)

  std::size_t place(int side, Index i) const { return std::min(usize(left_[side][usize(i)]), most - 1); }

  void note(int side, Index i) {
    waiting_[place(side, i)].emplace_back(side, i);
    fewest_ = std::min(fewest_, place(side, i));
  }

  // Matches an unmatched line, unless it has no choice left.
  void match(int side, Index i) {
    const int other = 1 - side;
    Index best = unmatched;
    for (const Index j : lines_[side].row(i)) {
      const bool is_free = partner_[other][usize(j)] == unmatched;
      if (is_free && (best == unmatched || left_[other][usize(j)] < left_[other][usize(best)])) best = j;
    }
    if (best == unmatched) return;
    partner_[side][usize(i)] = best;
    partner_[other][usize(best)] = i;
    take_from(other, lines_[side].row(i));
    take_from(side, lines_[other].row(best));
  }

  // These lines have one choice less.
  void take_from(int side, std::span<const Index> lines) {
    for (const Index i : lines) {
      --left_[side][usize(i)];
      if (partner_[side][usize(i)] == unmatched) note(side, i);
    }
  }

  std::array<matrix::Pattern, 2> lines_;
  std::array<Partners, 2> partner_;
  std::array<std::vector<Index>, 2> left_;  // choices
  // Lines (side, number) by choices left, the last with all that have more. A line is added anew whenever it
  // has lost a choice; its other places are skipped.
  static constexpr std::size_t most = 16;
  std::array<std::vector<std::pair<int, Index>>, most> waiting_;
  std::size_t fewest_ = 0;
};

// Hopcroft and Karp, SIAM J. Comput. 2 (1973): a phase augments along shortest paths, at least along as many
// disjoint ones as can be added to one another.
class Augmentation {
 public:
  Augmentation(const matrix::Pattern& a, RowsAndColumns& matching)
      : a_(a), matching_(matching), distance_(usize(a.rows)), next_(usize(a.rows)) {}

  // Returns false if there was no path.
  bool run_phase() {
    find_distances();
    bool found = false;
    for (const Index row : roots_) found = augment(row) || found;
    return found;
  }

 private:
  // Of rows from the nearest unmatched one, over columns matched to them; -1 where there is no such path.
  void find_distances() {
    std::ranges::fill(distance_, -1);
    roots_.clear();
    for (Index i = 0; i < a_.rows; ++i) {
      next_[usize(i)] = a_.row_ptr[usize(i)];
      if (matching_.col_of_row[usize(i)] == unmatched) roots_.push_back(i);
    }
    std::vector<Index> reached = roots_;
    for (const Index i : roots_) distance_[usize(i)] = 0;
    bool ended = false;  // no farther than the rows that are next to a free column
    for (std::size_t k = 0, end = reached.size(); k < reached.size() && !(ended && k == end); ++k) {
      if (k == end) end = reached.size();
      for (const Index j : a_.row(reached[k])) {
        const Index row = matching_.row_of_col[usize(j)];
        if (row == unmatched) {
          ended = true;
        } else if (distance_[usize(row)] < 0) {
          distance_[usize(row)] = distance_[usize(reached[k])] + 1;
          reached.push_back(row);
        }
      }
    }
  }

  // Depth first, over rows of growing distance.
  bool augment(Index root) {
    std::vector<Index>& path = path_;
    path.assign(1, root);
    while (!path.empty()) {
      const Index row = path.back();
      Offset& next = next_[usize(row)];
      if (next == a_.row_ptr[usize(row) + 1]) {
        path.pop_back();
        continue;
      }
      const Index matched = matching_.row_of_col[usize(a_.col[usize(next++)])];
      if (matched == unmatched) {
        match_path();
        return true;
      }
      if (distance_[usize(matched)] == distance_[usize(row)] + 1) path.push_back(matched);
    }
    return false;
  }

  // Matches each row of the path to the column that it went on with.
  void match_path() {
    for (const Index row : path_) {
      const Index col = a_.col[usize(next_[usize(row)] - 1)];
      matching_.col_of_row[usize(row)] = col;
      matching_.row_of_col[usize(col)] = row;
    }
  }

  const matrix::Pattern& a_;
  RowsAndColumns& matching_;
  std::vector<Index> distance_;
  std::vector<Offset> next_;  // by row: its entry to look at
  std::vector<Index> roots_, path_;
};

}  // namespace

std::vector<Index> maximum_matching(const matrix::Pattern& a, Observer& observer) {
  std::vector<Index> diagonal(usize(a.rows));
  std::iota(diagonal.begin(), diagonal.end(), Index{0});
  if (has_full_diagonal(a)) return diagonal;
  RowsAndColumns matching = FewestChoicesFirst(a).matching();
  Augmentation augmentation(a, matching);
  while (augmentation.run_phase()) observer.poll();
  return std::move(matching.col_of_row);
}

}  // namespace trisweep::ordering
