#include "trisweep/plan/dot.hpp"

#include <fmt/format.h>

#include <set>

#include "trisweep/core/error.hpp"
#include "trisweep/plan/applied_panels.hpp"
#include "trisweep/plan/traffic.hpp"

namespace trisweep::plan {
namespace {

using distribution::Mapping;
using symbolic::Structure;

constexpr std::size_t most_nodes = 1000;

// The graph of one phase of one layer. Nodes are named by phase, kind, rank and supernode: s is a sum, f a
// final segment, p a piece of a panel.
class Picture {
 public:
  Picture(const Structure& structure, const Mapping& mapping) : structure_(structure), mapping_(mapping) {}

  void begin(Index phase, Index layer, const std::string& title) {
    phase_ = phase;
    text_ += fmt::format("subgraph cluster_{}_{} {{ label=\"{}: {}, layer {}\";\n", phase, layer, phase,
                         title, layer);
  }
  void end() { text_ += "}\n"; }

  void sweep(Index layer, const SweepSpec& spec) {
    const SweepTrees trees = sweep_trees(structure_, mapping_, layer, spec);
    const AppliedPanels applied(structure_, mapping_, layer, spec);
    const bool scatters = spec.direction == Direction::scatter;
    const bool is_product = spec.side == distribution::Side::diagonal;  // its sums are not sources again
    for (Index k = 0; k < structure_.supernodes(); ++k) {
      if (!applied.concerns(k) || (is_product && !structure_.is_tile(k))) continue;
      const RankId owner(mapping_.diagonal_owner(layer, k));
      if (!is_product) edge(segment('s', owner, k), segment('f', owner, k));
      along_tree(spec.tree, trees.reduction.of(k), k, MessageKind::reduction);
      along_tree(spec.tree, trees.broadcast.of(k), k, MessageKind::broadcast);
    }
    applied.for_each_block([&](const AppliedBlock& block) {
      const Index k = block.supernode, i = block.row_supernode;
      const RankId rank = block.rank;
      const std::string piece = node('p', rank, k, fmt::format("panel {}@{}", k, rank.value()), "box");
      edge(segment('f', rank, scatters ? k : i), piece);
      edge(piece, segment('s', rank, scatters ? i : k));
    });
  }

  void between_ranks(const Message& m) {
    const auto rank = [&](RankId r) { return node('r', r, 0, fmt::format("rank {}", r.value()), "circle"); };
    text_ += fmt::format("{} -> {} [style=bold, label=\"{} rows\"];\n", rank(m.from), rank(m.to), m.rows);
  }

  std::string finish() && { return "digraph plan {\nrankdir=LR;\n" + text_ + "}\n"; }

 private:
  void along_tree(Tree tree, std::span<const RankId> members, Index k, MessageKind kind) {
    const auto size = static_cast<Index>(members.size());
    const bool down = kind == MessageKind::broadcast;
    for (Index p = 1; p < size; ++p) {
      const std::string child = segment(down ? 'f' : 's', members[usize(p)], k);
      const std::string parent = segment(down ? 'f' : 's', members[usize(tree(p, size).parent)], k);
      edge(down ? parent : child, down ? child : parent, "bold");
    }
  }

  std::string segment(char kind, RankId rank, Index k) {
    return node(kind, rank, k, fmt::format("{}{}@{}", kind == 'f' ? "x" : "sum", k, rank.value()), "ellipse");
  }

  // Declares the node when it is first met.
  std::string node(char kind, RankId rank, Index k, const std::string& label, const char* shape) {
    std::string name = fmt::format("{}{}_{}_{}", kind, phase_, rank.value(), k);
    if (nodes_.insert(name).second) {
      text_ += fmt::format("{} [label=\"{}\", shape={}];\n", name, label, shape);
      if (nodes_.size() > most_nodes) {
        throw Error(ErrorKind::usage,
                    fmt::format("the graph of this plan has more than {} nodes", most_nodes),
                    "take a smaller matrix or fewer ranks for a picture");
      }
    }
    return name;
  }

  // Several blocks of a piece may join the same two nodes.
  void edge(const std::string& from, const std::string& to, const char* style = "solid") {
    if (edges_.emplace(from, to).second) text_ += fmt::format("{} -> {} [style={}];\n", from, to, style);
  }

  const Structure& structure_;
  const Mapping& mapping_;
  Index phase_ = 0;
  std::set<std::string> nodes_;
  std::set<std::pair<std::string, std::string>> edges_;
  std::string text_;
};

}  // namespace

std::string to_dot(const Structure& structure, const Mapping& mapping, Schedule schedule,
                   const PlanSpec& spec) {
  Picture picture(structure, mapping);
  for (Index layer = 0; layer < mapping.layers(); ++layer) {
    Index phase = 0;
    for (const PhaseSpec& described : describe(schedule, structure, mapping, layer, spec)) {
      const auto* sweep = std::get_if<SweepSpec>(&described);
      if (sweep != nullptr && !sweep->idle()) {
        picture.begin(phase, layer, sweep->direction == Direction::scatter ? "forward" : "backward");
        picture.sweep(layer, *sweep);
        picture.end();
      }
      ++phase;
    }
  }
  for_each_message(structure, mapping, schedule, spec, [&](const Message& m) {
    if (m.kind != MessageKind::exchange && m.kind != MessageKind::vectors) return;
    picture.begin(m.phase, 0, std::string(name_of(m.kind)));
    picture.between_ranks(m);
    picture.end();
  });
  return std::move(picture).finish();
}

}  // namespace trisweep::plan
