// One rank after the other runs out of memory at one allocation after the other, and fails one collective
// step after the other: every rank gets an error, none waits for ever, and what is left behind can be
// destroyed.
//
// Allocations are counted by this program's own operator new and aligned_alloc, collective steps by its own
// MPI_Iallreduce, by which ranks agree on an outcome (throw_first_failure).

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/abandoned.hpp"
#include "support/solver.hpp"
#include "trisweep/krylov/bicgstab.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/solve/condition.hpp"
#include "trisweep/solve/refinement.hpp"
#include "trisweep/solve/rows.hpp"

namespace {

// Counts down to the event that fails; below zero nothing does.
class Countdown {
 public:
  void start(int events) {
    fired_ = false;
    left_ = events;
  }
  void stop() { left_ = -1; }
  bool fired() const { return fired_; }
  // What is not to fail comes in between.
  void pause(bool paused) { paused_ = paused; }
  bool fails() {
    if (paused_ || left_.load() < 0 || left_.fetch_sub(1) != 0) return false;
    fired_ = true;
    return true;
  }

 private:
  std::atomic<int> left_ = -1;
  std::atomic<bool> fired_ = false;
  std::atomic<bool> paused_ = false;
};

Countdown allocations;
Countdown agreements;

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = allocations.fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// What standard algorithms do without when it fails. Sanitizers have one of their own, which our delete would
// not fit.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocations.fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#ifndef __SANITIZE_ADDRESS__
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  return allocations.fails() || posix_memalign(&memory, alignment, bytes) != 0 ? nullptr : memory;
}
#endif

// As of a rank that has met an error: the lowest rank with one becomes known.
extern "C" int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  const bool vote = type == MPI_INT32_T && op == MPI_MIN;
  if (vote && agreements.fails()) MPI_Comm_rank(comm, static_cast<int*>(all));
  return PMPI_Iallreduce(mine, all, count, type, op, comm, request);
}

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::random_matrix;
using testing_support::world_size;

constexpr unsigned patience_seconds = 20;
char where[200];  // for whoever has to end the test

extern "C" void give_up(int) {
  const auto ignored = write(2, where, std::strlen(where));
  static_cast<void>(ignored);
  std::_Exit(3);
}

struct Outcome {
  int fired;
  int thrown;  // ranks
};

// On rank `failing` the event after `events` others fails.
template <class Scenario>
Outcome run(Countdown& countdown, Index failing, int events, const Scenario& scenario) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  std::snprintf(where, sizeof where, "%s: rank %d waits for ever after failure %d of rank %d\n",
                testing::UnitTest::GetInstance()->current_test_info()->name(), world.rank(), events, failing);
  alarm(patience_seconds);
  int thrown = 0;
  if (world.rank() == failing) countdown.start(events);
  try {
    scenario(world.rank());
  } catch (const std::exception&) {
    thrown = 1;
  }
  countdown.stop();
  int counts[2] = {world.rank() == failing && countdown.fired() ? 1 : 0, thrown};
  MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, world.handle());
  alarm(0);
  return {counts[0], counts[1]};
}

// The first events one by one, later ones, which are many of a kind, with growing steps: the sooner, the
// fewer failures. Objects that are left revoked keep their communicators, of which MPICH has 2,048.
enum Failures { many = 100, some = 10 };

template <class Scenario>
void fail_everywhere(Countdown& countdown, const Scenario& scenario, Failures failures = many) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // libstdc++'s copy of a variant is taken for undefined behaviour when an allocation in it fails.
  if (&countdown == &allocations) GTEST_SKIP() << "allocations fail in builds without sanitizers only";
#endif
  std::signal(SIGALRM, give_up);
  for (const Index failing : {Index{0}, world_size() - 1}) {
    for (int events = 0;; events += 1 + events / failures) {
      const Outcome outcome = run(countdown, failing, events, scenario);
      if (outcome.fired == 0) {
        EXPECT_EQ(outcome.thrown, 0);
        EXPECT_GT(events, 3) << "nothing was there to fail";
        break;
      }
      // A failure may be survived, such as that of a choice for which there is another, but on all ranks.
      ASSERT_TRUE(outcome.thrown == 0 || outcome.thrown == world_size())
          << outcome.thrown << " ranks got an error after failure " << events << " of rank " << failing;
    }
  }
}

class Injection : public testing::Test {
 protected:
  TriangularSolverOptions options(const mpi::NamedTransport& named, int threads) const {
    const Index ranks = world_size();
    return {.grid = ranks % 2 == 0 ? distribution::ProcessGrid{ranks / 2, 1, 2}
                                   : distribution::ProcessGrid{ranks, 1, 1},
            .transport = named.make,
            .threads = threads};
  }

  const matrix::Csr<double> a_ = random_matrix<double>({.n = 24, .per_row = 2, .seed = 5});
  const std::shared_ptr<const Factorization<double>> factors_ = factored(a_, 1);
  const matrix::Dense<double> ones_{a_.rows(), 2, std::vector<double>(usize(a_.rows()) * 2, 1.0)};
  // Whoever comes here while another rank has failed hears of it.
  static void conditional_barrier(TriangularSolver<double>& solver) {
    mpi::agree_on_error(solver.comm(), [] {});
  }
  void solve(TriangularSolver<double>& solver, Op op, Index nrhs) {
    const Index rows = solver.partition().count(solver.comm().rank());
    solver.solve(op, {v_.data(), rows, nrhs}, {v_.data(), rows, nrhs});
  }
  std::vector<double> v_ = std::vector<double>(usize(a_.rows()) * 4, 1.0);
};

TEST_F(Injection, OfAllocationsInConstructionPreparationAndSolves) {
  for (const auto& named : testing_support::transports_to_abandon()) {
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
    gather_rows(matrix.comm(), matrix.partition(), r, 2);
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
        some);
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
      some);
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
  // An error of the matrix destroys the solver, too, which cannot know that it is everybody's.
  for (const auto& named : testing_support::transports_to_abandon()) {
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

// prepare() is all or nothing: a solver that could not be prepared for more solves as before.
TEST_F(Injection, AFailedPreparationLeavesTheSolverAsItWas) {
  TriangularSolver<double> solver(MPI_COMM_WORLD, factors_, options(mpi::transports()[0], 1));
  solver.prepare(Op::none, 1);
  for (int events = 0, nrhs = 2;; events = events + 1 + events / many) {
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
