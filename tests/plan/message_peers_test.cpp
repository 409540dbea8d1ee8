#include "trisweep/plan/message_peers.hpp"

#include <gtest/gtest.h>

#include "trisweep/core/error.hpp"

namespace trisweep::plan {
namespace {

std::vector<RankId> ranks_of(std::initializer_list<Index> numbers) {
  std::vector<RankId> list;
  for (const Index number : numbers) list.emplace_back(number);
  return list;
}

// Two messages each way, and one to oneself; both ends list those of a pair in the same order, and nothing
// else.
TEST(MessagePeers, NumbersMeetPairByPair) {
  const std::vector<MessagePeers> ranks{{.to = ranks_of({1, 0, 1}), .from = ranks_of({1, 0, 1})},
                                        {.to = ranks_of({0, 0}), .from = ranks_of({0, 0})}};
  const std::vector<std::vector<Index>> expected{{0, 1, 1}, {0, 2}};
  EXPECT_EQ(numbers_at_receivers(ranks), expected);
}

TEST(MessagePeers, AMessageThatNobodyWaitsForIsAnError) {
  const std::vector<MessagePeers> none{{.to = ranks_of({1}), .from = {}}, {}};
  EXPECT_THROW(numbers_at_receivers(none), Error);
  const std::vector<MessagePeers> of_another{{.to = ranks_of({1}), .from = {}},
                                             {.to = {}, .from = ranks_of({1})}};
  EXPECT_THROW(numbers_at_receivers(of_another), Error);
}

}  // namespace
}  // namespace trisweep::plan
