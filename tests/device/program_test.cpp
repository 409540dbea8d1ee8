// Programs and the order of their items.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/virtual_pes.hpp"
#include "support/structure.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/plan/variants.hpp"

namespace trisweep::device {
namespace {

using testing_support::Programs;
using testing_support::random_structure;

TEST(CriticalPathPriority, AreOrdersInWhichTheStructureIsEliminated) {
  const auto structure = random_structure(200, 3);
  const CriticalPathPriority priority = device::critical_path_priority(structure);
  for (Index k = 0; k < structure.supernodes(); ++k) {
    for (const symbolic::Block& block : structure.blocks(k)) {
      EXPECT_LT(priority.upward[usize(k)], priority.upward[usize(block.row_supernode)]);
      EXPECT_GT(priority.downward[usize(k)], priority.downward[usize(block.row_supernode)]);
    }
  }
  for (std::vector<Index> list : {priority.upward, priority.downward}) {
    std::ranges::sort(list);
    for (Index k = 0; k < structure.supernodes(); ++k) EXPECT_EQ(list[usize(k)], k);
  }
}

TEST(Program, SlotsOfMessagesAreAsLongAsTheMessagesAndApart) {
  const Programs of(random_structure(60, 2, 4, 1), {2, 2, 1}, {}, Op::none, false);
  for (std::size_t p = 0; p < of.programs.size(); ++p) {
    const Program& program = of.programs[p];
    Index row = program.rows;
    for (auto message = program.inbound.rbegin(); message != program.inbound.rend(); ++message) {
      EXPECT_EQ(message->address.row + message->address.rows, row);
      row = message->address.row;
    }
    EXPECT_GE(row, of.plans[p].local_blocks.work_rows());
    EXPECT_FALSE(program.inbound.empty());
  }
}

TEST(Program, EverySignalIsGivenByOneMessage) {
  const Programs of(random_structure(60, 2, 4, 1), {2, 1, 2}, {}, Op::transpose, false);
  std::vector<std::vector<int>> given;
  for (const Program& program : of.programs) given.emplace_back(usize(program.signals(4)));
  const auto give = [&](const Put& put) { ++given[usize(put.pe)][usize(put.signal)]; };
  for (const Program& program : of.programs) {
    for (const Put& put : program.put) give(put);
    for (const Put& put : program.source) give(put);
  }
  for (std::size_t p = 0; p < 4; ++p) {
    for (Index signal = 0; signal < of.programs[p].messages(); ++signal)
      EXPECT_EQ(given[p][usize(signal)], 1) << "of PE " << p;
  }
}

// Where devices put what they exchange, a solve is one launch: nothing is left for the host.
TEST(Program, IsOneLaunchWhereDevicesPut) {
  const auto structure = random_structure(120, 2, 8);
  for (const auto& schedule : plan::schedules()) {
    const Programs of(structure, {2, 1, 2}, {.name = "", .schedule = schedule.choice}, Op::none, false);
    for (const Program& program : of.programs)
      EXPECT_TRUE(program.boundary.empty() && program.staged_message.empty()) << schedule.name;
  }
}

// Layers of one rank each, as the GPUs of SC'23: what goes between them is the host's, so PEs are by
// themselves.
TEST(Program, OfALayerOfOneRankPutsNothingWhereTheHostCarries) {
  const auto structure = random_structure(120, 2, 8);
  const auto mapping = distribution::find_mapping("block-cyclic").make(structure, {1, 1, 4});
  for (const auto& schedule : plan::schedules()) {
    for (const auto& inter_grid : plan::inter_grids()) {
      std::size_t letters = 0;
      for (const auto& rank : plan::make_all_plans(structure, *mapping, schedule.choice,
                                                   {.inter_grid = inter_grid.choice}, {.ordered = true})) {
        const Program program = make_program(structure, rank.local_blocks, rank.plan, ExchangeBackend::mpi);
        EXPECT_TRUE(program.inbound.empty() && program.put.empty())
            << schedule.name << ' ' << inter_grid.name;
        letters += program.staged_message.size();
      }
      EXPECT_GT(letters, 0);
    }
  }
}

TEST(Program, OfAPlanThatIsNotOrderedIsRefused) {
  const auto structure = random_structure(60, 2, 4);
  const auto mapping = distribution::find_mapping("block-cyclic").make(structure, {2, 1, 1});
  for (const auto& rank : plan::make_all_plans(structure, *mapping, plan::single_sync, {Op::transpose})) {
    EXPECT_THAT([&] { make_program(structure, rank.local_blocks, rank.plan); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("ordered accumulation")));
  }
}

// However many PEs there are, a program has room for those that it exchanges something with.
TEST(Program, KnowsItsPeersAlone) {
  const Programs of(random_structure(300, 2, 4), {4, 2, 2}, {}, Op::none, false);
  for (const Program& whole : of.programs) {
    const std::vector<Index> peers = peers_of(whole);
    Program program = whole;
    number_peers(program, peers);
    EXPECT_LT(peers.size(), of.programs.size());
    EXPECT_EQ(program.number_of(program.pe), whole.pe);
    for (std::size_t i = 0; i < program.put.size(); ++i)
      EXPECT_EQ(program.number_of(program.put[i].pe), whole.put[i].pe);
    for (std::size_t i = 0; i < program.source.size(); ++i)
      EXPECT_EQ(program.number_of(program.source[i].pe), whole.source[i].pe);
  }
}

TEST(Program, OfAnotherPlanIsNotConnected) {
  const auto structure = random_structure(60, 2, 4);
  const Programs one(structure, {2, 1, 1}, {}, Op::none, false);
  const Programs other(structure, {1, 2, 1}, {}, Op::none, false);
  std::vector<Program> mixed{one.programs[0], other.programs[1]};
  EXPECT_THAT([&] { connect(mixed); }, testing::ThrowsMessage<Error>(testing::HasSubstr("plans differ")));
}

}  // namespace
}  // namespace trisweep::device
