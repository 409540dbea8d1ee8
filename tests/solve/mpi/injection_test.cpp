// One rank after the other runs out of memory at one allocation after the other, fails one vote after the
// other, and one call of MPI after the other: every rank gets the same error, none waits for ever, and what
// is left behind can be destroyed.

#include "support/injection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gallery/gallery.hpp"
#include "support/row_order.hpp"
#include "support/rows_of.hpp"
#include "support/shared_file.hpp"
#include "support/whole_vectors.hpp"
#include "trisweep/distribution/front_owners.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/krylov/methods.hpp"
#include "trisweep/mpi/transport.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/dissecting_ranks.hpp"
#include "trisweep/solve/parallel_analysis.hpp"
#include "trisweep/solve/parallel_dissection.hpp"
#include "trisweep/solve/read_rows.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::agreements;
using testing_support::allocations;
using testing_support::attributes;
using testing_support::Countdown;
using testing_support::fail_everywhere;
using testing_support::few;
using testing_support::gather_rows;
using testing_support::Injection;
using testing_support::makers;
using testing_support::many;
using testing_support::next_failure;
using testing_support::of_one_plan;
using testing_support::Outcome;
using testing_support::OwnCommunicator;
using testing_support::polls;
using testing_support::random_matrix;
using testing_support::scatter_rows;
using testing_support::some;
using testing_support::transfers;
using testing_support::uneven_blocks;
using testing_support::world_size;

TEST_F(Injection, OfAllocationsInConstructionPreparationAndSolves) {
  for (const auto& named : mpi::transports()) {
    fail_everywhere(allocations, [&](Index) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, options(named, 1));
      solver.prepare(Op::none, 2);
      for (int i = 0; i < 3; ++i) solve(solver, Op::none, 2);
      conditional_barrier(solver);
    });
  }
}

TEST_F(Injection, OfAllocationsWithThreads) {
  fail_everywhere(allocations, [&](Index) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, options(mpi::transports()[0], 3));
    solve(solver, Op::transpose, 1);
    conditional_barrier(solver);
  });
}

TEST_F(Injection, InReading) {
  if (world_size() == 1) GTEST_SKIP() << "one rank reads as if there were no others";
  const Index n = 30000;  // a part for each rank
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", n, n, n);
  for (Index i = 0; i < n; ++i) text += fmt::format("{} {} 2.5\n", i + 1, (i + 2) / 2);
  const testing_support::SharedFile file(text);
  for (Countdown* const which : {&transfers, &polls, &agreements, &allocations}) {
    fail_everywhere(*which,
                    [&](Index) {
                      allocations.pause(true);
                      const OwnCommunicator own;
                      own.with_object();
                      allocations.pause(false);
                      read_rows(own, file.path());
                    },
                    {.failures = some});
  }
}

TEST_F(Injection, InParallelAnalysis) {
  if (world_size() == 1 || !has_parallel_dissection()) GTEST_SKIP() << "rank 0 analyzes";
  const auto a = testing_support::with_rows_shuffled(
      std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 8})));
  const std::array<symbolic::SymbolicOptions, 1> options{};
  for (Countdown* const which : {&agreements, &polls, &allocations}) {
    fail_everywhere(
        *which,
        [&](Index) {
          allocations.pause(true);
          const OwnCommunicator own;
          const mpi::Communicator comm(own.with_object());
          const LinearSystem<double> system(comm, testing_support::scattered(a.rows()).of(a, true));
          allocations.pause(false);
          analyze_in_parallel(comm, system,
                              {.ordering = {.method = ordering::Method::ptscotch}, .symbolic = options},
                              silent_observer());
        },
        {.failures = some});
  }
}

TEST_F(Injection, OfAllocationsInResidualsAndEstimates) {
  const TriangularSolver<double> shape(MPI_COMM_WORLD, factors_, options(mpi::transports()[0], 1));
  fail_everywhere(allocations, [&](Index rank) {
    krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, rank == 0 ? &a_ : nullptr, shape.partition());
    const auto ones = scatter_rows(matrix.comm(), matrix.partition(), ones_);
    std::vector<double> r;
    mpi::agree_on_error(matrix.comm(), [&] { r.resize(ones.size()); });
    ThreadPool pool(1);
    const Index rows = matrix.local_rows();
    for (const Op op : {Op::none, Op::transpose})
      matrix.residual(op, {ones.data(), rows, 2}, {ones.data(), rows, 2}, {r.data(), rows, 2}, pool);
    gather_rows<double>(matrix.comm(), matrix.partition(), r, 2);
    mpi::agree_on_error(matrix.comm(), [] {});
  });
}

// With factors that are only a preconditioner, so that every kind of correction is tried. A rank that fails
// is heard by those that wait for it in a sum, a product or a solve.
TEST_F(Injection, OfAllocationsInRefinementAndGmres) {
  const auto poor = std::make_shared<const Factorization<double>>(factor<double>(
      a_, std::make_shared<const Analysis>(analyze(a_)), {.numeric = {.pivot_threshold = 0.8}}));
  ASSERT_GT(poor->factors->perturbed_pivots, 0);
  for (const int threads : {1, 2}) {
    fail_everywhere(
        allocations,
        [&](Index rank) {
          allocations.pause(true);
          TriangularSolver<double> solver(MPI_COMM_WORLD, poor, options(mpi::transports()[0], threads));
          krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, rank == 0 ? &a_ : nullptr,
                                                   solver.partition());
          RefinedSolver<double> refined(matrix, solver);
          const auto b = scatter_rows(matrix.comm(), matrix.partition(), ones_);
          std::vector<double> x(b.size());
          allocations.pause(false);
          const Index rows = matrix.local_rows();
          const auto result = refined.solve(Op::none, {b.data(), rows, 2}, {x.data(), rows, 2}, {});
          refined.forward_error(Op::none, {b.data(), rows, 1}, {x.data(), rows, 1}, 4);
          conditional_barrier(solver);
          EXPECT_LT(result.error.componentwise, 1e-14);
        },
        {.failures = some});
  }
}

TEST_F(Injection, OfAllocationsInBicgstab) {
  fail_everywhere(
      allocations,
      [&](Index rank) {
        allocations.pause(true);
        const auto partition = distribution::even_partition(a_.rows(), world_size());
        krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, rank == 0 ? &a_ : nullptr, partition);
        const auto b = scatter_rows(matrix.comm(), matrix.partition(), ones_);
        std::vector<double> x(b.size());
        ThreadPool pool(1);
        const auto multiply = [&](Vectors<const double> v, Vectors<double> y) {
          matrix.apply(Op::none, v, y, pool);
        };
        const krylov::Identity identity;
        allocations.pause(false);
        const Index rows = matrix.local_rows();
        const auto result = krylov::bicgstab<double>({matrix.comm(), pool}, {multiply, identity},
                                                     {b.data(), rows, 2}, {x.data(), rows, 2}, {});
        mpi::agree_on_error(matrix.comm(), [] {});
        EXPECT_EQ(result[0].outcome, krylov::Outcome::converged);
      },
      {.failures = some});
}

TEST_F(Injection, OfAllocationsInTheConditionEstimate) {
  fail_everywhere(allocations, [&](Index) {
    TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, options(mpi::transports()[0], 1));
    estimate_condition(solver);
    conditional_barrier(solver);
  });
}

TEST_F(Injection, OfCollectiveSteps) {
  if (world_size() == 1) GTEST_SKIP() << "one rank has nobody to agree with";
  // An error of the matrix revokes the solver, too, which cannot know that all ranks have the error.
  for (const auto& named : mpi::transports()) {
    fail_everywhere(agreements, [&](Index rank) {
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, options(named, 1));
      krylov::DistributedMatrix<double> matrix(MPI_COMM_WORLD, rank == 0 ? &a_ : nullptr, solver.partition());
      for (const Op op : {Op::none, Op::transpose}) solver.prepare(op, 2);
      matrix.prepare(Op::transpose, 2);
      solve(solver, Op::transpose, 2);
      estimate_condition(solver);
      RefinedSolver<double> refined(matrix, solver);
      const auto b = scatter_rows(matrix.comm(), matrix.partition(), ones_);
      std::vector<double> x(b.size());
      const Index rows = matrix.local_rows();
      refined.solve(Op::transpose, {b.data(), rows, 2}, {x.data(), rows, 2}, {});
      conditional_barrier(solver);
    });
  }
}

// From the matrix to the bounds of an answer, a second factorization included.
void use_a_solver(const matrix::Csr<double>& a, MPI_Comm comm = MPI_COMM_WORLD) {
  allocations.pause(true);
  const SolverOptions options = of_one_plan();
  auto rows = uneven_blocks(a.rows()).of(a, false);
  const Index mine = rows.a.rows();
  const std::vector<double> values = rows.a.value, b(usize(mine) * 2, 1.0);
  std::vector<double> x(b.size());
  allocations.pause(false);
  Solver<double> solver(comm, std::move(rows), options);
  for (const Op op : {Op::none, Op::transpose}) {
    solver.prepare(op, 2);
    const Answer answer = solver.solve({b.data(), mine, 2}, {x.data(), mine, 2}, op);
    solver.forward_error(answer, {b.data(), mine, 2}, {x.data(), mine, 2}, op);
  }
  solver.refactor(values);
  solver.sweep({b.data(), mine, 2}, {x.data(), mine, 2});
  solver.refactor(values);  // throws here while another rank has failed
}

TEST_F(Injection, OfAllocationsInASolver) {
  fail_everywhere(allocations, [&](Index) { use_a_solver(a_); }, {.failures = some});
}

TEST_F(Injection, OfCollectiveStepsInASolver) {
  if (world_size() == 1) GTEST_SKIP() << "one rank has nobody to agree with";
  fail_everywhere(agreements, [&](Index) { use_a_solver(a_); });
}

TEST_F(Injection, OfCallsOfMpiInASolver) {
  if (world_size() == 1) GTEST_SKIP() << "one rank calls nobody";
  for (Countdown* const which : {&transfers, &polls})
    fail_everywhere(*which, [&](Index) { use_a_solver(a_, OwnCommunicator().with_object()); },
                    {.failures = which == &transfers ? some : few});
}

// Whose diagonal blocks are factored alone.
TEST_F(Injection, InABlockTriangularSolver) {
  if (world_size() == 1) GTEST_SKIP() << "one rank calls nobody";
  auto a = a_;
  for (const Offset e : a.pattern.entries(0))
    if (a.pattern.col[usize(e)] != 0) a.value[usize(e)] = 0;
  const auto rows = uneven_blocks(a.rows());
  for (Countdown* const which : {&transfers, &polls, &agreements, &allocations}) {
    fail_everywhere(*which,
                    [&](Index) {
                      allocations.pause(true);
                      const OwnCommunicator own;
                      auto mine = rows.of(a, false);
                      std::vector<double> b(mine.a.value.size() + 1, 1.0), x(b.size());
                      const std::vector<double> values = mine.a.value;
                      SolverOptions options = of_one_plan();
                      options.block_triangular = BlockTriangular::on;
                      own.with_object();
                      allocations.pause(false);
                      Solver<double> solver(own, std::move(mine), options);
                      EXPECT_EQ(solver.report().factor.block_stages, 3);
                      const Index count = solver.rows();
                      solver.solve({b.data(), count, 1}, {x.data(), count, 1}, Op::transpose);
                      solver.refactor(values);
                    },
                    {.failures = some});
  }
}

// Of one front that all ranks share.
TEST_F(Injection, InASharedFront) {
  if (world_size() == 1) GTEST_SKIP() << "one rank shares nothing";
  const auto a = random_matrix<double>({.n = 260, .per_row = 200, .seed = 2});
  ASSERT_FALSE(
      distribution::FrontOwners(*analyze(a, {}).structure, world_size(), numeric::Kind::lu).shared.empty());
  for (Countdown* const which : {&transfers, &polls, &agreements, &allocations}) {
    fail_everywhere(*which,
                    [&](Index) {
                      allocations.pause(true);
                      const OwnCommunicator own;
                      auto rows = uneven_blocks(a.rows()).of(a, false);
                      const SolverOptions options = of_one_plan();
                      own.with_object();
                      allocations.pause(false);
                      Solver<double>(own, std::move(rows), options);
                    },
                    {.failures = some});
  }
}

TEST_F(Injection, WhileRanksDissect) {
  if (world_size() == 1) GTEST_SKIP() << "one rank has no others";
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 130}));
  for (Countdown* const which : {&transfers, &allocations}) {
    fail_everywhere(*which,
                    [&](Index rank) {
                      which->pause(true);
                      const OwnCommunicator own;
                      const mpi::Communicator comm(own.with_object());
                      which->pause(false);
                      mpi::agree_on_error(comm, [&] {
                        if (rank != 0) return help_to_dissect(comm);
                        DissectingRanks others(comm);
                        ordering::order(a, true, {.needed_levels = 3, .helpers = &others});
                        others.let_go();
                      });
                    },
                    {.failures = some});
  }
}

TEST_F(Injection, OfCallsThatMakeAndFreeCommunicators) {
  fail_everywhere(makers, [&](Index) { use_a_solver(a_, OwnCommunicator().with_object()); },
                  {.failures = some});
}

// Of the first object on a communicator ranks may not hear: the watchdog ends their waits.
TEST_F(Injection, OfTheFirstCallsOnACommunicator) {
  const auto is_same_or_of_watchdog = [](const std::string& message, const std::string& of_failing) {
    return message == of_failing || message.starts_with("no progress for 2 s: a rank has not entered");
  };
  for (Countdown* const which : {&transfers, &makers, &attributes}) {
    if (which == &transfers && world_size() == 1) continue;
    fail_everywhere(*which,
                    [&](Index) {
                      const OwnCommunicator own;
                      const mpi::Communicator first(own, {}, 2);
                      const mpi::Communicator second(own, {}, 2);
                      mpi::agree_on_error(second, [] {});
                    },
                    {.message = is_same_or_of_watchdog, .watchdog = 2});
  }
}

// Types are made for messages of more bytes than MPI counts: here, of more than sixteen.
TEST_F(Injection, OfCallsOfMpiInEveryTransport) {
  if (world_size() == 1) GTEST_SKIP() << "one rank calls nobody";
  for (const auto& named : mpi::transports()) {
    for (Countdown* const which : {&transfers, &polls, &makers}) {
      fail_everywhere(*which,
                      [&](Index) {
                        const OwnCommunicator own;
                        const mpi::Communicator comm(own.with_object(), {.bytes = 16}, 15);
                        mpi::revoke_on_error(comm, [&] {
                          TriangularSolver<double> solver(comm.share(), factors_, options(named, 1));
                          for (int i = 0; i < 3; ++i) solve(solver, Op::none, 2);
                          conditional_barrier(solver);
                        });
                      },
                      {.failures = few});
    }
  }
}

// There all ranks are through, and wait for one another in calls that nothing ends.
TEST_F(Injection, OfALookAtTheEndOfATransport) {
  for (const auto& named : mpi::transports()) {
    for (const Index failing : {Index{0}, world_size() - 1}) {
      const Outcome outcome = run(polls, failing, 0, [&](Index) {
        std::optional<testing_support::Undisturbed> calm(std::in_place);
        const OwnCommunicator own;
        {
          TriangularSolver<double> solver(own, factors_, options(named, 1));
          solve(solver, Op::none, 2);
          calm.reset();
        }
        calm.emplace();
      });
      EXPECT_EQ(outcome.thrown, 0) << named.name;
    }
  }
}

// What communicates on a node alone: a failure there is the end of the object, not of a transport that the
// others do without.
TEST_F(Injection, OfCallsOfMpiOnANode) {
  if (world_size() == 1) GTEST_SKIP() << "one rank calls nobody";
  fail_everywhere(transfers,
                  [&](Index) {
                    const OwnCommunicator own;
                    const mpi::Communicator comm(own.with_object(), {}, 15);
                    mpi::revoke_on_error(comm, [&] {
                      mpi::usual_transport(comm);
                      mpi::agree_on_error(comm, [] {});
                    });
                  },
                  {.survives = false});
}

// prepare() is all or nothing: a solver that could not be prepared for more solves as before.
TEST_F(Injection, AFailedPreparationLeavesTheSolverAsItWas) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, options(mpi::transports()[0], 1));
  solver.prepare(Op::none, 1);
  for (int events = 0, nrhs = 2;; events = next_failure(events, many)) {
    const Outcome outcome =
        run(allocations, world_size() - 1, events, [&](Index) { solver.prepare(Op::none, nrhs); });
    EXPECT_LT(testing_support::solve_error(solver, a_, Op::none, 1), 500) << events;
    if (outcome.fired == 0) break;
    if (outcome.thrown == 0) ++nrhs;
  }
  EXPECT_LT(testing_support::solve_error(solver, a_, Op::none, 2), 500);
}

}  // namespace
}  // namespace trisweep::solve
