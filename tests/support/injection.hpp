#pragma once
// Runs calls of all ranks in which one thing after the other fails on one rank (failing_calls.hpp), and
// expects that all ranks get the same error, soon.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "support/failing_calls.hpp"
#include "support/random_matrix.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::testing_support {

inline constexpr unsigned most_seconds = 20;
inline char where[200];  // for whoever has to end the test

inline void give_up(int) {
  const auto ignored = write(2, where, std::strlen(where));
  static_cast<void>(ignored);
  std::_Exit(3);
}

struct Outcome {
  int fired;
  int left;                          // events until one would have failed
  int thrown;                        // ranks
  std::vector<std::string> message;  // by rank, empty where none was thrown
  double seconds;                    // from the failing call until the last rank had the error
};

// Every rank's text, cut.
inline std::vector<std::string> all_texts(const std::string& mine) {
  constexpr std::size_t most = 200;
  std::array<char, most> text{};
  std::copy_n(mine.data(), std::min(mine.size(), most - 1), text.data());
  std::vector<char> all(most * usize(world_size()));
  MPI_Allgather(text.data(), most, MPI_CHAR, all.data(), most, MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (Index r = 0; r < world_size(); ++r) texts.emplace_back(all.data() + usize(r) * most);
  return texts;
}

// On rank `failing` the event after `events` others fails.
template <class Scenario>
Outcome run(Countdown& countdown, Index failing, int events, const Scenario& scenario) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  std::snprintf(where, sizeof where, "%s: rank %d waits for ever after failure %d of rank %d\n",
                testing::UnitTest::GetInstance()->current_test_info()->name(), world.rank(), events, failing);
  alarm(most_seconds);
  int thrown = 0;
  double ended = 0;
  std::string message;
  if (world.rank() == failing) countdown.start(events);
  int left = 0;
  try {
    scenario(world.rank());
    left = countdown.left();
    countdown.stop();
  } catch (const std::exception& error) {
    countdown.stop();
    ended = Countdown::seconds();
    thrown = 1;
    message = error.what();
  }
  const bool is_failing = world.rank() == failing;
  int counts[3] = {is_failing && countdown.fired() ? 1 : 0, is_failing ? left : 0, thrown};
  MPI_Allreduce(MPI_IN_PLACE, counts, 3, MPI_INT, MPI_SUM, world.handle());
  double times[2] = {counts[0] != 0 && is_failing ? countdown.fired_at() : 0, ended};
  MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, world.handle());
  alarm(0);
  return {counts[0], counts[1], counts[2], all_texts(message), times[1] - times[0]};
}

// The first events one by one, later ones, which are many of a kind, with growing steps: the sooner, the
// fewer failures. Objects that are left revoked keep their communicators, of which MPICH has 2,048.
enum Failures { many = 100, some = 10, few = 3 };
// Events after which the next one fails. Two ranks meet many failures in a tenth of the time that five take,
// for which one class fewer has to do.
inline int next_failure(int events, Failures failures) {
  if (world_size() > 2) failures = failures == many ? some : few;
  return events + 1 + events / failures;
}

inline bool is_same(const std::string& message, const std::string& of_failing) {
  return message == of_failing;
}

struct Expected {
  Failures failures = many;
  bool (*message)(const std::string& message, const std::string& of_failing) = is_same;
  double watchdog = 0;   // seconds that ranks wait for one of which they cannot hear
  bool survives = true;  // whether all ranks may go on another way
};

// All ranks have the error within a second, behind the watchdog's limit where that has to end their waits. On
// a busy machine a rank may not run for so long: what takes longer counts when it does so again and again.
template <class Again>
void expect_in_time(double seconds, double watchdog, const Again& again) {
  constexpr int attempts = 5;
  const double most = watchdog + 1;
  for (int i = 1; i < attempts && seconds > most; ++i) {
    const Outcome repeated = again();
    if (repeated.fired != 0) seconds = std::min(seconds, repeated.seconds);
  }
  EXPECT_LE(seconds, most) << "after the failing call";
}

template <class Scenario>
void fail_everywhere(Countdown& countdown, const Scenario& scenario, const Expected& expected = {}) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // libstdc++'s copy of a variant is taken for undefined behaviour when an allocation in it fails.
  if (&countdown == &allocations) GTEST_SKIP() << "allocations fail in builds without sanitizers only";
#endif
  std::signal(SIGALRM, give_up);
  for (const Index failing : {Index{0}, world_size() - 1}) {
    for (int events = 0;; events = next_failure(events, expected.failures)) {
      const auto once = [&] { return run(countdown, failing, events, scenario); };
      const Outcome outcome = once();
      if (outcome.fired == 0) {
        EXPECT_EQ(outcome.thrown, 0);
        EXPECT_GT(events, 3) << "nothing was there to fail";
        break;
      }
      // A failure may be survived, such as that of a choice for which there is another, but on all ranks.
      ASSERT_TRUE((outcome.thrown == 0 && expected.survives) || outcome.thrown == world_size())
          << outcome.thrown << " ranks got an error after failure " << events << " of rank " << failing;
      if (outcome.thrown != 0) expect_in_time(outcome.seconds, expected.watchdog, once);
      for (const std::string& message : outcome.message)
        ASSERT_TRUE(outcome.thrown == 0 || expected.message(message, outcome.message[usize(failing)]))
            << message << "\nafter failure " << events << " of rank " << failing << ":\n"
            << outcome.message[usize(failing)];
    }
  }
}

inline solve::SolverOptions of_one_plan() {
  return {.plan = model::only({.grid = {world_size(), 1, 1}}), .usual_transport = false, .watchdog = 15};
}

// What fails may be the end of all objects on the caller's communicator. Where the first of them failed, it
// is kept: messages of a vote on it that a rank gave up may come after it is freed, and a later communicator
// would take them for its own.
class OwnCommunicator {
 public:
  OwnCommunicator() { PMPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~OwnCommunicator() {
    if (has_object_ || std::uncaught_exceptions() == exceptions_) PMPI_Comm_free(&comm_);
  }
  OwnCommunicator(const OwnCommunicator&) = delete;
  OwnCommunicator& operator=(const OwnCommunicator&) = delete;
  operator MPI_Comm() const { return comm_; }
  // With an object on it, and so with a communicator on which ranks hear of one another's failures.
  const OwnCommunicator& with_object() const {
    const Undisturbed undisturbed;
    const mpi::Communicator object(comm_);
    has_object_ = true;
    return *this;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int exceptions_ = std::uncaught_exceptions();
  mutable bool has_object_ = false;
};

class Injection : public testing::Test {
 protected:
  solve::TriangularSolverOptions options(const mpi::NamedTransport& named, int threads) const {
    const Index ranks = world_size();
    return {.grid = ranks % 2 == 0 ? distribution::ProcessGrid{ranks / 2, 1, 2}
                                   : distribution::ProcessGrid{ranks, 1, 1},
            .transport = named.make,
            .threads = threads};
  }

  const matrix::Csr<double> a_ = random_matrix<double>({.n = 24, .per_row = 2, .seed = 5});
  const std::shared_ptr<const solve::Factorization<double>> factors_ = factored(a_, 1);
  const matrix::Dense<double> ones_{a_.rows(), 2, std::vector<double>(usize(a_.rows()) * 2, 1.0)};
  // A rank that comes here while another has failed throws that error.
  static void conditional_barrier(solve::TriangularSolver<double>& solver) {
    mpi::agree_on_error(solver.comm(), [] {});
  }
  void solve(solve::TriangularSolver<double>& solver, Op op, Index nrhs) {
    const Index rows = solver.partition().count(solver.comm().rank());
    solver.solve(op, {v_.data(), rows, nrhs}, {v_.data(), rows, nrhs});
  }
  std::vector<double> v_ = std::vector<double>(usize(a_.rows()) * 4, 1.0);
};

}  // namespace trisweep::testing_support
