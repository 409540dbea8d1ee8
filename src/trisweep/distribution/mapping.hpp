#pragma once
// The owners of the blocks of the factors. A mapping splits the ranks into *layers*. Each layer holds a part
// of the factors that is closed under "is a row of": one self-contained distributed matrix (the L^z and U^z
// of SC'23 section 3.1). A supernode may be held by several layers; its right-hand side enters, and its
// solution leaves, in the first of them, its *home* layer.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/distribution/grid.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::distribution {

// The two factors of A = L D U. `lower` has the panels L(:,K), `upper` the panels U(K,:)^T; both are indexed
// by (row supernode I of the panel, supernode K of the panel). `diagonal` has D^-1: the block (K, K), and
// between tiles of a group (symbolic::tiled) the blocks (I, K) of their common dense block.
enum class Side { lower, upper, diagonal };

struct LayerRange {
  Index first;
  Index last;  // one past
  bool contains(Index z) const { return first <= z && z < last; }
};

class Mapping {
 public:
  virtual ~Mapping() = default;
  virtual Index ranks() const = 0;
  virtual Index layers() const = 0;
  virtual Index layer_of_rank(Index rank) const = 0;
  virtual LayerRange layers_of(Index supernode) const = 0;
  // The rank, within `layer`, that owns block (i, k) of `side`. The owner of the diagonal block (k, k) has
  // the segment k of every vector. The layer must hold both supernodes.
  virtual Index owner(Index layer, Side side, Index i, Index k) const = 0;

  Index diagonal_owner(Index layer, Index k) const { return owner(layer, Side::diagonal, k, k); }
  Index home(Index k) const { return diagonal_owner(layers_of(k).first, k); }
};

// Each mapping is one such function in a file of its own; mappings() lists them by name.
using MappingFunction = std::unique_ptr<Mapping>(const symbolic::Structure& structure,
                                                 const ProcessGrid& grid);

// SC'23 section 2.2 and Fig. 1: layer z has leaf subtree z of the top log2(Pz) levels of the separator tree
// and replicates all its ancestors; within a layer L(I,K) is on process (I mod Px, K mod Py), U(K,I) on (K
// mod Px, I mod Py). When the tree has fewer than log2(Pz) levels, the surplus layers have empty leaves.
MappingFunction block_cyclic;

// One layer, in which subtrees are mapped to subsets of ranks in proportion to the entries that a sweep reads
// in them: the ranks of a node of the separator tree are divided between its two subtrees, down to a single
// rank, which has a whole subtree and needs no message in it. Where the tree goes deeper, the boundary
// between two ranks may divide a subtree, so that all ranks have about equal work. A node's panels and its
// diagonal block are distributed block-cyclically over a 2D grid of the least loaded of the node's ranks. So
// a separator is shared only by the ranks below it, and evens out the imbalance of subtrees that cannot be
// divided. (Pothen and Sun 1993 map multifrontal factorizations like this.) Only the grid's number of ranks
// matters.
MappingFunction proportional;

// The mappings by the names that users know.
struct NamedMapping {
  std::string_view name;
  MappingFunction* make;
  // By node of the separator tree: the longer side of the 2D grid that shares it; 1: it is on one rank.
  std::vector<Index> (*node_sides)(const symbolic::Structure& structure, const ProcessGrid& grid);
  // Number of parts into which the separator tree has to divide the matrix.
  Index (*parts)(const ProcessGrid& grid);
  int levels_below_parts = 0;     // further levels of separators that it uses
  bool only_ranks_count = false;  // the grid's shape does not matter, and there is one layer
};
std::vector<Index> block_cyclic_sides(const symbolic::Structure& structure, const ProcessGrid& grid);
std::vector<Index> proportional_sides(const symbolic::Structure& structure, const ProcessGrid& grid);

std::span<const NamedMapping> mappings();
// Throws Error(usage), which lists the valid names, if `name` is none of them.
const NamedMapping& find_mapping(std::string_view name);

// Number of levels of separators that a mapping on that grid uses.
int tree_levels(const NamedMapping& mapping, const ProcessGrid& grid);

// in_tiles() returns the structure that a mapping distributes: separators that were kept whole
// (SymbolicOptions::whole_levels) are cut into tiles of about `width` columns, at least `least`, whose number
// is a multiple of the longer side of their grid. It returns the structure itself if there is nothing to cut.
struct Tiling {
  Index width = 64;
  Index least = 8;
  bool on_one_rank = false;  // also separators on one rank, whose device distributes them
};
std::shared_ptr<const symbolic::Structure> in_tiles(std::shared_ptr<const symbolic::Structure> structure,
                                                    const NamedMapping& mapping, const ProcessGrid& grid,
                                                    const Tiling& tiling = {});

}  // namespace trisweep::distribution
