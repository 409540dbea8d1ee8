#pragma once
// Who owns which block of the factors. A mapping splits the ranks into *layers*. Each layer holds a part of
// the factors that is closed under "is a row of": one self-contained distributed matrix (the L^z and U^z of
// SC'23 section 3.1). A supernode may be held by several layers; its right-hand side enters, and its solution
// leaves, in the first of them, its *home* layer.

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
  // the segment k of every vector. Both supernodes must be held by the layer.
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

// One layer in which subtrees go to rank subsets in proportion to the entries a sweep reads of them: the
// ranks of a node of the separator tree are shared out to its two subtrees, down to one rank, which has all
// of its subtree and needs no message in it. Where subtrees go deeper than single ranks, a boundary between
// two ranks may divide one, so that all ranks have about the same to do. A node's panels and its diagonal
// block are on a 2D grid of those of the node's ranks that have least to do so far, block-cyclic, so a
// separator is shared by just the ranks below it, and evens out what subtrees that cannot be divided leave
// uneven. (Pothen and Sun 1993 map multifrontal factorizations so.) Of the grid only the number of ranks
// counts.
MappingFunction proportional;

// The mappings by the names that users know.
struct NamedMapping {
  std::string_view name;
  MappingFunction* make;
  // The longer side of the 2D grid that shares each node of the separator tree; 1: it is on one rank.
  std::vector<Index> (*node_sides)(const symbolic::Structure& structure, const ProcessGrid& grid);
  // Parts of the matrix that the separator tree has to tell apart.
  Index (*parts)(const ProcessGrid& grid);
  int levels_below_parts = 0;     // of separators that it makes use of besides
  bool only_ranks_count = false;  // of the grid: not its shape, and there is one layer
};
std::vector<Index> block_cyclic_sides(const symbolic::Structure& structure, const ProcessGrid& grid);
std::vector<Index> proportional_sides(const symbolic::Structure& structure, const ProcessGrid& grid);

std::span<const NamedMapping> mappings();
// Throws Error(usage) that lists the names there are.
const NamedMapping& find_mapping(std::string_view name);

// The levels of separators that a mapping on that grid makes use of.
int tree_levels(const NamedMapping& mapping, const ProcessGrid& grid);

// The structure that a mapping deals out: separators that were kept whole (symbolic::Options::whole_levels)
// cut into tiles of about `width` columns, at least `least`, in a number that the sides of their grid divide.
// The structure itself when there is nothing to cut.
struct Tiling {
  Index width = 64;
  Index least = 8;
  bool on_one_rank = false;  // also those that a rank has alone: its device shares them out
};
std::shared_ptr<const symbolic::Structure> in_tiles(std::shared_ptr<const symbolic::Structure> structure,
                                                    const NamedMapping& mapping, const ProcessGrid& grid,
                                                    const Tiling& tiling = {});

}  // namespace trisweep::distribution
