// Bringing b in and x out: each row of the caller's meets its work row at home exactly once, and the two ends
// of a message speak of the same rows in the same order.

#include "trisweep/plan/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/structure.hpp"
#include "trisweep/plan/dot.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/message_peers.hpp"
#include "trisweep/plan/traffic.hpp"

namespace trisweep::plan {
namespace {

using distribution::ProcessGrid;

std::vector<Index> shuffled(Index n, std::uint64_t seed) {
  std::vector<Index> order(usize(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

// Rank r has about r + 1 times as many rows as rank 0, and every third from rank 1 on none.
distribution::RowPartition uneven(Index rows, Index ranks) {
  Offset all = 0, before = 0;
  const auto weight = [](Index r) { return r % 3 == 1 ? 0 : r + 1; };
  for (Index r = 0; r < ranks; ++r) all += weight(r);
  distribution::RowPartition partition;
  for (Index r = 0; r <= ranks; ++r) {
    partition.begin.push_back(static_cast<Index>(rows * before / all));
    before += weight(r);
  }
  return partition;
}

struct Ranks {
  symbolic::Structure structure;
  std::unique_ptr<distribution::Mapping> mapping;
  PlanSpec spec;
  std::vector<RankPlan> rank;

  // The rows of A, as those of x, have an order of their own in the structure: any row may be anywhere.
  Ranks(Index n, const ProcessGrid& grid, Op op, const distribution::RowPartition& partition)
      : structure(testing_support::random_structure(n, 3, usize(n))),
        mapping(distribution::block_cyclic(structure, grid)),
        spec{.op = op,
             .vectors = std::make_shared<const VectorPlaces>(
                 VectorPlaces{partition, shuffled(n, 1), shuffled(n, 2)})},
        rank(make_all_plans(structure, *mapping, single_sync, spec)) {}

  const VectorPhase& vectors(std::size_t r, VectorWay way) const {
    const auto& phases = rank[r].plan.phase;
    return std::get<VectorPhase>(way == VectorWay::in ? phases.front() : phases.back());
  }
  // The caller's row, numbered over all ranks, of a rank's work row at home.
  Index old_of(std::size_t r, WorkRow at, VectorWay way) const {
    const Index work = at.value();
    const distribution::LocalBlocks& local_blocks = rank[r].local_blocks;
    const auto s = std::upper_bound(local_blocks.slot.begin(), local_blocks.slot.end(), work) -
                   local_blocks.slot.begin() - 1;
    EXPECT_EQ(mapping->home(local_blocks.segment[usize(s)]), static_cast<Index>(r));
    const Index row =
        structure.first[usize(local_blocks.segment[usize(s)])] + work - local_blocks.slot[usize(s)];
    const bool like_rows = (way == VectorWay::in) == (spec.op == Op::none);
    return (like_rows ? spec.vectors->row_old : spec.vectors->col_old)[usize(row)];
  }
};

// How often each row of the caller's meets its work row.
std::vector<Index> meetings(const Ranks& ranks, VectorWay way) {
  const distribution::RowPartition& partition = ranks.spec.vectors->partition;
  std::vector<Index> met(usize(partition.rows()), 0);
  const bool in = way == VectorWay::in;
  for (std::size_t r = 0; r < ranks.rank.size(); ++r) {
    const VectorPhase& phase = ranks.vectors(r, way);
    EXPECT_EQ(phase.way, way);
    EXPECT_TRUE(std::ranges::is_sorted(phase.caller));
    const Index first = partition.first(static_cast<Index>(r));
    for (std::size_t i = 0; i < phase.caller.size(); ++i) {
      EXPECT_EQ(first + phase.caller[i], ranks.old_of(r, phase.work[i], way));
      ++met[usize(first + phase.caller[i])];
    }
    for (const VectorMessage& at_home : in ? phase.received : phase.sent) {
      const VectorPhase& other = ranks.vectors(usize(at_home.rank), way);
      const auto& list = in ? other.sent : other.received;
      const auto at_caller = std::ranges::find(list, RankId(static_cast<Index>(r)), &VectorMessage::rank);
      if (at_caller == list.end() || at_caller->row.size() != at_home.row.size()) {
        ADD_FAILURE() << "rank " << at_home.rank.value() << " does not list the rows that rank " << r
                      << " does";
        continue;
      }
      for (std::size_t i = 0; i < at_home.row.size(); ++i) {
        const Index old = partition.first(at_home.rank.value()) + at_caller->row[i];
        EXPECT_EQ(old, ranks.old_of(r, WorkRow(at_home.row[i]), way));
        ++met[usize(old)];
      }
    }
  }
  return met;
}

template <class Check>
void for_each_case(Check&& check) {
  for (const ProcessGrid grid : {ProcessGrid{1, 1, 1}, {2, 3, 1}, {3, 1, 4}}) {
    for (const Index n : {5, 97}) {
      for (const auto& partition : {uneven(n, grid.ranks()), distribution::even_partition(n, grid.ranks())}) {
        for (const Op op : {Op::none, Op::transpose}) check(Ranks(n, grid, op, partition));
      }
    }
  }
}

TEST(Vectors, EveryRowMeetsItsWorkRowOnce) {
  for_each_case([](const Ranks& ranks) {
    const auto once = std::vector<Index>(usize(ranks.structure.n), 1);
    for (const VectorWay way : {VectorWay::in, VectorWay::out}) EXPECT_EQ(meetings(ranks, way), once);
  });
}

// One message between two ranks at most, and each that is sent is one that the receiver waits for.
TEST(Vectors, MessagesAreNumberedAlikeAtBothEnds) {
  for_each_case([](const Ranks& ranks) {
    for (const VectorWay way : {VectorWay::in, VectorWay::out}) {
      std::vector<MessagePeers> peers;
      std::size_t sent = 0, received = 0;
      for (std::size_t r = 0; r < ranks.rank.size(); ++r) {
        peers.push_back(peers_of(ranks.vectors(r, way)));
        for (const auto* list : {&peers.back().to, &peers.back().from}) {
          EXPECT_TRUE(std::ranges::is_sorted(*list));
          EXPECT_EQ(std::ranges::adjacent_find(*list), list->end());
          EXPECT_EQ(std::ranges::count(*list, RankId(static_cast<Index>(r))), 0);
        }
        sent += peers.back().to.size();
        received += peers.back().from.size();
      }
      const auto numbers = numbers_at_receivers(peers);
      EXPECT_EQ(sent, received);
      for (std::size_t r = 0; r < peers.size(); ++r) {
        for (std::size_t i = 0; i < numbers[r].size(); ++i)
          EXPECT_EQ(peers[usize(peers[r].to[i])].from[usize(numbers[r][i])], RankId(static_cast<Index>(r)));
      }
    }
  });
}

TEST(Vectors, TrafficIsWhatPlansSay) {
  for_each_case([](const Ranks& ranks) {
    const Traffic all = traffic(ranks.structure, *ranks.mapping, single_sync, ranks.spec);
    Volume moved;
    for (std::size_t r = 0; r < ranks.rank.size(); ++r) {
      EXPECT_EQ(all.rank[r], traffic_of(ranks.rank[r].plan));
      moved += all.rank[r].of(MessageKind::vectors).sent;
      moved.rows += std::ssize(ranks.vectors(r, VectorWay::in).caller);
      moved.rows += std::ssize(ranks.vectors(r, VectorWay::out).caller);
    }
    EXPECT_EQ(moved.rows, 2 * ranks.structure.n);
    EXPECT_EQ(moved.messages > 0, ranks.rank.size() > 1);
  });
}

// What the papers count does not depend on where the caller has his rows.
TEST(Vectors, AtHomeThereIsNothingToMoveAndAllElseIsTheSame) {
  for_each_case([](const Ranks& ranks) {
    PlanSpec at_home = ranks.spec;
    at_home.vectors = nullptr;
    const auto plans = make_all_plans(ranks.structure, *ranks.mapping, single_sync, at_home);
    for (std::size_t r = 0; r < plans.size(); ++r) {
      Plan sweeps = ranks.rank[r].plan;
      sweeps.phase.erase(sweeps.phase.begin());
      sweeps.phase.pop_back();
      EXPECT_EQ(sweeps, plans[r].plan);
      const RankTraffic home = traffic_of(plans[r].plan), away = traffic_of(ranks.rank[r].plan);
      EXPECT_EQ(home.of(MessageKind::vectors), RankTraffic::Both());
      EXPECT_EQ(home.sent(), away.sent());
      EXPECT_EQ(home.received(), away.received());
    }
  });
}

TEST(Vectors, AreInThePicture) {
  const Ranks ranks(20, {2, 1, 1}, Op::none, distribution::even_partition(20, 2));
  PlanSpec at_home = ranks.spec;
  at_home.vectors = nullptr;
  const auto picture = [&](const PlanSpec& spec) {
    return to_dot(ranks.structure, *ranks.mapping, single_sync, spec);
  };
  EXPECT_NE(picture(ranks.spec).find(": vectors"), std::string::npos);
  EXPECT_EQ(picture(at_home).find("vectors"), std::string::npos);
}

}  // namespace
}  // namespace trisweep::plan
