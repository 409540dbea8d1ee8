#include <scotch.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "trisweep/core/error.hpp"
#include "trisweep/ordering/dissection.hpp"

namespace trisweep::ordering {
namespace {

static_assert(sizeof(SCOTCH_Num) == sizeof(Index), "this SCOTCH has another index width than Trisweep");

void check_scotch(int status) {
  if (status == 0) return;
  throw Error(ErrorKind::environment, "SCOTCH failed to order the graph",
              "try METIS or the natural order instead");
}

// Nested dissection down to 60 vertices, halo minimum fill below. Of each separator two are tried, one
// refined in a band around the projected one, one over the whole graph. SCOTCH's own default stops dissecting
// early and merges blocks at the leaves: it makes 20 % more fill on 9-point grids and 10 % more on 7-point
// ones.
constexpr char strategy_text[] =
    "n{sep=/(vert>60)?m{vert=100,low=h{pass=10},asc=b{width=3,bnd=f{bal=0.2},org=f{bal=0.2}}}"
    "|m{vert=100,low=h{pass=10},asc=f{bal=0.2}};,ole=f{cmin=0,cmax=100000,frat=0.0},ose=s}";

// SCOTCH's objects, freed in the reverse order of construction.
template <class Object, void (*release)(Object*)>
struct Handle {
  Object object;
  Handle() = default;
  Handle(const Handle&) = delete;
  ~Handle() { release(&object); }
};
using GraphHandle = Handle<SCOTCH_Graph, SCOTCH_graphExit>;
using ContextHandle = Handle<SCOTCH_Context, SCOTCH_contextExit>;
using StrategyHandle = Handle<SCOTCH_Strat, SCOTCH_stratExit>;

// SCOTCH's result, blocks of vertices that are consecutive in elimination order, and their elimination tree:
// blocks of different subtrees share no edge.
struct BlockTree {
  std::vector<Index> old_of;                 // vertices in elimination order
  std::vector<Index> begin;                  // blocks + 1: block b is old_of[begin[b], begin[b+1])
  std::vector<std::vector<Index>> children;  // of each block; the last entry lists the roots
  std::vector<Offset> subtree_weight;

  Index blocks() const { return static_cast<Index>(begin.size()) - 1; }
  std::span<const Index> vertices(Index b) const {
    return {old_of.data() + begin[usize(b)], old_of.data() + begin[usize(b) + 1]};
  }
};

// With a context of its own, the call neither reads nor changes SCOTCH's global random state.
void order_blocks(const Graph& graph, Index seed, BlockTree& tree) {
  ContextHandle context;
  check_scotch(SCOTCH_contextInit(&context.object));
  check_scotch(SCOTCH_contextOptionSetNum(&context.object, SCOTCH_OPTIONNUMDETERMINISTIC, 1));
  check_scotch(SCOTCH_contextThreadSpawn(&context.object, 1, nullptr));
  SCOTCH_contextRandomSeed(&context.object, seed);
  SCOTCH_contextRandomReset(&context.object);
  GraphHandle source, bound;
  check_scotch(SCOTCH_graphInit(&source.object));
  check_scotch(SCOTCH_graphInit(&bound.object));
  check_scotch(SCOTCH_graphBuild(&source.object, 0, graph.vertices(), graph.ptr.data(), nullptr,
                                 graph.weight.data(), nullptr, graph.edges(), graph.adjacent.data(),
                                 nullptr));
  check_scotch(SCOTCH_contextBindGraph(&context.object, &source.object, &bound.object));
  StrategyHandle strategy;
  check_scotch(SCOTCH_stratInit(&strategy.object));
  check_scotch(SCOTCH_stratGraphOrder(&strategy.object, strategy_text));
  const std::size_t n = usize(graph.vertices());
  tree.old_of.resize(n);
  tree.begin.resize(n + 1);
  Index blocks = 0;
  check_scotch(SCOTCH_graphOrder(&bound.object, &strategy.object, nullptr, tree.old_of.data(), &blocks,
                                 tree.begin.data(), nullptr));
  tree.begin.resize(usize(blocks) + 1);
}

// The parent of each block in the elimination tree of the graph of blocks (Liu 1990), -1 at a root. SCOTCH's
// own tree is not suitable: in it blocks of one leaf are siblings, whether joined by edges or not.
std::vector<Index> block_parents(const Graph& graph, const BlockTree& tree) {
  std::vector<Index> block_of(tree.old_of.size()), parent(usize(tree.blocks()), -1),
      top(usize(tree.blocks()));
  std::iota(top.begin(), top.end(), 0);
  for (Index b = 0; b < tree.blocks(); ++b) {
    for (const Index v : tree.vertices(b)) block_of[usize(v)] = b;
  }
  for (Index b = 0; b < tree.blocks(); ++b) {
    for (const Index v : tree.vertices(b)) {
      for (const Index w : graph.neighbours(v)) {
        Index root = block_of[usize(w)];
        if (root >= b) continue;
        while (top[usize(root)] != root) root = top[usize(root)] = top[usize(top[usize(root)])];
        if (root != b) parent[usize(root)] = top[usize(root)] = b;
      }
    }
  }
  return parent;
}

BlockTree block_tree(const Graph& graph, Index seed) {
  BlockTree tree;
  order_blocks(graph, seed, tree);
  const std::vector<Index> parent = block_parents(graph, tree);
  const std::size_t blocks = parent.size();
  tree.children.resize(blocks + 1);
  tree.subtree_weight.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {  // a block precedes its parent
    for (const Index v : tree.vertices(static_cast<Index>(b)))
      tree.subtree_weight[b] += graph.weight[usize(v)];
    tree.children[parent[b] < 0 ? blocks : usize(parent[b])].push_back(static_cast<Index>(b));
    if (parent[b] >= 0) tree.subtree_weight[usize(parent[b])] += tree.subtree_weight[b];
  }
  return tree;
}

// Lays the top of a BlockTree over the complete binary tree.
class Overlay {
 public:
  Overlay(const BlockTree& tree, int levels)
      : tree_(tree), levels_(levels), nodes_(std::size_t{2} << levels) {}

  // The subtrees of `roots` become the subtree of heap node `node`. Different subtrees share no edge, so they
  // can be assigned to sides freely; a block whose subtrees are assigned is part of the separator between
  // them, and so is each block above it that has no other child. If there are no subtrees to assign,
  // everything goes to the first leaf.
  void place(const std::vector<Index>& roots, Index node) {
    std::vector<Index> separator, subtrees = roots;
    while (subtrees.size() == 1) {
      separator.push_back(subtrees.front());
      subtrees = tree_.children[usize(separator.back())];
    }
    if (subtrees.empty() || node >= Index{1} << levels_) {
      while (node < Index{1} << levels_) node *= 2;
      append_subtrees(roots, node);
      return;
    }
    std::reverse(separator.begin(), separator.end());  // the root is eliminated last
    for (const Index block : separator) append_block(block, node);
    std::vector<Offset> weight;
    weight.reserve(subtrees.size());
    for (const Index root : subtrees) weight.push_back(tree_.subtree_weight[usize(root)]);
    const std::vector<char> side = balanced_sides(weight);
    std::array<std::vector<Index>, 2> half;
    for (std::size_t k = 0; k < subtrees.size(); ++k) half[usize(side[k])].push_back(subtrees[k]);
    place(half[0], 2 * node);
    place(half[1], 2 * node + 1);
  }

  TreeVertices take() { return std::move(nodes_); }

 private:
  void append_block(Index block, Index node) {
    const auto vertices = tree_.vertices(block);
    nodes_[usize(node)].insert(nodes_[usize(node)].end(), vertices.begin(), vertices.end());
  }

  // Appends the subtrees of `blocks`, children before parents.
  void append_subtrees(std::vector<Index> blocks, Index node) {
    for (std::size_t k = 0; k < blocks.size(); ++k)
      for (const Index child : tree_.children[usize(blocks[k])]) blocks.push_back(child);
    std::sort(blocks.begin(), blocks.end());
    for (const Index block : blocks) append_block(block, node);
  }

  const BlockTree& tree_;
  int levels_;
  TreeVertices nodes_;
};

}  // namespace

TreeVertices dissect_with_scotch(const Graph& graph, int levels, Index seed, Observer& observer) {
  const BlockTree tree = block_tree(graph, seed);
  observer.progress("order", 1.0);
  Overlay overlay(tree, levels);
  overlay.place(tree.children.back(), 1);
  return overlay.take();
}

}  // namespace trisweep::ordering
