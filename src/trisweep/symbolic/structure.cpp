#include "trisweep/symbolic/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/symbolic/blocks.hpp"
#include "trisweep/symbolic/etree.hpp"
#include "trisweep/symbolic/merged_separators.hpp"
#include "trisweep/symbolic/supernodes.hpp"

namespace trisweep::symbolic {
namespace {

void check(const matrix::Pattern& pattern, const ordering::SeparatorTree& tree,
           const SymbolicOptions& options) {
  if (pattern.rows != pattern.cols || tree.begin.size() < 2 || tree.begin.size() != tree.end.size() ||
      tree.end[1] != pattern.rows) {
    throw Error(ErrorKind::usage, "the pattern and the separator tree do not match");
  }
  if (options.max_width < 1 || options.supernode_bytes < 0 || options.row_bytes < 0) {
    throw Error(ErrorKind::usage,
                fmt::format("max_width is {}, supernode_bytes {}, row_bytes {}", options.max_width,
                            options.supernode_bytes, options.row_bytes),
                "choose a width of 1 or more, and no negative number of bytes");
  }
}

// The tree's nodes in the order of their columns: the ranges that no supernode straddles.
std::vector<Index> nodes_in_order(const ordering::SeparatorTree& tree) {
  std::vector<Index> by_begin(tree.begin.size() - 1);
  std::iota(by_begin.begin(), by_begin.end(), 1);
  std::sort(by_begin.begin(), by_begin.end(),
            [&](Index a, Index b) { return tree.begin[usize(a)] < tree.begin[usize(b)]; });
  return by_begin;
}

// The range of each column: the number of the node into which its node is merged.
std::vector<Index> range_of_columns(const ordering::SeparatorTree& tree, const std::vector<Index>& into,
                                    const std::vector<Index>& ranges, Index n) {
  std::vector<Index> range_of_node(usize(tree.nodes())), range_of(usize(n));
  for (std::size_t r = 0; r < ranges.size(); ++r) range_of_node[usize(ranges[r])] = static_cast<Index>(r);
  for (Index t = 1; t < tree.nodes(); ++t) {
    std::fill(range_of.begin() + tree.begin[usize(t)], range_of.begin() + tree.end[usize(t)],
              range_of_node[usize(into[usize(t)])]);
  }
  return range_of;
}

// By range: whether it is a separator whose columns stay together.
std::vector<char> whole_ranges(const ordering::SeparatorTree& tree, const std::vector<Index>& ranges,
                               int levels) {
  std::vector<char> whole;
  for (const Index t : ranges) {
    whole.push_back(!tree.is_leaf(t) && ordering::level_of(t) < levels);
  }
  return whole;
}

// values[v] goes to place new_of[v].
template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<Index>& new_of) {
  std::vector<T> result(values.size());
  for (std::size_t v = 0; v < values.size(); ++v) result[usize(new_of[v])] = values[v];
  return result;
}

// A parent array in new numbers.
std::vector<Index> renumbered(const std::vector<Index>& parent, const std::vector<Index>& new_of) {
  std::vector<Index> result = permuted(parent, new_of);
  for (Index& p : result) {
    if (p >= 0) p = new_of[usize(p)];
  }
  return result;
}

// The supernodes after amalgamation, before splitting, in their final order: what the structure is built
// from.
struct Layout {
  std::vector<Index> first;  // supernodes + 1, columns in final order
  std::vector<Index> height;
  std::vector<Index> parent;
  std::vector<char> whole;            // not to be split
  Index max_width = 0;                // of the other supernodes
  std::vector<Index> new_of_ordered;  // columns
};

// Puts the supernodes that remain after amalgamation in their final order, and their columns: those of merged
// descendants before a supernode's own, as the elimination order demands.
Layout laid_out(const Supernodes& all, const std::vector<Index>& original_width,
                const std::vector<Index>& into, const std::vector<char>& whole) {
  Layout layout;
  Supernodes kept;
  std::vector<Index> kept_of(into.size(), -1);
  kept.reserve(into.size());
  for (Index s = 0; s < all.size(); ++s) {
    if (into[usize(s)] != s) continue;
    kept_of[usize(s)] = kept.size();
    kept.width.push_back(all.width[usize(s)]);
    kept.height.push_back(all.height[usize(s)]);
    kept.parent.push_back(all.parent[usize(s)]);
    kept.range.push_back(all.range[usize(s)]);
  }
  for (Index& p : kept.parent) {
    if (p >= 0) p = kept_of[usize(p)];
  }
  const std::vector<Index> new_of =
      numbered_by_range(postorder(kept.parent), kept.range, static_cast<Index>(whole.size()));
  layout.height = permuted(kept.height, new_of);
  layout.parent = renumbered(kept.parent, new_of);
  for (const Index range : permuted(kept.range, new_of)) layout.whole.push_back(whole[usize(range)]);
  layout.first.reserve(kept.width.size() + 1);
  layout.first.push_back(0);
  layout.new_of_ordered.reserve(usize(std::reduce(original_width.begin(), original_width.end(), Index{0})));
  for (const Index w : permuted(kept.width, new_of)) layout.first.push_back(layout.first.back() + w);
  std::vector<Index> next(layout.first.begin(), layout.first.end() - 1);
  for (std::size_t s = 0; s < into.size(); ++s) {
    Index& place = next[usize(new_of[usize(kept_of[usize(into[s])])])];
    for (Index k = 0; k < original_width[s]; ++k) layout.new_of_ordered.push_back(place++);
  }
  return layout;
}

Layout lay_out(const matrix::Pattern& pattern, const ordering::SeparatorTree& tree, const MergedTree& merged,
               const SymbolicOptions& options) {
  const std::vector<Index> nodes = nodes_in_order(merged.tree);
  const std::vector<Index> range_of = range_of_columns(tree, merged.into, nodes, pattern.rows);
  const std::vector<char> whole = whole_ranges(merged.tree, nodes, options.whole_levels);
  const std::vector<Index> parent = elimination_tree(pattern);
  const std::vector<Index> post = postorder(parent);
  const std::vector<Index> count = column_counts(pattern, parent, post);
  const std::vector<Index> postordered = numbered_by_range(post, range_of, static_cast<Index>(nodes.size()));
  Supernodes supernodes = fundamental_supernodes(
      renumbered(parent, postordered), permuted(count, postordered), permuted(range_of, postordered));
  const std::vector<Index> original_width = supernodes.width;
  const SymbolicOptions suited = for_fronts_of(supernodes, options);
  const std::vector<Index> into = amalgamate(supernodes, whole, suited);
  Layout layout = laid_out(supernodes, original_width, into, whole);
  layout.max_width = suited.max_width;
  std::vector<Index> new_of_ordered(postordered.size());
  for (std::size_t j = 0; j < postordered.size(); ++j) {
    new_of_ordered[j] = layout.new_of_ordered[usize(postordered[j])];
  }
  layout.new_of_ordered = std::move(new_of_ordered);
  return layout;
}

// Cuts wide supernodes into pieces of nearly equal width. `last_piece` gets the last piece of each supernode,
// the one whose rows are the supernode's.
void split(const Layout& layout, Structure& s, std::vector<Index>& last_piece) {
  const Index max_width = layout.max_width;
  s.first.reserve(layout.first.size());
  s.row_ptr.reserve(layout.first.size());
  s.whole.reserve(layout.first.size());
  last_piece.reserve(layout.first.size());
  s.first.push_back(0);
  s.row_ptr.push_back(0);
  for (std::size_t k = 0; k + 1 < layout.first.size(); ++k) {
    const Index width = layout.first[k + 1] - layout.first[k];
    const Index pieces = layout.whole[k] ? 1 : (width + max_width - 1) / max_width;
    for (Index p = 1; p <= pieces; ++p) {
      const auto end = layout.first[k] + static_cast<Index>(Offset{width} * p / pieces);
      s.first.push_back(end);
      s.row_ptr.push_back(s.row_ptr.back() + (layout.first[k + 1] - end) + layout.height[k]);
      s.whole.push_back(layout.whole[k]);
    }
    last_piece.push_back(s.supernodes() - 1);
  }
  s.supernode_of.resize(usize(layout.first.back()));
  for (Index k = 0; k < s.supernodes(); ++k) {
    std::fill(s.supernode_of.begin() + s.first[usize(k)], s.supernode_of.begin() + s.first[usize(k) + 1], k);
  }
}

// Rows of a supernode: those of its columns in the matrix and those of its children, beyond its last column.
class RowBuilder {
 public:
  RowBuilder(const matrix::Pattern& pattern, const Layout& layout, Structure& structure)
      : pattern_(pattern),
        layout_(layout),
        s_(structure),
        ordered_of_(usize(pattern.rows)),
        first_child_(layout.height.size(), -1),
        sibling_(layout.height.size(), -1),
        seen_(usize(pattern.rows), -1) {
    for (Index j = 0; j < pattern.rows; ++j) ordered_of_[usize(layout.new_of_ordered[usize(j)])] = j;
    for (std::size_t k = 0; k < layout.parent.size(); ++k) {
      if (layout.parent[k] < 0) continue;
      sibling_[k] = std::exchange(first_child_[usize(layout.parent[k])], static_cast<Index>(k));
    }
  }

  void build(const std::vector<Index>& last_piece) {
    s_.row.resize(usize(s_.row_ptr.back()));
    for (std::size_t k = 0; k < last_piece.size(); ++k) {
      const Index piece = last_piece[k];
      out_ = s_.row.data() + s_.row_ptr[usize(piece)];
      gather_matrix(static_cast<Index>(k));
      for (Index c = first_child_[k]; c >= 0; c = sibling_[usize(c)])
        gather_child(static_cast<Index>(k), last_piece[usize(c)]);
      std::sort(s_.row.data() + s_.row_ptr[usize(piece)], out_);
      const Index first_piece = k == 0 ? 0 : last_piece[k - 1] + 1;
      for (Index p = first_piece; p < piece; ++p) extend(p, piece);
    }
  }

 private:
  void add(Index supernode, Index row) {
    if (row < layout_.first[usize(supernode) + 1] || seen_[usize(row)] == supernode) return;
    seen_[usize(row)] = supernode;
    *out_++ = row;
  }

  void gather_matrix(Index supernode) {
    for (Index j = layout_.first[usize(supernode)]; j < layout_.first[usize(supernode) + 1]; ++j) {
      for (const Index i : pattern_.row(ordered_of_[usize(j)]))
        add(supernode, layout_.new_of_ordered[usize(i)]);
    }
  }

  void gather_child(Index supernode, Index child_piece) {
    for (const Index row : s_.rows(child_piece)) add(supernode, row);
  }

  // Rows of an earlier piece of a supernode: the columns of later pieces, then the supernode's rows.
  void extend(Index piece, Index last) {
    Index* out = s_.row.data() + s_.row_ptr[usize(piece)];
    for (Index j = s_.first[usize(piece) + 1]; j < s_.first[usize(last) + 1]; ++j) *out++ = j;
    std::ranges::copy(s_.rows(last), out);
  }

  const matrix::Pattern& pattern_;
  const Layout& layout_;
  Structure& s_;
  std::vector<Index> ordered_of_, first_child_, sibling_, seen_;
  Index* out_ = nullptr;
};

// The tree's column ranges as ranges of supernodes, none of which straddles a boundary.
ordering::SeparatorTree in_supernodes(const ordering::SeparatorTree& tree, const Structure& s) {
  const auto supernode_at = [&](Index column) {
    return column == s.n ? s.supernodes() : s.supernode_of[usize(column)];
  };
  ordering::SeparatorTree result = tree;
  for (Index t = 1; t < tree.nodes(); ++t) {
    result.begin[usize(t)] = supernode_at(tree.begin[usize(t)]);
    result.end[usize(t)] = supernode_at(tree.end[usize(t)]);
  }
  return result;
}

Analysis analyze_checked(const matrix::Pattern& pattern, const ordering::SeparatorTree& tree,
                         const SymbolicOptions& options, Observer& observer) {
  observer.progress("analyze", 0.0);
  const MergedTree merged = merge_separators(tree, options);
  Layout layout = lay_out(pattern, tree, merged, options);
  observer.progress("analyze", 0.5);
  auto structure = std::make_shared<Structure>();
  structure->n = pattern.rows;
  std::vector<Index> last_piece;
  split(layout, *structure, last_piece);
  RowBuilder(pattern, layout, *structure).build(last_piece);
  observer.progress("analyze", 0.9);
  group_blocks(*structure);
  structure->group.resize(usize(structure->supernodes()));
  std::iota(structure->group.begin(), structure->group.end(), 0);
  structure->tree = in_supernodes(merged.tree, *structure);
  observer.progress("analyze", 1.0);
  return {.structure = std::move(structure), .new_of_ordered = std::move(layout.new_of_ordered)};
}

}  // namespace

Analysis analyze(const matrix::Pattern& pattern, const ordering::SeparatorTree& tree,
                 const SymbolicOptions& options, Observer& observer) {
  check(pattern, tree, options);
  try {
    return analyze_checked(pattern, tree, options, observer);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::environment,
                fmt::format("not enough memory for the structure of the factors of {} columns", pattern.rows),
                "use a machine with more memory, or a fill-reducing order");
  }
}

std::vector<Index> nodes_of_supernodes(const Structure& structure) {
  const ordering::SeparatorTree& tree = structure.tree;
  std::vector<Index> node(usize(structure.supernodes()));
  for (Index t = 1; t < tree.nodes(); ++t)
    std::fill(node.begin() + tree.begin[usize(t)], node.begin() + tree.end[usize(t)], t);
  return node;
}

std::vector<Index> levels(const Structure& structure) {
  std::vector<Index> level = nodes_of_supernodes(structure);
  for (Index& of : level) of = ordering::level_of(of);
  return level;
}

}  // namespace trisweep::symbolic
