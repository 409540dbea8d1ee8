// main() of the test programs that run under mpirun. Every rank runs the same tests; a failure on any rank
// fails the program (mpirun reports the highest exit status) and is printed by that rank; rank 0 alone
// reports what passes.
// TRISWEEP_TEST_RANKS says how many ranks there must be: under the launcher of another MPI each would be
// alone, and pass.

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "support/left_windows.hpp"
#include "support/watchdog.hpp"

namespace {

class FailuresOf : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOf(int rank) : rank_(rank) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override { test_ = &test; }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s.%s: %s:%d: %s\n", rank_, test_ ? test_->test_suite_name() : "",
                 test_ ? test_->name() : "", result.file_name() ? result.file_name() : "",
                 result.line_number(), result.message());
  }

  const testing::TestInfo* test_ = nullptr;
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  trisweep::testing_support::free_left_windows_at_the_end();
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* expected = std::getenv("TRISWEEP_TEST_RANKS");
  if (expected != nullptr && std::atoi(expected) != ranks) {
    std::fprintf(stderr, "%d ranks instead of %s: the launcher is not of this program's MPI\n", ranks,
                 expected);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (rank != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOf(rank));
  }
  trisweep::testing_support::Watchdog::install();
  int failed = RUN_ALL_TESTS();
  trisweep::testing_support::show_life();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (failed != 0 && rank == 0) std::fprintf(stderr, "tests failed on at least one rank\n");
  MPI_Finalize();
  return failed;
}
