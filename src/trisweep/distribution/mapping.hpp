#pragma once
// Who owns which block of the factors. A mapping splits the ranks into *layers*. Each layer holds a part of
// the factors that is closed under "is a row of": one self-contained distributed matrix (the L^z and U^z of
// SC'23 section 3.1). A supernode may be held by several layers; its right-hand side enters, and its solution
// leaves, in the first of them, its *home* layer.

#include <memory>
#include <span>
#include <vector>

#include "trisweep/core/types.hpp"
#include "trisweep/distribution/grid.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::distribution {

// The two factors of A = L D U. `lower` has the panels L(:,K), `upper` the panels U(K,:)^T; both are indexed
// by (row supernode I of the panel, supernode K of the panel).
enum class Side { lower, upper };

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
  // The rank, within `layer`, that owns block (i, k) of `side`; (k, k) is the diagonal block, whose owner has
  // the segment k of every vector. Both supernodes must be held by the layer.
  virtual Index owner(Index layer, Side side, Index i, Index k) const = 0;

  Index diagonal_owner(Index layer, Index k) const { return owner(layer, Side::lower, k, k); }
  Index home(Index k) const { return diagonal_owner(layers_of(k).first, k); }
};

// SC'23 section 2.2 and Fig. 1: layer z has leaf subtree z of the top log2(Pz) levels of the separator tree
// and replicates all its ancestors; within a layer L(I,K) is on process (I mod Px, K mod Py), U(K,I) on (K
// mod Px, I mod Py). When the tree has fewer than log2(Pz) levels, the surplus layers have empty leaves.
std::unique_ptr<Mapping> block_cyclic(const symbolic::Structure& structure, const ProcessGrid& grid);

}  // namespace trisweep::distribution
