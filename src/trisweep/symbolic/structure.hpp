#pragma once
// The supernodal structure of the factors: immutable, independent of values, cheap to pass around.

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/types.hpp"
#include "trisweep/matrix/csr.hpp"
#include "trisweep/ordering/ordering.hpp"

namespace trisweep::symbolic {

// Rows of supernode K's panel that lie in supernode `row_supernode`: panel rows [begin, end).
struct Block {
  Index row_supernode;
  Index begin;
  Index end;
};

// Supernode K owns columns [first[K], first[K+1]). Below its diagonal block its panel has the rows
// row[row_ptr[K] .. row_ptr[K+1]), ascending global indices, all beyond the supernode's columns. L has that
// panel; U, whose pattern is the transposed one, has the same as columns to the right of the diagonal block.
struct Structure {
  Index n = 0;
  std::vector<Index> first;         // supernodes + 1
  std::vector<Index> supernode_of;  // n
  std::vector<Index> parent;        // supernodal elimination tree; -1 at a root
  std::vector<Offset> row_ptr;      // supernodes + 1
  std::vector<Index> row;
  std::vector<Offset> block_ptr;  // supernodes + 1
  std::vector<Block> block;       // the same rows, grouped by the supernode they lie in
  std::vector<char> whole;        // 1 if K is (part of) a separator kept whole: SymbolicOptions::whole_levels
  std::vector<Index> group;       // the first tile of K's group, see tiled(); K itself where nothing is tiled
  ordering::SeparatorTree tree;   // nodes as ranges of *supernodes*

  Index supernodes() const { return static_cast<Index>(first.size()) - 1; }
  Index width(Index k) const { return first[usize(k) + 1] - first[usize(k)]; }
  Index height(Index k) const { return static_cast<Index>(row_ptr[usize(k) + 1] - row_ptr[usize(k)]); }
  // Entries of K's diagonal block and panel.
  Offset entries(Index k) const { return Offset{width(k)} * (width(k) + height(k)); }
  // Supernodes [first, last) that share K's dense diagonal block.
  std::pair<Index, Index> group_of(Index k) const {
    Index last = k + 1;
    while (last < supernodes() && group[usize(last)] == group[usize(k)]) ++last;
    return {group[usize(k)], last};
  }
  // True if K shares its diagonal block with others.
  bool is_tile(Index k) const {
    return group[usize(k)] != k || (k + 1 < supernodes() && group[usize(k) + 1] == k);
  }
  std::span<const Index> rows(Index k) const {
    return {row.data() + row_ptr[usize(k)], row.data() + row_ptr[usize(k) + 1]};
  }
  std::span<const Block> blocks(Index k) const {
    return {block.data() + block_ptr[usize(k)], block.data() + block_ptr[usize(k) + 1]};
  }
};

// A supernode is amalgamated into its parent if reading the zeros that this adds costs no more than a
// separate supernode: `supernode_bytes` for its bookkeeping and `row_bytes` for each of its rows (index and
// vector entry), both counted as memory traffic. The defaults are those of a sweep on a CPU core: 40 ns at 13
// GB/s. Larger ones make fewer and wider supernodes with more zeros; 0 and 0 store none.
struct SymbolicOptions {
  Index max_width = 128;  // wider supernodes are split, so that block-cyclic maps can distribute them
  // Separators on this many levels from the root are not split, and all of their columns that the elimination
  // tree joins become one supernode, whatever zeros that stores: in block LDU their diagonal block is
  // inverted as a whole, and a sweep crosses the separator in one step instead of a chain of supernodes.
  int whole_levels = 0;
  // Such a separator absorbs its two children if at least `merge_ranks` of 2^whole_levels ranks share it, and
  // the larger inverse costs each of these at most `merge_entries` more entries: a sweep then crosses two
  // levels in one step. 64 kB at a core's part of the bandwidth take as long as the messages of a level.
  Index merge_entries = 8192;
  Index merge_ranks = 32;
  Index supernode_bytes = 520;
  Index row_bytes = 8;
  // Where all fronts are tiny (circuits, power networks, narrow bands: a column that is multiplied has 32
  // entries or less on average), supernodes have at most this many columns and store no zeros; 0: no such
  // rule. A single rank processes such supernodes without the overhead of larger ones; several ranks send
  // messages for each. The inverse of a small diagonal block is also more accurate: with conductances g and
  // -g in a block, the error of the first sweep on memplus was 668 epsilon.
  Index max_width_if_tiny = 0;
};

struct Analysis {
  std::shared_ptr<const Structure> structure;
  std::vector<Index> new_of_ordered;  // column j of the ordered matrix becomes new_of_ordered[j]
};

// `pattern`: symmetrized, full diagonal, already in the order of `tree`. The result keeps the tree's nodes
// contiguous: a supernode never straddles two nodes.
Analysis analyze(const matrix::Pattern& pattern, const ordering::SeparatorTree& tree,
                 const SymbolicOptions& options, Observer& observer = silent_observer());

// The structure with every supernode K that is wider than tile_width(K) cut into tiles of nearly equal width,
// so that it can be distributed over several ranks. The tiles of a supernode are a *group*: each tile has its
// columns of the panel, with the same rows, and of the diagonal block, which remains one dense block of the
// whole group; there are no panels between tiles.
Structure tiled(const Structure& structure, const std::function<Index(Index)>& tile_width);

// By supernode: its node of the separator tree, and the level of that node, 0 at the root.
std::vector<Index> nodes_of_supernodes(const Structure& structure);
std::vector<Index> levels(const Structure& structure);

// Columns and rows of supernodes, as in Structure.
struct Shape {
  std::vector<Index> first{0};
  std::vector<Offset> row_ptr{0};
  std::vector<Index> row;
};

// The structure of these supernodes. `whole`: by supernode; `tree`: nodes as ranges of supernodes.
Structure structure_of(Shape shape, std::vector<char> whole, ordering::SeparatorTree tree);

// The structure with its columns in other supernodes. `in_place_of`, ascending: by new supernode, the old one
// whose place in the separator tree it takes. Not for tiled structures.
Structure reshaped(const Structure& structure, const std::vector<Index>& in_place_of, Shape shape);

}  // namespace trisweep::symbolic
