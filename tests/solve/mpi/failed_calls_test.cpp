// A call fails on one rank, at one place after the other, and so on all ranks, with the same error. The next
// call, with nothing to fail, works or is refused on all ranks alike; where it works, so do solves. Only
// where MPI fails to tell a rank that a call's last step is complete, others may have left with the call's
// result: they are refused in the next one.

#include <gtest/gtest.h>

#include <limits>
#include <set>
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
using testing_support::polls;
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
    const std::set<Index> ranks{0, world_size() / 2, world_size() - 1};
    for (Countdown* const which : {&allocations, &agreements, &transfers, &makers, &polls}) {
      if (which != &allocations && world_size() == 1) continue;
      const int failures = which == &polls ? 1 : few;  // of which there are as many as ranks wait long
      for (const Index failing : ranks) {
        for (int events = 0; fail_and_call_again(*which, failing, events, call);
             events += 1 + events / failures)
          continue;
      }
    }
    for (const Index failing : ranks) {
      const int all = count_allocations(failing, call);
      for (int from_end = 1; from_end <= few; ++from_end)
        fail_and_call_again(allocations, failing, all - from_end, call);
    }
  }

 private:
  Used used() const { return {.own = {}, .rows = uneven_blocks(a_.rows()).of(a_, false)}; }

  // On that rank, where none fails.
  template <class Call>
  int count_allocations(Index failing, const Call& call) const {
    constexpr int never = std::numeric_limits<int>::max();
    Used used = this->used();
    return never - run(allocations, failing, never, [&](Index) { call(used); }).left;
  }

  // Whether there was something to fail.
  template <class Call>
  bool fail_and_call_again(Countdown& which, Index failing, int events, const Call& call) const {
    Used used = this->used();
    const auto scenario = [&](Index) { call(used); };
    const Outcome first = run(which, failing, events, scenario);
    const Outcome second = run(which, -1, 0, scenario);
    EXPECT_TRUE(second.thrown == 0 || second.thrown == world_size()) << events;
    const std::string& error = first.message[usize(failing)];
    const bool may_be_left = &which == &polls && first.thrown > 0 && !error.empty();
    for (const std::string& other : first.message) {
      if (other == error) continue;
      EXPECT_TRUE(may_be_left && other.empty()) << "after " << events << ": " << error << "\nbut: " << other;
      EXPECT_EQ(second.thrown, world_size()) << events;
    }
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

TEST_F(InjectionThenAgain, OfConditionEstimates) {
  fail_everywhere_and_call_again([](Used& u) { u.solver.condition_estimate(); });
}

TEST_F(InjectionThenAgain, OfNewValues) {
  fail_everywhere_and_call_again([](Used& u) { u.solver.refactor(u.values); });
}

}  // namespace
}  // namespace trisweep::solve
