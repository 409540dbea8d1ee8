// The threads of the BLAS are those of the program again, on every way out.

#include "trisweep/numeric/blas_threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

extern "C" {
void openblas_set_num_threads(int threads);
int openblas_get_num_threads();
}

namespace trisweep::numeric {
namespace {

class BlasThreads : public ::testing::Test {
 protected:
  BlasThreads() { openblas_set_num_threads(2); }
  ~BlasThreads() override { openblas_set_num_threads(before_); }

 private:
  int before_ = openblas_get_num_threads();
};

TEST_F(BlasThreads, AreRestoredAfterAnError) {
  const auto fail = [] {
    const OneBlasThread one;
    EXPECT_EQ(openblas_get_num_threads(), 1);
    throw std::runtime_error("in the middle");
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

TEST_F(BlasThreads, AreRestoredByTheLastInAnyOrder) {
  auto first = std::make_unique<OneBlasThread>();
  auto second = std::make_unique<OneBlasThread>();
  first.reset();
  EXPECT_EQ(openblas_get_num_threads(), 1);
  second.reset();
  EXPECT_EQ(openblas_get_num_threads(), 2);
}

// Not among the tests of threads: their sanitizer does not know forks.
class BlasInForkedChildren : public BlasThreads {};

TEST_F(BlasInForkedChildren, KeepsToOneBesideOthers) {
  std::atomic<bool> ended = false;
  std::jthread other([&] {
    while (!ended) OneBlasThread();
  });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      OneBlasThread();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    if (status != 0) break;
  }
  ended = true;
}

}  // namespace
}  // namespace trisweep::numeric
