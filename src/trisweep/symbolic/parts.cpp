#include "trisweep/symbolic/parts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "trisweep/core/permutation.hpp"

namespace trisweep::symbolic {
namespace {

using Entry = std::array<Index, 2>;

// The tree of these columns alone.
ordering::SeparatorTree restricted(const ordering::SeparatorTree& tree, const std::vector<Index>& number) {
  ordering::SeparatorTree result = tree;
  for (std::vector<Index>* bound : {&result.begin, &result.end}) {
    for (Index& column : *bound)
      column = static_cast<Index>(std::ranges::lower_bound(number, column) - number.begin());
  }
  return result;
}

// Own supernodes of `made`, whose columns come before all others.
PartOfStructure own_supernodes(const Part& part, const Analysis& made) {
  const Structure& s = *made.structure;
  PartOfStructure result;
  const std::vector<Index> ordered = inverse_permutation(made.new_of_ordered);
  const auto number = [&](Index column) { return part.number[usize(ordered[usize(column)])]; };
  for (Index j = 0; j < part.own; ++j) result.column.push_back(number(j));
  for (Index k = 0; k < s.supernodes() && s.first[usize(k)] < part.own; ++k) {
    result.width.push_back(s.width(k));
    result.height.push_back(s.height(k));
    result.whole.push_back(s.whole[usize(k)]);
    for (const Index row : s.rows(k)) result.row.push_back(number(row));
  }
  const auto own = static_cast<Index>(result.width.size());
  for (std::size_t t = 0; t < s.tree.begin.size(); ++t)
    result.supernodes_of_node.push_back(std::min(s.tree.end[t], own) - std::min(s.tree.begin[t], own));
  return result;
}

PartOfStructure analyze_part(const DividedTree& tree, const Part& part, const SymbolicOptions& options) {
  return own_supernodes(part, analyze(part.pattern, restricted(tree.tree, part.number), options));
}

std::vector<Index> columns_above(const DividedTree& tree) {
  std::vector<Index> columns;
  for (Index t = 1; t < tree.tree.nodes(); ++t) {
    if (tree.is_above[usize(t)] == 0) continue;
    for (Index j = tree.tree.begin[usize(t)]; j < tree.tree.end[usize(t)]; ++j) columns.push_back(j);
  }
  std::ranges::sort(columns);
  return columns;
}

// Symmetric, with a full diagonal. `number`: of its columns, ascending.
matrix::Pattern pattern_of(const std::vector<Index>& number, std::vector<Entry> entries) {
  const auto n = static_cast<Index>(number.size());
  for (Entry& entry : entries) {
    for (Index& j : entry) j = static_cast<Index>(std::ranges::lower_bound(number, j) - number.begin());
  }
  std::ranges::sort(entries);
  entries.erase(std::ranges::unique(entries).begin(), entries.end());
  matrix::Pattern pattern{.rows = n, .cols = n, .row_ptr = {0}, .col = {}};
  auto entry = entries.begin();
  for (Index i = 0; i < n; ++i) {
    for (; entry != entries.end() && (*entry)[0] == i; ++entry) pattern.col.push_back((*entry)[1]);
    pattern.row_ptr.push_back(std::ssize(pattern.col));
  }
  return matrix::symmetrized(pattern);
}

// Entries that make the same fill as the supernodes that have no rows but in separators: the first row of
// such a supernode inherits the others, as its parent in the elimination tree.
std::vector<Entry> inherited(const std::vector<Index>& separators, const PartOfStructure& subdomains) {
  std::vector<Entry> entries;
  auto row = subdomains.row.begin();
  for (const Index height : subdomains.height) {
    const std::span<const Index> rows(row, usize(height));
    row += height;
    if (rows.empty()) continue;
    const Index first = std::ranges::min(rows);
    if (!std::ranges::binary_search(separators, first)) continue;
    for (const Index other : rows) {
      if (other != first) entries.push_back({first, other});
    }
  }
  return entries;
}

// Reads the supernodes of one part after another.
struct Reader {
  const PartOfStructure& part;
  std::size_t supernode = 0, column = 0, row = 0;
};

class Joining {
 public:
  Joining(const DividedTree& tree, const PartOfStructure& subdomains, const PartOfStructure& separators)
      : tree_(tree), subdomains_{subdomains}, separators_{separators}, result_(tree.tree) {
    new_of_.resize(usize(tree.tree.end[1]));
    place(1);
    for (Index& row : shape_.row) row = new_of_[usize(row)];
    for (std::size_t k = 0; k + 1 < shape_.row_ptr.size(); ++k)
      std::sort(shape_.row.begin() + shape_.row_ptr[k], shape_.row.begin() + shape_.row_ptr[k + 1]);
  }

  Analysis take() && {
    return {std::make_shared<const Structure>(
                structure_of(std::move(shape_), std::move(whole_), std::move(result_))),
            std::move(new_of_)};
  }

 private:
  void place(Index t) {
    if (!tree_.tree.is_leaf(t)) {
      place(2 * t);
      place(2 * t + 1);
    }
    Reader& from = tree_.is_above[usize(t)] != 0 ? separators_ : subdomains_;
    result_.begin[usize(t)] = supernodes();
    for (Index k = from.part.supernodes_of_node[usize(t)]; k > 0; --k) take_next(from);
    result_.end[usize(t)] = supernodes();
  }

  void take_next(Reader& from) {
    const auto& [column, width, height, row, whole, of_node] = from.part;
    for (Index j = 0; j < width[from.supernode]; ++j) new_of_[usize(column[from.column++])] = next_++;
    const auto begin = row.begin() + static_cast<Offset>(from.row);
    shape_.row.insert(shape_.row.end(), begin, begin + height[from.supernode]);
    from.row += usize(height[from.supernode]);
    shape_.first.push_back(next_);
    shape_.row_ptr.push_back(std::ssize(shape_.row));
    whole_.push_back(whole[from.supernode++]);
  }

  Index supernodes() const { return static_cast<Index>(whole_.size()); }

  const DividedTree& tree_;
  Reader subdomains_, separators_;
  ordering::SeparatorTree result_;  // in supernodes
  Shape shape_;
  std::vector<char> whole_;
  std::vector<Index> new_of_;  // by number
  Index next_ = 0;
};

}  // namespace

PartOfStructure analyze_subdomain(const DividedTree& tree, const Part& part, SymbolicOptions options) {
  options.merge_ranks = std::numeric_limits<Index>::max();  // never with separators above
  return analyze_part(tree, part, options);
}

void append(PartOfStructure& subdomains, const PartOfStructure& next) {
  for (auto list :
       {&PartOfStructure::column, &PartOfStructure::width, &PartOfStructure::height, &PartOfStructure::row})
    (subdomains.*list).insert((subdomains.*list).end(), (next.*list).begin(), (next.*list).end());
  subdomains.whole.insert(subdomains.whole.end(), next.whole.begin(), next.whole.end());
  subdomains.supernodes_of_node.resize(next.supernodes_of_node.size());
  for (std::size_t t = 0; t < next.supernodes_of_node.size(); ++t)
    subdomains.supernodes_of_node[t] += next.supernodes_of_node[t];
}

PartOfStructure analyze_separators(const DividedTree& tree, std::span<const Entry> entries,
                                   const PartOfStructure& subdomains, const SymbolicOptions& options) {
  Part part{.number = columns_above(tree)};
  part.own = static_cast<Index>(part.number.size());
  std::vector<Entry> all = inherited(part.number, subdomains);
  all.insert(all.end(), entries.begin(), entries.end());
  part.pattern = pattern_of(part.number, std::move(all));
  return analyze_part(tree, part, options);
}

Analysis joined(const DividedTree& tree, const PartOfStructure& subdomains,
                const PartOfStructure& separators) {
  return Joining(tree, subdomains, separators).take();
}

}  // namespace trisweep::symbolic
