// Failures on one rank, as injection_test.cpp has them, in solvers that begin with factors: those of another
// library, those that rank 0 has, and those that all ranks make.

#include <gtest/gtest.h>

#include "support/injection.hpp"
#include "support/rows_of.hpp"
#include "trisweep/solve/lu_source.hpp"
#include "trisweep/solve/root_factors.hpp"

namespace trisweep::solve {
namespace {

using testing_support::agreements;
using testing_support::allocations;
using testing_support::Countdown;
using testing_support::fail_everywhere;
using testing_support::few;
using testing_support::Injection;
using testing_support::of_one_plan;
using testing_support::OwnCommunicator;
using testing_support::some;
using testing_support::transfers;
using testing_support::uneven_blocks;
using testing_support::world_size;

class InjectionInGivenFactors : public Injection {
 protected:
  // Nothing fails before there is a source.
  std::shared_ptr<FactorSource<double>> source() const {
    const testing_support::Undisturbed undisturbed;
    return lu_source(explicit_);
  }
  // On rank 0 alone.
  template <class Factors>
  static Factors of_root(Factors factors) {
    return testing_support::world_rank() == 0 ? std::move(factors) : Factors{};
  }

  const ExplicitFactors<double> explicit_ = of_root(explicit_factors(*factors_));
};

TEST_F(InjectionInGivenFactors, OfATriangularSolver) {
  for (Countdown* const which : {&allocations, &agreements}) {
    if (which != &allocations && world_size() == 1) continue;
    fail_everywhere(*which, [&](Index) {
      const auto factors = source();
      TriangularSolver<double> solver(mpi::Communicator(MPI_COMM_WORLD), *factors,
                                      options(mpi::transports()[0], 1));
      solve(solver, Op::none, 2);
      EXPECT_TRUE(solver.refill(*factors));
      conditional_barrier(solver);
    });
  }
}

TEST_F(InjectionInGivenFactors, OfASolver) {
  const auto made = [&](bool of_library, MPI_Comm comm) {
    const testing_support::Undisturbed undisturbed;
    const SolverOptions options = of_one_plan();
    auto rows = uneven_blocks(a_.rows()).of(a_, false);
    FactorSources<double> factors{.in_full = of_library ? source() : root_factors(of_root(factors_))};
    return [=, rows = std::move(rows), factors = std::move(factors)]() mutable {
      return Solver<double>(comm, std::move(rows), options, std::move(factors));
    };
  };
  for (const bool of_library : {false, true}) {
    for (Countdown* const which : {&allocations, &agreements, &transfers}) {
      if (which != &allocations && world_size() == 1) continue;
      fail_everywhere(*which,
                      [&](Index) {
                        allocations.pause(true);
                        const OwnCommunicator own;
                        auto make = made(of_library, own.with_object());
                        allocations.pause(false);
                        Solver<double> solver = make();
                        // A rank that comes here while another has failed throws.
                        solver.prepare(Op::transpose, 1);
                      },
                      {.failures = few});
    }
  }
}

}  // namespace
}  // namespace trisweep::solve
