// What traffic() says of all ranks must be what each rank's own plan says, exactly, and what the papers
// promise.

#include "trisweep/plan/traffic.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <set>
#include <tuple>

#include "gallery/gallery.hpp"
#include "support/structure.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::plan {
namespace {

using distribution::ProcessGrid;

// Calls check(name, schedule, spec) for every combination of the tables, of ops and of kinds of factors.
template <class Check>
void for_each_variant(Check&& check) {
  for (const auto& schedule : schedules()) {
    for (const auto& inter_grid : inter_grids()) {
      for (const auto& tree : trees()) {
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          for (const bool upper_is_lower : {false, true}) {
            const std::string name = std::string(schedule.name) + " " + std::string(inter_grid.name) + " " +
                                     std::string(tree.name) + " " + static_cast<char>(op) +
                                     (upper_is_lower ? " Cholesky" : " LU");
            check(name, schedule.choice, PlanSpec{op, upper_is_lower, tree.choice, inter_grid.choice});
          }
        }
      }
    }
  }
}

TEST(Traffic, IsWhatEveryRanksPlanSays) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto s = testing_support::random_structure(40 * static_cast<Index>(seed * seed), 3, seed);
    for (const ProcessGrid grid : {ProcessGrid{2, 3, 1}, {3, 2, 2}, {2, 2, 4}}) {
      const auto mapping = distribution::block_cyclic(s, grid);
      std::vector<distribution::LocalBlocks> blocks_by_rank;
      for (Index r = 0; r < grid.ranks(); ++r)
        blocks_by_rank.push_back(distribution::make_local_blocks(s, *mapping, r));
      for_each_variant([&](const std::string& name, Schedule schedule, const PlanSpec& spec) {
        const auto all = traffic(s, *mapping, schedule, spec).rank;
        ASSERT_EQ(all.size(), blocks_by_rank.size());
        for (const auto& local_blocks : blocks_by_rank) {
          const auto phases = schedule(s, *mapping, local_blocks.layer, spec);
          EXPECT_EQ(all[usize(local_blocks.rank)], traffic_of(make_plan(s, *mapping, local_blocks, phases)))
              << name << " on " << grid.name() << ", rank " << local_blocks.rank;
        }
      });
    }
  }
}

TEST(Traffic, AsMuchIsReceivedAsIsSentOfEachKind) {
  const auto s = testing_support::random_structure(300, 3, 5);
  const auto mapping = distribution::block_cyclic(s, {3, 2, 4});
  const auto even = distribution::even_partition(s.n, mapping->ranks());
  std::vector<Index> as_ordered(usize(s.n));
  std::iota(as_ordered.begin(), as_ordered.end(), 0);
  for_each_variant([&](const std::string& name, Schedule schedule, PlanSpec spec) {
    spec.vectors = std::make_shared<const VectorPlaces>(VectorPlaces{even, as_ordered, as_ordered});
    const auto ranks = traffic(s, *mapping, schedule, spec).rank;
    for (const MessageKind kind : message_kinds) {
      Volume sent, received;
      for (const RankTraffic& rank : ranks) {
        sent += rank.of(kind).sent;
        received += rank.of(kind).received;
      }
      EXPECT_EQ(sent, received) << name << ", " << name_of(kind);
      EXPECT_GT(sent.messages, 0) << name << ", " << name_of(kind);
    }
  });
}

TEST(Traffic, FlowsAddUpToIt) {
  const auto s = testing_support::random_structure(200, 3, 8);
  const auto mapping = distribution::block_cyclic(s, {2, 3, 2});
  auto ranks = traffic(s, *mapping, level_sync, {}).rank;
  std::vector<RankTraffic> sums(ranks.size());
  std::set<std::tuple<RankId, RankId, MessageKind>> seen;
  for (const Flow& flow : flows(s, *mapping, level_sync, {})) {
    EXPECT_TRUE(seen.emplace(flow.from, flow.to, flow.kind).second);
    EXPECT_NE(flow.from, flow.to);
    sums[usize(flow.from)].of(flow.kind).sent += flow.volume;
    sums[usize(flow.to)].of(flow.kind).received += flow.volume;
  }
  EXPECT_EQ(sums, ranks);
}

// Trees change which ranks exchange messages, never the total of bytes.
TEST(Traffic, TreesOnlyReroute) {
  const auto s = testing_support::random_structure(300, 2, 6);
  const auto mapping = distribution::block_cyclic(s, {4, 4, 2});
  std::set<Offset> messages, rows;
  for (const auto& tree : trees()) {
    Volume all;
    for (const RankTraffic& rank : traffic(s, *mapping, single_sync, {.tree = tree.choice}).rank)
      all += rank.sent();
    messages.insert(all.messages);
    rows.insert(all.rows);
  }
  EXPECT_EQ(messages.size(), 1u);
  EXPECT_EQ(rows.size(), 1u);
}

// The 9-point stencil on an n x n grid, as the command analyzes it for grids of one layer:
// tests/cli/plan_test.py holds it to that.
symbolic::Structure stencil(Index n) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = n}));
  const auto order = ordering::order(a, true, {});
  return *symbolic::analyze(matrix::permuted(a.pattern, order.row_new, order.col_new), order.tree, {})
              .structure;
}

// Binary trees exist to take messages off the busiest rank (Liu et al. 2018, section 3.1).
TEST(Traffic, BinaryTreesRelieveTheBusiestRank) {
  const auto s = stencil(512);
  const std::pair<ProcessGrid, double> least[] = {{{8, 8, 1}, 1.5}, {{16, 16, 1}, 2.5}, {{64, 64, 1}, 4.0}};
  for (const auto& [grid, factor] : least) {
    const auto mapping = distribution::block_cyclic(s, grid);
    const auto busiest = [&](Tree tree) {
      Offset most = 0;
      for (const RankTraffic& rank :
           traffic(s, *mapping, single_sync, {.upper_is_lower = true, .tree = tree}).rank)
        most = std::max(most, rank.messages());
      return double(most);
    };
    EXPECT_GE(busiest(flat_tree) / busiest(binary_tree), factor) << grid.name();
  }
}

Index exchange_phases(const std::vector<PhaseSpec>& phases) {
  Index exchanges = 0;
  for (const PhaseSpec& phase : phases) exchanges += std::holds_alternative<ExchangeSpec>(phase);
  return exchanges;
}

// SC'23 section 3.2: one synchronization per solve, at most 2 log2(Pz) messages per rank in it. Section 2.2:
// the baseline has log2(Pz) synchronizations each way.
TEST(Traffic, LayersTalkAsOftenAsThePaperSays) {
  const auto s = testing_support::random_structure(400, 4, 7);
  for (const Index pz : {1, 2, 4, 8, 16}) {
    const Index levels = std::bit_width(static_cast<unsigned>(pz)) - 1;
    const auto mapping = distribution::block_cyclic(s, {2, 3, pz});
    EXPECT_EQ(traffic(s, *mapping, single_sync, {}).synchronizations, pz > 1 ? 1 : 0);
    EXPECT_EQ(traffic(s, *mapping, level_sync, {}).synchronizations, 2 * levels);
    for (Index layer = 0; layer < pz; ++layer) {
      EXPECT_EQ(exchange_phases(single_sync(s, *mapping, layer, {})), 1);
      EXPECT_EQ(exchange_phases(level_sync(s, *mapping, layer, {})), 2 * levels);
    }
    for (const RankTraffic& rank : traffic(s, *mapping, single_sync, {}).rank) {
      const auto& exchange = rank.of(MessageKind::exchange);
      EXPECT_LE(exchange.sent.messages + exchange.received.messages, 2 * levels);
    }
  }
}

// The published baseline sums each ancestor's supernode over a whole process row and hands it out to a whole
// process column, once where it is solved and once in each hand-over; and it has a message of its own between
// each two layers that hand it over, each way.
TEST(Traffic, ThePublishedBaselineTalksSupernodeBySupernode) {
  const auto s = testing_support::random_structure(400, 4, 7);
  const ProcessGrid grid{3, 2, 8};
  const auto mapping = distribution::block_cyclic(s, grid);
  Offset hand_overs = 0, within = 0;
  for (Index k = 0; k < s.supernodes(); ++k) {
    const distribution::LayerRange layers = mapping->layers_of(k);
    const Offset pairs = layers.last - layers.first - 1;
    if (pairs == 0) continue;
    hand_overs += 2 * pairs;
    within += (2 + pairs) * (grid.px - 1 + grid.py - 1);
  }
  ASSERT_GT(hand_overs, 0);
  const auto last = static_cast<Index>(published(s, *mapping, 0, {}).size()) - 1;
  std::array<Volume, 2> between{};
  for (const bool packed : {false, true}) {
    Offset inside = 0;
    for_each_message(s, *mapping, packed ? published_packed : published, {}, [&](const Message& m) {
      const bool between_layers =
          mapping->layer_of_rank(m.from.value()) != mapping->layer_of_rank(m.to.value());
      EXPECT_EQ(between_layers, m.kind == MessageKind::exchange);
      if (between_layers) between[packed] += {1, m.rows};
      if (!between_layers && m.phase != 0 && m.phase != last) ++inside;  // those two are the leaves
    });
    EXPECT_EQ(inside, within);
  }
  EXPECT_EQ(between[false].messages, hand_overs);
  EXPECT_LT(between[true].messages, hand_overs);
  EXPECT_EQ(between[true].rows, between[false].rows);
  EXPECT_EQ(traffic(s, *mapping, published, {}).synchronizations, 2 * 3);
}

}  // namespace
}  // namespace trisweep::plan
