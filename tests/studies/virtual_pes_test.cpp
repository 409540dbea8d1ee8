#include "studies/pes/virtual_pes.hpp"

#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::studies {
namespace {

using testing_support::from_gallery;

PeReport solve_by_clock(const sptrsv::LowerSystem<double>& system, std::string_view design, int pes,
                        int tasks, bool one_stream = false) {
  std::vector<double> b(usize(system.rows()), 1.0);
  return VirtualPes<double>(
             system, find_design(design),
             {.layout = {.pes = pes, .tasks = tasks}, .costs = {.workers = 22}, .one_stream = one_stream})
      .solve(b, b);
}

sptrsv::LowerSystem<double> lower_of(const char* kind, Index n) {
  return sptrsv::lower_system(from_gallery<double>(kind, n), {}, Op::none);
}

// The order that the multi-GPU zero-copy paper finds, and ours before all.
TEST(Designs, IdleLessFromUnifiedToPush) {
  for (const auto& system : {lower_of("graph", 10000), lower_of("graph-road", 10000)}) {
    for (const int pes : {2, 4}) {
      double before = 1;
      for (const char* design : {"unified", "shmem", "zero-copy", "push"}) {
        const double idle = solve_by_clock(system, design, pes, 8).idle_share();
        EXPECT_LT(idle, before) << design;
        before = idle;
      }
    }
  }
}

// A page for a number; polls; a sum of each PE once.
TEST(Designs, MoveLessFromUnifiedToPush) {
  const auto system = lower_of("graph", 20000);
  Offset before = Offset{1} << 60;
  for (const char* design : {"unified+tasks", "unified", "get-update-put", "shmem", "zero-copy", "push"}) {
    const Offset bytes = solve_by_clock(system, design, 4, 8).total().bytes;
    EXPECT_LT(bytes, before) << design;
    before = bytes;
  }
}

// Road-like graphs have little to move: zero-copy cuts their neighborhoods, for which it may poll more than
// shmem.
TEST(Designs, MoveLessThanPagesOnRoadsToo) {
  const auto system = lower_of("graph-road", 20000);
  const auto bytes = [&](const char* design) { return solve_by_clock(system, design, 4, 8).total().bytes; };
  for (const char* design : {"shmem", "zero-copy"}) {
    EXPECT_LT(bytes(design), bytes("unified"));
    EXPECT_LT(bytes("push"), bytes(design));
  }
}

// Algorithm 3, line 21. The first PE solves a chain, the second has nothing for the others, and the third
// looks at the end of the chain until that is there.
TEST(Designs, AskNobodyAgainWhoHasNothingLeft) {
  constexpr Index of_pe = 20;
  matrix::Csr<double> chain{.pattern = {.rows = 3 * of_pe, .cols = 3 * of_pe, .row_ptr = {0}}};
  for (Index i = 0; i < chain.rows(); ++i) {
    const bool in_chain = i > 0 && i < of_pe, last = i + 1 == chain.rows();
    if (in_chain || last) chain.pattern.col.push_back(last ? of_pe - 1 : i - 1);
    chain.pattern.col.push_back(i);
    chain.pattern.row_ptr.push_back(static_cast<Offset>(chain.pattern.col.size()));
  }
  chain.value.assign(chain.pattern.col.size(), 1.0);
  const PeReport report = solve_by_clock(sptrsv::lower_system(chain, {}, Op::none), "shmem", 3, 1);
  // Of two other PEs each: all components have their sums read and both asked once, the last one asks one PE
  // in every look.
  const PeCounts& third = report.pe[2].counts;
  EXPECT_GT(third.polls, of_pe + 10);
  EXPECT_EQ(third.reads, 4 * of_pe + third.polls - of_pe);
}

// Tasks that do not wait for one another's end poll where one stream would not, and end earlier where there
// are many.
TEST(Designs, PollLessButTakeLongerInOneStream) {
  const auto system = lower_of("graph-road", 20000);
  const auto together = solve_by_clock(system, "zero-copy", 4, 16),
             in_turn = solve_by_clock(system, "zero-copy", 4, 16, true);
  EXPECT_LT(in_turn.total().bytes, together.total().bytes);
  EXPECT_LT(in_turn.total().bytes, solve_by_clock(system, "shmem", 4, 16).total().bytes);
  EXPECT_GT(in_turn.seconds, together.seconds);
  EXPECT_EQ(in_turn.pe[0].launches, 16);
}

// Section VI-C: few tasks leave PEs waiting, many are many launches.
TEST(Designs, HaveABestNumberOfTasks) {
  const auto system = lower_of("graph-road", 10000);
  const auto seconds = [&](int tasks) { return solve_by_clock(system, "zero-copy", 4, tasks).seconds; };
  EXPECT_LT(seconds(4), seconds(1));
  EXPECT_LT(seconds(4), seconds(64));
}

TEST(Designs, CountTheSameEveryTime) {
  const auto system = lower_of("graph", 3000);
  const auto once = solve_by_clock(system, "zero-copy", 3, 5),
             again = solve_by_clock(system, "zero-copy", 3, 5);
  EXPECT_EQ(once.total().bytes, again.total().bytes);
  EXPECT_EQ(once.total().polls, again.total().polls);
  EXPECT_EQ(once.seconds, again.seconds);
}

TEST(Designs, NamesAndNumbersThatAreNotThere) {
  EXPECT_THROW(find_design("magic"), Error);
  const auto system = sptrsv::lower_system(from_gallery<double>("graph", 20), {}, Op::none);
  EXPECT_THROW(solve_by_clock(system, "push", 0, 1), Error);
  EXPECT_THROW(solve_by_clock(system, "push", 65, 1), Error);
  EXPECT_THROW(solve_by_clock(system, "push", 1, 0), Error);
}

}  // namespace
}  // namespace trisweep::studies
