#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <map>
#include <set>

#include "support/structure.hpp"
#include "trisweep/plan/exchange.hpp"
#include "trisweep/plan/message_peers.hpp"

namespace trisweep::plan {
namespace {

// Runs the exchange of all ranks on one number per owned segment: every copy must end as the sum of all
// copies. `most` bounds the messages of a rank, given log2(Pz).
void expect_sums(InterGrid inter_grid, Index (*most)(Index levels)) {
  const auto s = testing_support::random_structure(200, 3, 6);
  for (const distribution::ProcessGrid grid :
       {distribution::ProcessGrid{1, 1, 1}, {1, 1, 2}, {2, 3, 4}, {1, 2, 16}}) {
    const auto mapping = distribution::block_cyclic(s, grid);
    std::vector<distribution::LocalBlocks> blocks_by_rank;
    std::vector<ExchangePhase> phases;
    std::vector<MessagePeers> peers;
    std::vector<std::vector<long>> value;
    std::map<Index, long> total;
    for (Index r = 0; r < grid.ranks(); ++r) {
      blocks_by_rank.push_back(distribution::make_local_blocks(s, *mapping, r));
      phases.push_back(make_exchange(*mapping, blocks_by_rank.back(),
                                     inter_grid(mapping->layers(), blocks_by_rank.back().layer)));
      peers.push_back(peers_of(phases.back()));
      value.emplace_back();
      for (Index i = 0; i < blocks_by_rank.back().segments(); ++i) {
        value.back().push_back((r + 1) * 1000 + i);
        if (blocks_by_rank.back().owned[usize(i)])
          total[blocks_by_rank.back().segment[usize(i)]] += value.back().back();
      }
    }
    const auto numbers = numbers_at_receivers(peers);
    struct OnTheWay {
      Index number;
      std::vector<long> value;
    };
    std::map<std::pair<RankId, RankId>, std::deque<OnTheWay>> wire;  // (from, to)
    std::set<std::pair<Index, Index>> sent;                          // (from, number)
    std::vector<std::size_t> at(phases.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (Index r = 0; r < grid.ranks(); ++r) {
        while (at[usize(r)] < phases[usize(r)].step.size()) {
          const ExchangeStep& step = phases[usize(r)].step[at[usize(r)]];
          if (step.transfer == Transfer::send) {
            auto& message = wire[{RankId(r), step.rank}].emplace_back(
                OnTheWay{numbers[usize(r)][usize(step.number)], {}});
            EXPECT_TRUE(sent.emplace(r, step.number).second) << "two messages of one number";
            for (const SegmentId i : step.segment) message.value.push_back(value[usize(r)][usize(i)]);
          } else {
            auto& inbox = wire[{step.rank, RankId(r)}];
            if (inbox.empty()) break;
            ASSERT_EQ(inbox.front().value.size(), step.segment.size());
            EXPECT_EQ(inbox.front().number, step.number);
            for (std::size_t j = 0; j < step.segment.size(); ++j) {
              long& mine = value[usize(r)][usize(step.segment[j])];
              mine = inbox.front().value[j] + (step.transfer == Transfer::receive_add ? mine : 0);
            }
            inbox.pop_front();
          }
          ++at[usize(r)];
          moved = true;
        }
      }
    }
    for (Index r = 0; r < grid.ranks(); ++r) {
      ASSERT_EQ(at[usize(r)], phases[usize(r)].step.size())
          << "rank " << r << " of " << grid.name() << " waits forever";
      EXPECT_LE(at[usize(r)], usize(most(std::bit_width(static_cast<unsigned>(grid.pz)) - 1)))
          << "too many messages on " << grid.name();
      for (Index i = 0; i < blocks_by_rank[usize(r)].segments(); ++i) {
        if (!blocks_by_rank[usize(r)].owned[usize(i)]) continue;
        EXPECT_EQ(value[usize(r)][usize(i)], total[blocks_by_rank[usize(r)].segment[usize(i)]]);
      }
    }
  }
}

TEST(Allreduce, SparseTakesAMessageEachWayPerLevel) {
  expect_sums(sparse_allreduce, [](Index levels) { return 2 * levels; });
}

TEST(Allreduce, PerNodeTakesThoseForEachNode) {
  expect_sums(per_node_allreduce, [](Index levels) { return levels * (levels + 1); });
}

}  // namespace
}  // namespace trisweep::plan
