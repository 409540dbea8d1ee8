#include "trisweep/solve/parallel_dissection.hpp"

#include <ptscotch.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace trisweep::solve {
namespace {

static_assert(sizeof(SCOTCH_Num) == sizeof(Index), "this PT-SCOTCH has another index width than Trisweep");

// Multilevel separators, refined in a band around the projected one; vertices of subdomains and separators
// stay in their given order. PT-SCOTCH's own default makes separators of a straight cut in grids, and 5 %
// more fill: it gives up after 80 moves that gain nothing, in a band of 3 vertices on each side. Small graphs
// are folded onto half of the ranks without a duplicate on the others (its default), by which PT-SCOTCH 7.0.3
// sometimes ends in a segmentation fault on sixteen ranks.
constexpr char dissection_only[] =
    "n{sep=m{fold=f,vert=100,low=q{strat=h{pass=10}f{bal=0.2,move=300}},"
    "asc=b{width=10,strat=q{strat=f{bal=0.2,move=300}}},"
    "seq=q{strat=m{vert=120,low=h{pass=10}f{bal=0.2,move=300},"
    "asc=b{width=10,bnd=f{bal=0.2,move=300},org=f{bal=0.2,move=300}}}}},"
    "ole=s,ose=s,osq=s}";

// This rank's part of the graph, in the form that PT-SCOTCH reads.
struct GraphRows {
  std::vector<Index> ptr{0}, adjacent, weight;

  GraphRows(const GroupedRows& of, Index first) {
    const matrix::Pattern& rows = of.pattern;
    ptr.reserve(usize(rows.rows) + 1);
    adjacent.reserve(rows.col.size());
    for (Index i = 0; i < rows.rows; ++i) {
      for (const Index j : rows.row(i)) {
        if (j != first + i) adjacent.push_back(j);
      }
      ptr.push_back(static_cast<Index>(adjacent.size()));
      weight.push_back(static_cast<Index>(of.members(first + i).size()));
    }
  }
};

// Places of a part of the order, all of one node.
struct Places {
  Index begin, node;
};

// PT-SCOTCH's tree of blocks: the children of a block are its two parts and, unless it is empty, the
// separator between them, in the order of their vertices.
struct BlocksOfRanks {
  std::vector<Index> parent, size;
  std::vector<std::vector<Index>> children{};
  std::vector<Index> place{};  // by row of this rank, in the order of all vertices

  // Lists the nodes in the order of the vertices.
  void list_nodes(Index block, Index node, int levels, Index begin, std::vector<Places>& nodes,
                  std::vector<char>& is_divided) const {
    const std::vector<Index>& parts = children[usize(block)];
    if (levels == 0 || parts.size() < 2) return nodes.push_back({begin, node});
    is_divided[usize(node)] = 1;
    for (const Index k : {0, 1}) {
      list_nodes(parts[usize(k)], 2 * node + k, levels - 1, begin, nodes, is_divided);
      begin += size[usize(parts[usize(k)])];
    }
    nodes.push_back({begin, node});
  }
};

// PT-SCOTCH's objects and the calls that make an ordering with them. With a context of its own it neither
// reads nor changes SCOTCH's global random state. Each call either succeeds on all ranks or throws on all.
class Ordering {
 public:
  // `graph` must outlive this.
  Ordering(const mpi::Communicator& comm, GraphRows& graph, Index seed)
      : comm_(comm), of_scotch_(comm.duplicate()) {
    SCOTCH_contextInit(&context_);
    SCOTCH_stratInit(&strategy_);
    SCOTCH_dgraphInit(&graph_, of_scotch_.handle());
    SCOTCH_dgraphInit(&bound_, of_scotch_.handle());
    try {
      order(graph, seed);
    } catch (...) {
      release();
      throw;
    }
  }
  ~Ordering() { release(); }
  Ordering(const Ordering&) = delete;
  Ordering& operator=(const Ordering&) = delete;

  // `rows`: number of this rank's rows.
  BlocksOfRanks blocks(Index rows) {
    const auto count = SCOTCH_dgraphOrderCblkDist(&bound_, &order_);
    require(count < 1);
    auto blocks = mpi::agree_on_error(comm_, [&] {
      const std::vector<Index> by_block(usize(count));
      return BlocksOfRanks{.parent = by_block, .size = by_block, .place = std::vector<Index>(usize(rows))};
    });
    require(SCOTCH_dgraphOrderTreeDist(&bound_, &order_, blocks.parent.data(), blocks.size.data()));
    require(SCOTCH_dgraphOrderPerm(&bound_, &order_, blocks.place.data()));
    return blocks;
  }

 private:
  void order(GraphRows& graph, Index seed) {
    const auto rows = static_cast<Index>(graph.ptr.size()) - 1;
    const auto edges = static_cast<Index>(graph.adjacent.size());
    require(SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1));
    require(SCOTCH_contextThreadSpawn(&context_, 1, nullptr));
    SCOTCH_contextRandomSeed(&context_, seed);
    SCOTCH_contextRandomReset(&context_);
    require(SCOTCH_stratDgraphOrder(&strategy_, dissection_only));
    require(SCOTCH_dgraphBuild(&graph_, 0, rows, rows, graph.ptr.data(), nullptr, graph.weight.data(),
                               nullptr, edges, edges, graph.adjacent.data(), nullptr, nullptr));
    require(SCOTCH_contextBindDgraph(&context_, &graph_, &bound_));
    require(SCOTCH_dgraphOrderInit(&bound_, &order_));
    is_ordered_ = true;
    require(SCOTCH_dgraphOrderCompute(&bound_, &order_, &strategy_));
  }

  void require(int status) const {
    if (comm_.max(double(status != 0)) > 0)
      throw mpi::CollectiveError(ErrorKind::environment, "PT-SCOTCH failed to order the graph",
                                 "order with metis instead, which gathers the graph on rank 0");
  }

  void release() {
    if (is_ordered_) SCOTCH_dgraphOrderExit(&bound_, &order_);
    SCOTCH_dgraphExit(&bound_);
    SCOTCH_dgraphExit(&graph_);
    SCOTCH_stratExit(&strategy_);
    SCOTCH_contextExit(&context_);
  }

  const mpi::Communicator& comm_;
  mpi::Communicator of_scotch_;  // for its messages alone
  SCOTCH_Context context_;
  SCOTCH_Strat strategy_;
  SCOTCH_Dgraph graph_, bound_;
  SCOTCH_Dordering order_;
  bool is_ordered_ = false;
};

void find_children(BlocksOfRanks& blocks) {
  blocks.children.resize(blocks.parent.size());
  for (std::size_t b = 0; b < blocks.parent.size(); ++b) {
    if (blocks.parent[b] >= 0) blocks.children[usize(blocks.parent[b])].push_back(static_cast<Index>(b));
  }
}

}  // namespace

bool has_parallel_dissection() {
  return true;
}

TopOfDissection dissect_in_parallel(const mpi::Communicator& comm, const GroupedRows& rows, int levels,
                                    Index seed) {
  if (comm.sum(double(rows.pattern.nonzeros())) > std::numeric_limits<Index>::max())
    throw mpi::CollectiveError(ErrorKind::environment, "the matrix has too many entries for PT-SCOTCH",
                               "use --factorization superlu-dist");
  auto graph = mpi::agree_on_error(comm, [&] { return GraphRows(rows, rows.partition.first(comm.rank())); });
  auto blocks = Ordering(comm, graph, seed).blocks(rows.pattern.rows);
  return mpi::agree_on_error(comm, [&] {
    find_children(blocks);
    TopOfDissection top{.is_divided = std::vector<char>(std::size_t{2} << levels)};
    std::vector<Places> nodes;
    blocks.list_nodes(0, 1, levels, 0, nodes, top.is_divided);
    for (const Index place : blocks.place) {
      const auto of = std::prev(std::ranges::upper_bound(nodes, place, {}, &Places::begin));
      top.node.push_back(of->node);
      top.place.push_back(place - of->begin);
    }
    return top;
  });
}

}  // namespace trisweep::solve
