#include "trisweep/engine/communication_pattern.hpp"

#include <gtest/gtest.h>

#include "support/structure.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/traffic.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::engine {
namespace {

using mpi::CommunicationPattern;
using mpi::Envelope;

// What is listed of the messages with that peer, in order.
std::vector<std::pair<Offset, Offset>> with(Index peer, const std::vector<Envelope>& list) {
  std::vector<std::pair<Offset, Offset>> found;
  for (const Envelope& e : list) {
    if (e.peer == peer) found.emplace_back(e.name, e.rows);
  }
  return found;
}

TEST(CommunicationPattern, HasEveryMessageOfThePlanAtBothEndsAlike) {
  const auto s = testing_support::random_structure(150, 3, 2);
  const distribution::ProcessGrid grid{2, 2, 2};
  const auto mapping = distribution::block_cyclic(s, grid);
  for (const auto& schedule : plan::schedules()) {
    SCOPED_TRACE(schedule.name);
    const auto plans = plan::make_all_plans(
        s, *mapping, schedule.choice,
        {.tree = plan::find_tree("binary"), .inter_grid = plan::find_inter_grid("sparse")});
    std::vector<CommunicationPattern> pattern;
    Offset sent = 0, listed = 0;
    for (const plan::RankPlan& mine : plans) {
      pattern.push_back(pattern_of(mine.plan, 24));
      EXPECT_EQ(pattern.back().row_bytes, 24);
      ASSERT_EQ(pattern.back().phase.size(), mine.plan.phase.size());
      const plan::RankTraffic traffic = plan::traffic_of(mine.plan);
      for (const plan::MessageKind kind : plan::message_kinds) sent += traffic.of(kind).sent.messages;
      for (const auto& phase : pattern.back().phase) listed += std::ssize(phase.out);
    }
    EXPECT_EQ(listed, sent);
    EXPECT_GT(listed, 0);
    for (Index from = 0; from < grid.ranks(); ++from) {
      for (Index to = 0; to < grid.ranks(); ++to) {
        for (std::size_t i = 0; i < pattern[usize(from)].phase.size(); ++i)
          EXPECT_EQ(with(to, pattern[usize(from)].phase[i].out), with(from, pattern[usize(to)].phase[i].in));
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::engine
