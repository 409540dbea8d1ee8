// Calls that do not fit together, on one rank or between ranks: errors on all of them, and no message is
// taken for another.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/other_build.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/solve/given_factors.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::has_single;
using testing_support::random_matrix;
using testing_support::solve_error;
using testing_support::world_rank;
using testing_support::world_size;

// What work() throws on this rank: an Error of that kind, or a failure of the test.
template <class Work>
std::string error_of(ErrorKind kind, Work&& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "rank " << world_rank() << " got no error";
  return {};
}

void expect_to_name(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

class Mismatch : public testing::Test {
 protected:
  void SetUp() override {
    if (world_size() == 1) GTEST_SKIP() << "one rank differs from nobody";
  }

  const Index last_ = world_size() - 1;
  const bool differs_ = world_rank() == last_;
  const matrix::Csr<double> a_ = random_matrix<double>({.n = 120, .per_row = 2, .seed = 3});
  const std::shared_ptr<const Factorization<double>> factors_ = factored(a_, 2);
};

// On the last rank, whose options no other rank sees.
TEST_F(Mismatch, OfOptionsIsNamedOnEveryRank) {
  const Index ranks = world_size();
  struct Case {
    const char* name;
    std::function<void(TriangularSolverOptions&)> change;
  };
  const std::vector<Case> cases{
      {"grid",
       [&](TriangularSolverOptions& o) {
         o.grid = {1, ranks, 1};
       }},
      {"mapping", [](TriangularSolverOptions& o) { o.mapping = distribution::find_mapping("proportional"); }},
      {"tree", [](TriangularSolverOptions& o) { o.tree = plan::find_tree("flat"); }},
      {"schedule", [](TriangularSolverOptions& o) { o.schedule = plan::find_schedule("level-sync").choice; }},
      {"inter-grid exchange",
       [](TriangularSolverOptions& o) { o.inter_grid = plan::find_inter_grid("per-node"); }},
      {"transport", [](TriangularSolverOptions& o) { o.transport = mpi::find_transport("one-sided").make; }},
      {"transport", [](TriangularSolverOptions& o) { o.transport = mpi::make_usual; }},
      {"deterministic", [](TriangularSolverOptions& o) { o.deterministic = true; }},
      {"dependencies", [](TriangularSolverOptions& o) { o.dependencies = false; }},
      {"grain", [](TriangularSolverOptions& o) { o.grain = 7; }},
      {"threads", [](TriangularSolverOptions& o) { o.threads = 3; }},
      {"tile width", [](TriangularSolverOptions& o) { o.tiling.width = 9; }}};
  for (const Case& c : cases) {
    TriangularSolverOptions options{
        .grid = {ranks, 1, 1}, .transport = mpi::find_transport("two-sided").make, .threads = 2};
    if (differs_) c.change(options);
    const std::string message =
        error_of(ErrorKind::usage, [&] { TriangularSolver<double>(MPI_COMM_WORLD, factors_, options); });
    expect_to_name(message, fmt::format("ranks differ in {}:", c.name));
    expect_to_name(message, fmt::format("on rank {}", last_));
  }
}

// Nodes with libraries of their own would round sums differently, and so take different numbers of steps.
TEST_F(Mismatch, OfBuildsIsNamed) {
  using testing_support::commit_of_this_rank;
  const char* const same = std::exchange(commit_of_this_rank, differs_ ? "another" : commit_of_this_rank);
  const std::string message = error_of(ErrorKind::usage, [&] {
    const Solver<double> solver(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, matrix::Csr<double>(a_)));
  });
  commit_of_this_rank = same;
  expect_to_name(message, fmt::format("ranks differ in build: build is 0.0.0 {}, tests on rank 0, but 0.0.0 "
                                      "another, tests on rank {}",
                                      same, last_));
}

TEST_F(Mismatch, OfScalarTypesIsNamed) {
  using T = std::conditional_t<has_single, Single<double>, std::complex<double>>;
  const TriangularSolverOptions options{.grid = {world_size(), 1, 1}};
  const std::string message = error_of(ErrorKind::usage, [&] {
    if (differs_) {
      TriangularSolver<T>(MPI_COMM_WORLD, std::shared_ptr<const Factorization<T>>(), options);
    } else {
      TriangularSolver<double>(MPI_COMM_WORLD, factors_, options);
    }
  });
  expect_to_name(message, fmt::format("scalar type is 8 bytes on rank 0, but {}",
                                      has_single ? "4 bytes" : "complex, 16 bytes"));
}

// prepare() is a collective step: the solver is as good as before.
TEST_F(Mismatch, OfPreparationsIsNamedAndHarmless) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = {world_size(), 1, 1}});
  expect_to_name(error_of(ErrorKind::usage, [&] { solver.prepare(Op::none, differs_ ? 3 : 2); }),
                 "nrhs is 2 on rank 0, but 3");
  expect_to_name(error_of(ErrorKind::usage, [&] { solver.prepare(differs_ ? Op::transpose : Op::none, 2); }),
                 "op is N on rank 0, but T");
  EXPECT_LT(solve_error(solver, a_, Op::none, 2), 500);
}

// A function of the caller's has no name: then it is the messages that differ.
std::vector<plan::PhaseSpec> my_schedule(const symbolic::Structure& structure,
                                         const distribution::Mapping& mapping, Index layer,
                                         const plan::PlanSpec& spec) {
  plan::PlanSpec mine = spec;
  if (world_rank() == world_size() - 1) mine.tree = plan::find_tree("flat");
  return plan::single_sync(structure, mapping, layer, mine);
}

TEST_F(Mismatch, OfPlansIsFoundByTheirMessages) {
  if (world_size() < 6) GTEST_SKIP() << "trees of fewer than six ranks are alike";
  TriangularSolver<double> solver(
      MPI_COMM_WORLD, factors_,
      {.grid = {world_size(), 1, 1}, .tree = plan::find_tree("binary"), .schedule = my_schedule});
  expect_to_name(error_of(ErrorKind::usage, [&] { solver.prepare(Op::none, 1); }), "the plans of ranks");
}

// Prepared for more right-hand sides, solves add no step in which ranks could agree: a rank that receives a
// message of another size revokes the solver, which can be destroyed then, and nothing else.
TEST_F(Mismatch, OfRightHandSidesEndsTheSolveOnEveryRank) {
  for (const auto& named : mpi::transports()) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors_,
                                    {.grid = {world_size(), 1, 1}, .transport = named.make});
    for (const Op op : {Op::none, Op::transpose}) solver.prepare(op, 3);
    EXPECT_LT(solve_error(solver, a_, Op::none, 3), 500);
    const Index rows = solver.partition().count(world_rank());
    std::vector<double> b(usize(rows) * 3), x(b.size());
    const auto solve = [&](Index nrhs) {
      solver.solve(Op::none, {b.data(), rows, nrhs}, {x.data(), rows, nrhs});
    };
    error_of(ErrorKind::environment, [&] { solve(differs_ ? 3 : 2); });
    expect_to_name(error_of(ErrorKind::environment, [&] { solve(2); }), "revoked");
    expect_to_name(error_of(ErrorKind::environment, [&] { solver.prepare(Op::none, 9); }), "revoked");
  }
}

// The same number of rows, so that no size tells, and other messages.
TEST_F(Mismatch, OfOpsEndsTheSolveOnEveryRank) {
  for (const auto& named : mpi::transports()) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors_,
                                    {.grid = {world_size(), 1, 1}, .transport = named.make, .watchdog = 0.2});
    for (const Op op : {Op::none, Op::transpose}) solver.prepare(op, 1);
    const Index rows = solver.partition().count(world_rank());
    std::vector<double> b(usize(rows)), x(b.size());
    error_of(ErrorKind::environment, [&] {
      solver.solve(differs_ ? Op::transpose : Op::none, {b.data(), rows, 1}, {x.data(), rows, 1});
    });
  }
}

// One rank alone has to prepare: for more right-hand sides, for another op, by itself or in a solve.
TEST_F(Mismatch, OfWhatIsPreparedEndsTheSolveOnEveryRank) {
  for (const Op op : {Op::none, Op::transpose}) {
    for (const bool in_solve : {true, false}) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = {world_size(), 1, 1}});
      solver.prepare(Op::none, 1);
      EXPECT_LT(solve_error(solver, a_, Op::none, 1), 500);
      const Index rows = solver.partition().count(world_rank()), nrhs = op == Op::none ? 2 : 1;
      std::vector<double> b(usize(rows) * 2), x(b.size());
      const std::string message = error_of(ErrorKind::usage, [&] {
        if (!in_solve) solver.prepare(differs_ ? op : Op::none, differs_ ? nrhs : 1);
        // Alone with its equations a rank may be through before it hears of the others.
        for (;;) {
          const Index now = differs_ ? nrhs : 1;
          solver.solve(differs_ ? op : Op::none, {b.data(), rows, now}, {x.data(), rows, now});
        }
      });
      expect_to_name(message, "the ranks' calls differ");
      expect_to_name(error_of(ErrorKind::environment, [&] { solver.prepare(op, 9); }), "revoked");
    }
  }
}

// A rank that goes on refining, or looks for zeros in b, would wait for the others.
TEST_F(Mismatch, OfRefinementIsNamedAndHarmless) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = {world_size(), 1, 1}});
  krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, &a_, solver.partition());
  RefinedSolver<double> refined(matrix, solver);
  const Index rows = solver.partition().count(world_rank());
  const std::vector<double> b(usize(rows), 1.0);
  std::vector<double> x(b.size());
  const auto solve = [&](const RefinementOptions& options) {
    return refined.solve(Op::none, {b.data(), rows, 1}, {x.data(), rows, 1}, options);
  };
  for (const RefinementOptions& other :
       {RefinementOptions{.acceptable = 1e-9}, RefinementOptions{.best = true},
        RefinementOptions{.small_unknowns = true}, RefinementOptions{.max_steps = 1},
        RefinementOptions{.prune = true}}) {
    expect_to_name(error_of(ErrorKind::usage, [&] { solve(differs_ ? other : RefinementOptions{}); }),
                   "ranks differ in refinement");
    EXPECT_LT(solve({}).error.arioli_demmel_duff, 1e-13);
  }
}

// All calls of a Solver but sweep(), which no reduction begins. It is as good as before.
TEST_F(Mismatch, OfCallsIsNamedAndHarmless) {
  Solver<double> solver(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, matrix::Csr<double>(a_)));
  const Index rows = solver.rows();
  const std::vector<double> b(usize(rows), 1.0),
      values = dealt_out(MPI_COMM_WORLD, matrix::Csr<double>(a_)).a.value;
  std::vector<double> x(b.size());
  const Answer answer = solver.solve(b, x);
  ASSERT_TRUE(answer.solved());
  const std::vector<Offset> no_entries(2);
  struct Case {
    const char* name;
    std::function<void()> make;
  };
  const std::vector<Case> cases{{"solve", [&] { solver.solve(b, x); }},
                                {"solve_rows",
                                 [&] {
                                   solver.solve_rows({no_entries, {}, {}}, {}, {x.data(), 0, 1});
                                 }},
                                {"forward_error", [&] { solver.forward_error(answer, b, x); }},
                                {"condition_estimate", [&] { solver.condition_estimate(); }},
                                {"prepare", [&] { solver.prepare(Op::none, 1); }},
                                {"refactor", [&] { solver.refactor(values); }},
                                {"explicit_factors", [&] { solver.explicit_factors(); }},
                                {"factored_system", [&] { solver.factored_system(); }}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case &one = cases[i], &other = cases[(i + 1) % cases.size()];
    const std::string message = error_of(ErrorKind::usage, [&] { (differs_ ? other : one).make(); });
    expect_to_name(message, "ranks differ in call");
    expect_to_name(message,
                   fmt::format("call is {} on rank 0, but {} on rank {}", one.name, other.name, last_));
    testing_support::show_life();
    EXPECT_TRUE(solver.solve(b, x).solved());
  }
}

// Prepared again and again, ranks that are ahead wait for the others.
TEST_F(Mismatch, OfTheirPaceIsNone) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = {world_size(), 1, 1}});
  for (Index nrhs = 1; nrhs < 9; ++nrhs) {
    for (const Op op : {Op::none, Op::conjugate_transpose}) {
      EXPECT_LT(solve_error(solver, a_, op, nrhs), 500);
      EXPECT_LT(solve_error(solver, a_, op, 1), 500);
    }
  }
}

// The watchdog names the rows that are missing, and whose they are.
TEST_F(Mismatch, OfWhoSolvesIsNamed) {
  for (const auto& named : mpi::transports()) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors_,
                                    {.grid = {world_size(), 1, 1}, .transport = named.make, .watchdog = 0.2});
    solver.prepare(Op::none, 1);
    std::vector<double> b(usize(solver.partition().count(world_rank()))), x(b.size());
    if (differs_) MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
    const std::string message = error_of(ErrorKind::environment, [&] { solver.solve(Op::none, b, x); });
    if (!differs_) MPI_Barrier(MPI_COMM_WORLD);
    const std::string missing = fmt::format("waits for rank {}'s rows of the right-hand sides", last_);
    int found = message.find(missing) != std::string::npos;
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_TRUE(found) << named.name << ": " << message;
  }
}

class Arguments : public testing::Test {
 protected:
  const matrix::Csr<double> a_ = random_matrix<double>({.n = 60, .per_row = 2, .seed = 3});
  const std::shared_ptr<const Factorization<double>> factors_ = factored(a_);
  const distribution::ProcessGrid grid_{world_size(), 1, 1};
};

// Wrong on the last rank, right on all others: an error on every rank.
TEST_F(Arguments, OfASolveAreChecked) {
  struct Case {
    const char* part;
    Index b_rows, b_columns, x_rows, x_columns;  // less than there should be
  };
  for (const Case& c : {Case{"2 right-hand sides, but 1 solutions", 0, 0, 0, 1}, Case{"columns", 0, 2, 0, 2},
                        Case{"the right-hand side has", 1, 0, 0, 0}, Case{"the solution has", 0, 0, 1, 0}}) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = grid_});
    solver.prepare(Op::none, 2);
    const Index rows = solver.partition().count(world_rank());
    std::vector<double> b(usize(rows) * 2), x(b.size());
    const Index wrong = world_rank() == world_size() - 1 ? 1 : 0;
    const std::string message = error_of(ErrorKind::usage, [&] {
      solver.solve(Op::none, {b.data(), rows - wrong * c.b_rows, 2 - wrong * c.b_columns},
                   {x.data(), rows - wrong * c.x_rows, 2 - wrong * c.x_columns});
    });
    expect_to_name(message, c.part);
  }
}

// As a whole, before parts of them are taken; b is copied where the matrix is in another unit.
TEST_F(Arguments, OfTheSolversCallsAreChecked) {
  for (const double unit : {1.0, 0x1p900}) {
    auto a = a_;
    for (double& value : a.value) value *= unit;
    Solver<double> solver(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, matrix::Csr<double>(a)));
    const Index rows = solver.rows();
    const std::vector<double> b(usize(rows) * 2, 1.0);
    std::vector<double> x(b.size());
    const Vectors<const double> right{b.data(), rows, 2}, none{nullptr, rows, 2};
    const Vectors<double> whole{x.data(), rows, 2}, one{x.data(), rows, 1};
    const bool wrong = world_rank() == world_size() - 1;
    const Answer answer = solver.solve(right, whole);
    expect_to_name(
        error_of(ErrorKind::usage, [&] { solver.forward_error(answer, right, wrong ? one : whole); }),
        "2 right-hand sides, but 1 solutions");
    error_of(ErrorKind::usage, [&] {
      Answer other = answer;
      other.worst = wrong ? 2 : 0;
      solver.forward_error(other, right, whole);
    });
    EXPECT_TRUE(solver.solve(right, whole).solved());
    expect_to_name(error_of(ErrorKind::usage, [&] { solver.solve(wrong ? none : right, whole); }),
                   "the right-hand side is not there");
    EXPECT_TRUE(solver.solve(right, whole).solved());
    expect_to_name(error_of(ErrorKind::usage, [&] { solver.sweep(right, wrong ? one : whole); }),
                   "2 right-hand sides, but 1 solutions");
  }
}

TEST_F(Arguments, OfPrepareAreChecked) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = grid_});
  for (const Index nrhs : {0, -1}) error_of(ErrorKind::usage, [&] { solver.prepare(Op::none, nrhs); });
  EXPECT_LT(solve_error(solver, a_, Op::none, 1), 500);
}

TEST_F(Arguments, OfTheConstructorAreChecked) {
  const Index ranks = world_size();
  const std::vector<distribution::ProcessGrid> grids{
      {ranks + 1, 1, 1}, {-1, -ranks, 1}, {-ranks, 1, -1}, {ranks, 0, 1}, {1, 1, 0}};
  for (const auto& grid : grids)
    error_of(ErrorKind::usage, [&] { TriangularSolver<double>(MPI_COMM_WORLD, factors_, {.grid = grid}); });
  if (ranks == 6) {
    expect_to_name(error_of(ErrorKind::usage,
                            [&] {
                              TriangularSolver<double>(MPI_COMM_WORLD, factors_, {.grid = {2, 1, 3}});
                            }),
                   "power of two");
  }
  error_of(ErrorKind::usage,
           [&] { TriangularSolver<double>(MPI_COMM_WORLD, factors_, {.grid = grid_, .threads = 0}); });
}

TEST_F(Arguments, NothingOnRankZeroIsAnErrorOnAllRanks) {
  expect_to_name(error_of(ErrorKind::usage,
                          [&] {
                            TriangularSolver<double>(MPI_COMM_WORLD,
                                                     std::shared_ptr<const Factorization<double>>(),
                                                     {.grid = grid_});
                          }),
                 "no factorization");
  const auto empty = std::make_shared<const Factorization<double>>();
  error_of(ErrorKind::usage, [&] { TriangularSolver<double>(MPI_COMM_WORLD, empty, {.grid = grid_}); });
  const auto partition = distribution::even_partition(a_.rows(), world_size());
  expect_to_name(error_of(ErrorKind::usage,
                          [&] { krylov::DistributedMatrix<double>(MPI_COMM_WORLD, nullptr, partition); }),
                 "no matrix");
  for (const auto& wrong : {distribution::even_partition(a_.rows() + 1, world_size()),
                            distribution::even_partition(60, world_size() + 1)})
    error_of(ErrorKind::usage, [&] { krylov::DistributedMatrix<double>(MPI_COMM_WORLD, &a_, wrong); });
}

TEST_F(Arguments, OfARefinedSolveAreChecked) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = grid_});
  krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, &a_, solver.partition());
  RefinedSolver<double> refined(matrix, solver);
  const Index rows = solver.partition().count(world_rank());
  std::vector<double> v(usize(rows) * 3, 1.0), x(v.size());
  expect_to_name(error_of(ErrorKind::usage,
                          [&] {
                            refined.solve(Op::none, {v.data(), rows, 2}, {v.data() + rows, rows, 2}, {});
                          }),
                 "overlap");
}

// As with messages of more than 4 GiB, which are cut in the same places.
TEST_F(Arguments, MessagesLongerThanTheLimitAreCut) {
  const mpi::Limits limits{.bytes = 24};
  for (const auto& named : mpi::transports()) {
    for (const auto& grid : testing_support::grids_of(world_size())) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors_,
                                      {.grid = grid, .transport = named.make, .limits = limits});
      for (const Op op : {Op::none, Op::transpose})
        EXPECT_LT(solve_error(solver, a_, op, 5), 500) << named.name << " " << grid.name();
    }
  }
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, {.grid = grid_, .limits = limits});
  krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, &a_, solver.partition(), limits);
  RefinedSolver<double> refined(matrix, solver);
  for (const Op op : {Op::none, Op::transpose}) {
    const testing_support::Problem<double> problem(solver, a_, op, 5);
    std::vector<double> x(problem.b.size());
    refined.solve(op, {problem.b.data(), problem.rows, 5}, {x.data(), problem.rows, 5}, {});
    EXPECT_LT(problem.error(x), 500);
  }
}

}  // namespace
}  // namespace trisweep::solve
