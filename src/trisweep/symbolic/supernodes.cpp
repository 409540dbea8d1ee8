#include "trisweep/symbolic/supernodes.hpp"

#include <algorithm>
#include <functional>

#include "trisweep/symbolic/structure.hpp"

namespace trisweep::symbolic {
namespace {

constexpr Offset value_bytes = 8;

Index pieces(Index width, Index max_width) {
  return (width + max_width - 1) / max_width;
}

// The child's rows are among the parent's columns and rows; each of the child's columns is extended to all of
// them.
Offset added_zeros(const Supernodes& s, Index child, Index parent) {
  const Offset missing = Offset{s.width[usize(parent)]} + s.height[usize(parent)] - s.height[usize(child)];
  return missing * s.width[usize(child)];
}

Offset entries_of_column_block(Offset width, Offset height) {
  return width * (width + 1) / 2 + width * height;
}

// Fronts are tiny if columns that take part in multiplications have at most this many entries on average.
constexpr double tiny_column = 32;

bool fronts_are_tiny(const Supernodes& s) {
  double entries = 0, multiplications = 0;
  for (Index k = 0; k < s.size(); ++k) {
    const double w = s.width[usize(k)], m = s.height[usize(k)];
    entries += double(entries_of_column_block(s.width[usize(k)], s.height[usize(k)]));
    multiplications += w * (m + w) * (m + w) - (m + w) * w * w + w * w * w / 3;  // sum of h^2, m < h <= m + w
  }
  return multiplications <= tiny_column * entries;
}

// Splitting would undo a merge that leaves as many pieces as before.
bool is_worth_it(const Supernodes& s, Index child, Index parent, const SymbolicOptions& options) {
  const Index a = s.width[usize(child)], b = s.width[usize(parent)], limit = options.max_width;
  if (pieces(a + b, limit) == pieces(a, limit) + pieces(b, limit)) return false;
  const Offset saved = options.supernode_bytes + Offset{options.row_bytes} * s.height[usize(child)];
  return added_zeros(s, child, parent) * value_bytes <= saved;
}

}  // namespace

Supernodes fundamental_supernodes(const std::vector<Index>& parent, const std::vector<Index>& count,
                                  const std::vector<Index>& range_of) {
  Supernodes s;
  const std::size_t n = parent.size();
  s.reserve(n);
  std::vector<Index> supernode_of(n);
  for (std::size_t j = 0; j < n; ++j) {
    const bool continues = j > 0 && parent[j - 1] == static_cast<Index>(j) && count[j - 1] == count[j] + 1 &&
                           range_of[j - 1] == range_of[j];
    if (!continues) {
      s.width.push_back(0);
      s.height.push_back(0);
      s.parent.push_back(-1);
      s.range.push_back(range_of[j]);
    }
    ++s.width.back();
    s.height.back() = count[j] - 1;
    s.parent.back() = parent[j];
    supernode_of[j] = s.size() - 1;
  }
  for (Index& p : s.parent) {
    if (p >= 0) p = supernode_of[usize(p)];
  }
  return s;
}

SymbolicOptions for_fronts_of(const Supernodes& s, SymbolicOptions options) {
  if (options.max_width_if_tiny > 0 && fronts_are_tiny(s)) {
    options.max_width = std::min(options.max_width, options.max_width_if_tiny);
    options.supernode_bytes = options.row_bytes = 0;
  }
  return options;
}

std::vector<Index> amalgamate(Supernodes& s, const std::vector<char>& whole, const SymbolicOptions& options) {
  const Index n = s.size();
  std::vector<Index> into(usize(n)), first_child(usize(n), -1), sibling(usize(n), -1), children;
  for (Index p = 0; p < n; ++p) {
    into[usize(p)] = p;
    children.clear();
    for (Index c = first_child[usize(p)]; c >= 0; c = sibling[usize(c)]) children.push_back(c);
    std::ranges::reverse(children);  // into ascending order
    // The tallest child misses the fewest of the parent's rows.
    const auto height = [&](Index c) { return s.height[usize(c)]; };
    if (!std::ranges::is_sorted(children, std::ranges::greater{}, height))
      std::ranges::stable_sort(children, std::ranges::greater{}, height);
    for (const Index c : children) {
      const Index range = s.range[usize(p)];
      if (s.range[usize(c)] != range || (!whole[usize(range)] && !is_worth_it(s, c, p, options))) continue;
      s.width[usize(p)] += s.width[usize(c)];
      into[usize(c)] = p;
    }
    if (s.parent[usize(p)] >= 0) {
      sibling[usize(p)] = first_child[usize(s.parent[usize(p)])];
      first_child[usize(s.parent[usize(p)])] = p;
    }
  }
  for (Index c = n - 1; c >= 0; --c) into[usize(c)] = into[usize(into[usize(c)])];
  for (Index& p : s.parent) {
    if (p >= 0) p = into[usize(p)];
  }
  return into;
}

}  // namespace trisweep::symbolic
