#include "trisweep/numeric/fronts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "trisweep/numeric/estimates.hpp"
#include "trisweep/numeric/front_panels.hpp"

namespace trisweep::numeric {
namespace {

[[noreturn]] void refuse(Index row) {
  throw Error(
      ErrorKind::usage,
      fmt::format("row or column {} (counting from 0) has an entry outside the symbolic structure", row),
      "analyze the pattern of the very matrix that is factored");
}

// Positions of columns and rows in a panel. Passed by value, to be kept in registers: if passed by reference,
// its members would have to be reloaded after every store.
struct PanelPositions {
  Index first, end, width;       // of its columns
  std::span<const Index> rows;   // beyond them
  const Index* position_of_row;  // of `rows`; stale for others

  // Position of one of the panel's columns or rows.
  Index operator()(Index row) const { return row < end ? row - first : position_of_row[row]; }
  // Position of any row that is not before the panel's columns; throws if the panel does not have it.
  Index checked(Index row) const {
    if (row < end) return row - first;
    const Index p = position_of_row[row];
    if (const auto beyond = usize(p - width); beyond < rows.size() && rows[beyond] == row) return p;
    refuse(row);
  }
};

// Computes the positions of one panel after another.
class Positions {
 public:
  explicit Positions(const symbolic::Structure& s) : s_(s), position_(usize(s.n), 0) {}

  PanelPositions of_panel(Index supernode) {
    const Index first = s_.first[usize(supernode)], width = s_.width(supernode);
    const auto rows = s_.rows(supernode);
    for (std::size_t i = 0; i < rows.size(); ++i) position_[usize(rows[i])] = width + static_cast<Index>(i);
    return {first, first + width, width, rows, position_.data()};
  }

 private:
  const symbolic::Structure& s_;
  std::vector<Index> position_;
};

void measure(const symbolic::Structure& s, std::span<const char> makes_panels, Fronts& f) {
  f.flops.assign(usize(f.tree.fronts()), 0);
  for (Index front = 0; front < f.tree.fronts(); ++front) {
    for (const Index k : f.tree.members(front))
      f.flops[usize(front)] += factor_flops(s.width(k), s.height(k), f.kind);
  }
  for (const Offset entries : f.tree.stack) f.stack = std::max(f.stack, entries);
  f.largest = largest_front_entries(f.tree, s, f.kind);
  f.panel_ptr.resize(usize(s.supernodes()) + 1);
  f.diagonal_ptr.resize(usize(s.supernodes()) + 1);
  for (Index k = 0; k < s.supernodes(); ++k) {
    const Offset w = s.width(k), made = makes_panels.empty() || makes_panels[usize(k)] ? 1 : 0;
    f.all_panel_entries += w * s.height(k);
    f.panel_ptr[usize(k) + 1] = f.panel_ptr[usize(k)] + made * w * s.height(k);
    f.diagonal_ptr[usize(k) + 1] = f.diagonal_ptr[usize(k)] + made * w * w;
    if (!s.whole[usize(k)]) f.widest_divided = std::max(f.widest_divided, s.width(k));
  }
}

// Sorts the entries by supernode; their rows and columns are still those of the matrix, not positions.
void deal_entries(const matrix::Pattern& a, std::span<const Index> row_new, std::span<const Index> col_new,
                  Fronts& f) {
  const auto in_order = [](std::span<const Index> new_of, Index i) {
    return new_of.empty() ? i : new_of[usize(i)];
  };
  const std::span<const Index> supernode_of(f.structure->supernode_of);
  const bool reads_all = has_upper(f.kind);
  const auto for_each_entry = [&](const auto& visit) {
    for (Index i = 0; i < a.rows; ++i) {
      const Index row = in_order(row_new, i);
      for (const Offset e : a.entries(i)) {
        const Index col = in_order(col_new, a.col[usize(e)]);
        if (reads_all || row >= col)
          visit(usize(supernode_of[usize(std::min(row, col))]), MatrixEntry{e, row, col});
      }
    }
  };
  f.entry_ptr.assign(usize(f.structure->supernodes()) + 1, 0);
  for_each_entry([count = f.entry_ptr.data() + 1](std::size_t k, const MatrixEntry&) { ++count[k]; });
  std::partial_sum(f.entry_ptr.begin(), f.entry_ptr.end(), f.entry_ptr.begin());
  f.entry.resize(usize(f.entry_ptr.back()));
  std::vector<Offset> next(f.entry_ptr.begin(), f.entry_ptr.end() - 1);
  for_each_entry([next = next.data(), entry = f.entry.data()](std::size_t k, const MatrixEntry& found) {
    entry[next[k]++] = found;
  });
}

void find_places(const symbolic::Structure& s, std::span<const char> assembled, Fronts& f) {
  const FrontTree& tree = f.tree;
  const auto is_assembled = [&](Index front) { return assembled.empty() || assembled[usize(front)]; };
  f.place_ptr.assign(usize(tree.fronts()) + 1, 0);
  for (std::size_t front = 0; front < tree.height.size(); ++front) {
    const Index parent = tree.parent[front];
    const bool has_places = parent != -1 && is_assembled(parent);
    f.place_ptr[front + 1] = f.place_ptr[front] + (has_places ? tree.height[front] : 0);
  }
  f.place.resize(usize(f.place_ptr.back()));
  Positions positions(s);
  for (Index front = 0; front < tree.fronts(); ++front) {
    if (!is_assembled(front)) continue;
    const auto members = tree.members(front);
    PanelPositions position{};
    for (std::size_t i = members.size(); i-- > 0;) {
      const Index k = members[i];
      position = positions.of_panel(k);
      MatrixEntry* const end = f.entry.data() + f.entry_ptr[usize(k) + 1];
      for (MatrixEntry* entry = f.entry.data() + f.entry_ptr[usize(k)]; entry < end; ++entry) {
        entry->row = position.checked(entry->row);
        entry->col = position.checked(entry->col);
      }
    }
    for (const Index c : tree.children(front)) {  // `position` is now the first member's: it has all rows
      const auto rows = s.rows(tree.members(c).back());
      std::ranges::transform(rows, f.place.begin() + f.place_ptr[usize(c)], position);
    }
  }
}

// Number of places before the last run of consecutive ones, if that is long enough for a loop of its own;
// else of all places.
Index scattered(std::span<const Index> places) {
  constexpr std::size_t least_run = 6;
  std::size_t begin = places.size();
  while (begin > 0 && places.back() - places[begin - 1] == static_cast<Index>(places.size() - begin)) --begin;
  return static_cast<Index>(places.size() - begin < least_run ? places.size() : begin);
}

void record_fronts(Fronts& f) {
  const FrontTree& tree = f.tree;
  f.record.reserve(usize(tree.fronts()));
  for (std::size_t i = 0; i < usize(tree.fronts()); ++i) {
    const Index k = tree.member[usize(tree.member_ptr[i])];
    Offset blocks_below = 0;
    for (const Index c : tree.children(static_cast<Index>(i))) blocks_below += f.record[usize(c)].block;
    f.record.push_back({.width = tree.width[i],
                        .height = tree.height[i],
                        .depth = tree.depth[i],
                        .child_begin = tree.child_ptr[i],
                        .child_end = tree.child_ptr[i + 1],
                        .entry_begin = f.entry_ptr[usize(k)],
                        .entry_end = f.entry_ptr[usize(k) + 1],
                        .panel = f.panel_ptr[usize(k)],
                        .diagonal = f.diagonal_ptr[usize(k)],
                        .block = contribution_entries(tree.height[i]),
                        .blocks_below = blocks_below,
                        .place = f.place_ptr[i],
                        .scattered = scattered(f.places_in_parent(static_cast<Index>(i))),
                        .flops = f.flops[i]});
  }
}

}  // namespace

Fronts make_fronts(const matrix::Pattern& pattern, std::span<const Index> row_new,
                   std::span<const Index> col_new, std::shared_ptr<const symbolic::Structure> structure,
                   Kind kind, const OwnFronts& own) {
  const symbolic::Structure& s = *structure;
  if (pattern.rows != s.n || pattern.cols != s.n) {
    throw Error(ErrorKind::usage,
                fmt::format("the matrix is {} x {}, its symbolic structure is for {} unknowns", pattern.rows,
                            pattern.cols, s.n));
  }
  Fronts f{.structure = structure, .kind = kind, .tree = build_front_tree(s)};
  measure(s, own.panels, f);
  deal_entries(pattern, row_new, col_new, f);
  find_places(s, own.assembled, f);
  record_fronts(f);
  return f;
}

}  // namespace trisweep::numeric
