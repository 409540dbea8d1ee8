// A call fails on one rank, at one place after the other, and so on all ranks. The next call, with nothing to
// fail, works or is refused on all ranks alike; where it works, so do solves.

#include <gtest/gtest.h>

#include <vector>

#include "support/injection.hpp"
#include "support/rows_of.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::agreements;
using testing_support::allocations;
using testing_support::Countdown;
using testing_support::few;
using testing_support::makers;
using testing_support::of_one_plan;
using testing_support::Outcome;
using testing_support::OwnCommunicator;
using testing_support::transfers;
using testing_support::uneven_blocks;
using testing_support::world_size;

// A solver that has solved once.
struct Used {
  OwnCommunicator own;
  BlockRows<double> rows;
  std::vector<double> values = rows.a.value, b = std::vector<double>(usize(rows.a.rows()), 1.0), x = b;
  Solver<double> solver{own.with_object(), std::move(rows), of_one_plan()};
  Answer answer = solver.solve(b, x, Op::none);
};

class InjectionThenAgain : public testing_support::Injection {
 protected:
  template <class Call>
  void fail_everywhere_and_call_again(const Call& call) const {
    for (Countdown* const which : {&allocations, &agreements, &transfers, &makers}) {
      if (which != &allocations && world_size() == 1) continue;
      for (Index failing = 0; failing < world_size(); ++failing) {
        for (int events = 0; fail_and_call_again(*which, failing, events, call); events += 1 + events / few)
          continue;
      }
    }
  }

 private:
  // Whether there was something to fail.
  template <class Call>
  bool fail_and_call_again(Countdown& which, Index failing, int events, const Call& call) const {
    Used used{.own = {}, .rows = uneven_blocks(a_.rows()).of(a_, false)};
    const auto scenario = [&](Index) { call(used); };
    const Outcome first = run(which, failing, events, scenario);
    const Outcome second = run(which, -1, 0, scenario);
    EXPECT_TRUE(second.thrown == 0 || second.thrown == world_size()) << events;
    // Behind the last step of a call a rank fails alone: the others hear of it in the next.
    if (first.thrown != 0 && first.thrown != world_size()) EXPECT_EQ(second.thrown, world_size()) << events;
    if (second.thrown == 0) {
      EXPECT_TRUE(used.solver.solve(used.b, used.x, Op::none).solved()) << events;
    }
    return first.fired != 0;
  }
};

TEST_F(InjectionThenAgain, OfFirstSolves) {
  fail_everywhere_and_call_again([](Used& u) { u.solver.solve(u.b, u.x, Op::conjugate_transpose); });
}

TEST_F(InjectionThenAgain, OfPreparations) {
  fail_everywhere_and_call_again([](Used& u) { u.solver.prepare(Op::transpose, 3); });
}

TEST_F(InjectionThenAgain, OfErrorBounds) {
  fail_everywhere_and_call_again([](Used& u) { u.solver.forward_error(u.answer, u.b, u.x, Op::none); });
}

TEST_F(InjectionThenAgain, OfNewValues) {
  fail_everywhere_and_call_again([](Used& u) { u.solver.refactor(u.values); });
}

}  // namespace
}  // namespace trisweep::solve
