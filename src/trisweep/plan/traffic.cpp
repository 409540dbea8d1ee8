#include "trisweep/plan/traffic.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace trisweep::plan {
namespace {

using distribution::Mapping;
using symbolic::Structure;

// The messages that the ranks of one layer send in one phase.
struct LayerMessages {
  const Structure& structure;
  const Mapping& mapping;
  Index layer;
  Index phase;
  const std::function<void(const Message&)>& visit;

  void operator()(const SweepSpec& spec) const {
    if (spec.idle()) return;
    const SweepTrees trees = sweep_trees(structure, mapping, layer, spec);
    for (Index k = 0; k < structure.supernodes(); ++k) {
      along_tree(spec.tree, trees.reduction.of(k), k, MessageKind::reduction);
      along_tree(spec.tree, trees.broadcast.of(k), k, MessageKind::broadcast);
    }
  }

  void along_tree(Tree tree, std::span<const RankId> members, Index k, MessageKind kind) const {
    const auto size = static_cast<Index>(members.size());
    for (Index p = 1; p < size; ++p) {
      const RankId child = members[usize(p)], parent = members[usize(tree(p, size).parent)];
      const bool down = kind == MessageKind::broadcast;
      visit({phase, kind, down ? parent : child, down ? child : parent, structure.width(k)});
    }
  }

  void operator()(const ExchangeSpec& spec) const {
    for (const LayerStep& step : spec) {
      if (step.transfer != Transfer::send) continue;
      std::map<std::pair<RankId, RankId>, Offset> rows;  // (from, to)
      for (Index k = 0; k < structure.supernodes(); ++k) {
        const distribution::LayerRange layers = mapping.layers_of(k);
        if (!layers.contains(layer) || !step.moves(k, layers)) continue;
        const RankId from(mapping.diagonal_owner(layer, k)), to(mapping.diagonal_owner(step.partner, k));
        if (step.packed) {
          rows[{from, to}] += structure.width(k);
        } else {
          visit({phase, MessageKind::exchange, from, to, structure.width(k)});
        }
      }
      for (const auto& [ranks, count] : rows)
        visit({phase, MessageKind::exchange, ranks.first, ranks.second, count});
    }
  }

  void operator()(const DiagonalSpec&) const {}

  void operator()(const VectorSpec& spec) const {
    std::map<std::pair<RankId, RankId>, Offset> rows;  // (from, to)
    for_each_vector_row(structure, mapping, spec, [&](Index, Index, Index, RankId caller, RankId home) {
      const bool in = spec.way == VectorWay::in;
      const RankId from = in ? caller : home, to = in ? home : caller;
      if (from != to && mapping.layer_of_rank(from.value()) == layer) ++rows[{from, to}];
    });
    for (const auto& [ranks, count] : rows)
      visit({phase, MessageKind::vectors, ranks.first, ranks.second, count});
  }
};

Volume total(const RankTraffic& t, Volume RankTraffic::Both::*way) {
  Volume sum;
  for (const MessageKind kind : sweep_kinds) sum += t.of(kind).*way;
  return sum;
}

// Counts the messages of a phase of one rank's plan.
struct PhaseTraffic {
  RankTraffic& sum;

  void operator()(const SweepPhase& sweep) const {
    for (const Outgoing& m : sweep.outgoing) sum.of(m.kind).sent += {1, sweep.segment[m.segment].width};
    for (const Incoming& m : sweep.incoming) sum.of(m.kind).received += {1, sweep.segment[m.segment].width};
  }
  void operator()(const ExchangePhase& exchange) const {
    auto& both = sum.of(MessageKind::exchange);
    for (const ExchangeStep& step : exchange.step)
      (step.transfer == Transfer::send ? both.sent : both.received) += {1, step.rows};
  }
  void operator()(const DiagonalPhase&) const {}
  void operator()(const VectorPhase& vectors) const {
    auto& both = sum.of(MessageKind::vectors);
    for (const VectorMessage& m : vectors.sent) both.sent += {1, std::ssize(m.row)};
    for (const VectorMessage& m : vectors.received) both.received += {1, std::ssize(m.row)};
  }
};

}  // namespace

std::string_view name_of(MessageKind kind) {
  constexpr std::array<std::string_view, message_kinds.size()> names{"broadcast", "reduction", "exchange",
                                                                     "vectors"};
  return names[index_of(kind)];
}

Volume RankTraffic::sent() const {
  return total(*this, &Both::sent);
}
Volume RankTraffic::received() const {
  return total(*this, &Both::received);
}

void for_each_message(const Structure& structure, const Mapping& mapping, Schedule schedule,
                      const PlanSpec& spec, const std::function<void(const Message&)>& visit) {
  for (Index layer = 0; layer < mapping.layers(); ++layer) {
    Index phase = 0;
    for (const PhaseSpec& described : describe(schedule, structure, mapping, layer, spec))
      std::visit(LayerMessages{structure, mapping, layer, phase++, visit}, described);
  }
}

Traffic traffic(const Structure& structure, const Mapping& mapping, Schedule schedule, const PlanSpec& spec) {
  Traffic all;
  all.rank.resize(usize(mapping.ranks()));
  std::set<Index> exchanges;
  for_each_message(structure, mapping, schedule, spec, [&](const Message& m) {
    all.rank[usize(m.from)].of(m.kind).sent += {1, m.rows};
    all.rank[usize(m.to)].of(m.kind).received += {1, m.rows};
    if (m.kind == MessageKind::exchange) exchanges.insert(m.phase);
  });
  all.synchronizations = static_cast<Index>(exchanges.size());
  return all;
}

std::vector<Flow> flows(const Structure& structure, const Mapping& mapping, Schedule schedule,
                        const PlanSpec& spec) {
  std::vector<Flow> all;
  for_each_message(structure, mapping, schedule, spec, [&](const Message& m) {
    all.push_back({m.from, m.to, m.kind, {1, m.rows}});
  });
  const auto key = [](const Flow& f) { return std::tie(f.from, f.to, f.kind); };
  std::sort(all.begin(), all.end(), [&](const Flow& a, const Flow& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && key(all[kept - 1]) == key(all[i])) {
      all[kept - 1].volume += all[i].volume;
    } else {
      all[kept++] = all[i];
    }
  }
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
  return all;
}

RankTraffic traffic_of(const Phase& phase) {
  RankTraffic sum;
  std::visit(PhaseTraffic{sum}, phase);
  return sum;
}

RankTraffic traffic_of(const Plan& plan) {
  RankTraffic sum;
  for (const Phase& phase : plan.phase) std::visit(PhaseTraffic{sum}, phase);
  return sum;
}

}  // namespace trisweep::plan
