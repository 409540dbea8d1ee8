#include "trisweep/component/virtual_pes.hpp"

#include <gtest/gtest.h>

#include "component/systems.hpp"
#include "support/watchdog.hpp"
#include "trisweep/component/backward_error.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::component {
namespace {

using testing_support::from_gallery;

// Graphs, and both factors of an ILU(0), one of which has ones on its diagonal.
template <Scalar T>
std::vector<LowerSystem<T>> systems() {
  const auto factors = ilu0(from_gallery<T>("convection3d", 6));
  return {lower_system(from_gallery<T>("graph", 300), {}, Op::none),
          lower_system(from_gallery<T>("graph-road", 300), {}, Op::transpose),
          lower_system(factors.lower, {.unit = true}, Op::none),
          lower_system(factors.upper, {.upper = true}, Op::none)};
}

template <class T>
class VirtualPesTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(VirtualPesTest, Scalars);

template <Scalar T>
void expect_solution(const LowerSystem<T>& system, const NamedDesign& design, const PeLayout& layout,
                     Index nrhs) {
  const auto b = testing_support::random_vector<T>(usize(system.rows()) * usize(nrhs), 5);
  std::vector<T> x(b.size());
  const Vectors<const T> right(b.data(), system.rows(), nrhs);
  VirtualPes<T> solver(system, design, {.layout = layout, .costs = {.resident = 50}, .pace = Pace::threads});
  const PeCounts counts = solver.solve(right, {x.data(), system.rows(), nrhs}).total();
  EXPECT_EQ(counts.rows, std::ssize(x));
  EXPECT_LT(backward_error<T>(system, right, {x.data(), system.rows(), nrhs}),
            100 * std::numeric_limits<RealOf<T>>::epsilon())
      << design.name << " " << layout.pes << " " << layout.tasks << " " << nrhs;
  EXPECT_TRUE(layout.pes > 1 || counts.reads + counts.writes == 0);
}

TYPED_TEST(VirtualPesTest, ThreadsSolveByEveryDesign) {
  using T = TypeParam;
  const auto all = systems<T>();
  std::size_t turn = 0;
  for (const auto& system : all) {
    for (const NamedDesign& design : designs()) {
      for (const int pes : {1, 2, 3, 4}) {
        for (const int tasks : {1, 4, 8, 16, 32}) {
          testing_support::show_life();
          expect_solution(system, design, {.pes = pes, .tasks = tasks}, 1);
          if (&system != &all.front()) continue;  // many right-hand sides with one system or another
          expect_solution(all[turn++ % all.size()], design, {.pes = pes, .tasks = tasks}, 32);
        }
      }
    }
  }
}

PeReport solve_by_clock(const LowerSystem<double>& system, std::string_view design, int pes, int tasks) {
  std::vector<double> b(usize(system.rows()), 1.0);
  return VirtualPes<double>(system, find_design(design),
                            {.layout = {.pes = pes, .tasks = tasks}, .costs = {.resident = 512}})
      .solve(b, b);
}

LowerSystem<double> lower_of(const char* kind, Index n) {
  return lower_system(from_gallery<double>(kind, n), {}, Op::none);
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
  const auto system = lower_system(from_gallery<double>("graph", 20), {}, Op::none);
  EXPECT_THROW(solve_by_clock(system, "push", 0, 1), Error);
  EXPECT_THROW(solve_by_clock(system, "push", 65, 1), Error);
  EXPECT_THROW(solve_by_clock(system, "push", 1, 0), Error);
}

}  // namespace
}  // namespace trisweep::component
