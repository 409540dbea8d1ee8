// Many solvers in one process, one after the other and side by side, and what ranks must have in common.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <functional>
#include <memory>

#include "support/failing_calls.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::communicators;
using testing_support::random_matrix;
using testing_support::show_life;
using testing_support::uneven_blocks;
using testing_support::world_rank;
using testing_support::world_size;

class ManySolvers : public testing::Test {
 protected:
  std::unique_ptr<Solver<double>> make() const {
    return std::make_unique<Solver<double>>(
        MPI_COMM_WORLD, rows_.of(a_, false),
        SolverOptions{.plan = model::only({.grid = {world_size(), 1, 1}}), .usual_transport = false});
  }
  void expect_to_solve(Solver<double>& solver, Op op) const {
    show_life();
    std::vector<double> b(usize(solver.rows()), 1.0), x(b.size());
    EXPECT_TRUE(solver.solve(b, x, op).solved());
  }

  const matrix::Csr<double> a_ = random_matrix<double>({.n = 20, .per_row = 2, .seed = 4});
  const testing_support::RowsOf<double> rows_ = uneven_blocks(20);
};

TEST_F(ManySolvers, OneAfterTheOtherTakeTheSameCommunicators) {
  int after_first = 0;
  for (int i = 0; i < 1000; ++i) {
    show_life();
    const auto solver = make();
    if (i % 50 == 0)
      for (const Op op : {Op::none, Op::transpose}) expect_to_solve(*solver, op);
    if (i == 0) after_first = communicators;
    ASSERT_EQ(communicators, after_first);
  }
}

// As Python's collector may: the solvers of a rank end in another order than those of the next, and there are
// new ones meanwhile.
TEST_F(ManySolvers, SideBySideEndInAnyOrder) {
  constexpr std::size_t alive = 64;
  std::vector<std::unique_ptr<Solver<double>>> solvers;
  int most = 0;
  for (int round = 0; round < 4; ++round) {
    while (solvers.size() < alive) {
      show_life();
      solvers.push_back(make());
    }
    for (const auto& solver : solvers) expect_to_solve(*solver, Op::none);
    if (round == 0) most = communicators;
    EXPECT_EQ(communicators, most);
    std::ranges::rotate(solvers, solvers.begin() + world_rank() % 7);
    solvers.resize(alive / 2);
    std::ranges::rotate(solvers, solvers.end() - world_rank() % 7);
    solvers.clear();
  }
}

// By default: the wait for a rank that never comes ends.
TEST_F(ManySolvers, HaveAFiniteWatchdog) {
  EXPECT_EQ(SolverOptions{}.watchdog, 300);
  EXPECT_EQ(TriangularSolverOptions{}.watchdog, 300);
}

// Whatever decides on plans, attempts or steps of refinement: two ranks that differ would wait for each
// other.
TEST_F(ManySolvers, OptionsThatDifferAreNamedOnEveryRank) {
  if (world_size() == 1) GTEST_SKIP() << "one rank differs from nobody";
  struct Case {
    const char* name;
    std::function<void(SolverOptions&)> change;
  };
  std::vector<Case> cases{{"refinement", [](SolverOptions& o) { o.refinement.acceptable = 1e-13; }},
                          {"refinement", [](SolverOptions& o) { o.refinement.max_steps = 3; }},
                          {"refinement", [](SolverOptions& o) { o.refinement.best = true; }},
                          {"second try", [](SolverOptions& o) { o.second_try = false; }},
                          {"compression", [](SolverOptions& o) { o.compress.automatic = true; }},
                          {"compression", [](SolverOptions& o) { o.compress.eps = 1e-6; }},
                          {"usual transport", [](SolverOptions& o) { o.usual_transport = false; }},
                          {"watchdog", [](SolverOptions& o) { o.watchdog = 17; }},
                          {"machine", [](SolverOptions& o) { o.machine = "perlmutter-cpu"; }},
                          {"nrhs", [](SolverOptions& o) { o.nrhs = 2; }},
                          {"op", [](SolverOptions& o) { o.op = Op::transpose; }},
                          {"plans to choose from", [](SolverOptions& o) {
                             o.plan = model::only({.grid = {world_size(), 1, 1}});
                           }}};
  if (testing_support::has_single)
    cases.push_back({"mixed precision", [](SolverOptions& o) { o.mixed = true; }});
  for (const Case& c : cases) {
    SolverOptions options;
    if (world_rank() == world_size() - 1) c.change(options);
    try {
      Solver<double>(MPI_COMM_WORLD, rows_.of(a_, false), options);
      ADD_FAILURE() << c.name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      const std::string message = error.what();
      EXPECT_NE(message.find(fmt::format("ranks differ in {}:", c.name)), std::string::npos) << message;
      EXPECT_NE(message.find(fmt::format("on rank {}", world_size() - 1)), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace trisweep::solve
