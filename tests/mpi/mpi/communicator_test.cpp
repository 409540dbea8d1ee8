#include "trisweep/mpi/communicator.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <utility>

namespace trisweep::mpi {
namespace {

TEST(Communicator, AFailureOfOneRankIsThrownOnAll) {
  const Communicator comm(MPI_COMM_WORLD);
  const Index failing = comm.size() - 1;
  try {
    agree_on_error(comm, [&] {
      if (comm.rank() == failing) throw Error(ErrorKind::numerical, "no pivot", "scale");
    });
    FAIL() << "rank " << comm.rank() << " went on";
  } catch (const CollectiveError& e) {
    EXPECT_EQ(e.exit_status(), 1);
    EXPECT_NE(std::string(e.what()).find("no pivot"), std::string::npos);
    if (failing > 0) EXPECT_NE(std::string(e.what()).find(std::to_string(failing)), std::string::npos);
  }
}

// An error of a smaller communicator is that of some ranks: the others must not wait.
TEST(Communicator, AnErrorOfFewerRanksIsThrownOnAll) {
  const Communicator comm(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  try {
    agree_on_error(comm, [&] {
      agree_on_error(self, [&] {
        if (comm.rank() == 0) throw Error(ErrorKind::input, "no file");
      });
    });
    FAIL() << "rank " << comm.rank() << " went on";
  } catch (const CollectiveError& e) {
    EXPECT_STREQ(e.what(), "no file");
    EXPECT_EQ(e.kind(), ErrorKind::input);
  }
}

TEST(Communicator, AnErrorOfFewerRanksRevokes) {
  const Communicator comm(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const auto on_last = [&] {
    return agree_on_error(self, [&] {
      if (comm.rank() == comm.size() - 1) throw Error(ErrorKind::input, "no file");
      return 1.0;
    });
  };
  EXPECT_THROW(revoke_on_error(comm, [&] { comm.max(on_last()); }), Error);
}

TEST(Communicator, TheLowestFailingRankSpeaks) {
  const Communicator comm(MPI_COMM_WORLD);
  try {
    agree_on_error(comm, [&] { throw Error(ErrorKind::input, "from " + std::to_string(comm.rank())); });
    FAIL();
  } catch (const CollectiveError& e) {
    EXPECT_STREQ(e.what(), "from 0");
  }
}

TEST(Communicator, TheLargestOfAllRanksIsInfiniteWhenOneHasNoNumber) {
  const Communicator comm(MPI_COMM_WORLD);
  for (Index lost = 0; lost < comm.size(); ++lost) {
    const double mine = comm.rank() == lost ? std::numeric_limits<double>::quiet_NaN() : double(comm.rank());
    EXPECT_EQ(comm.max(mine), std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(comm.max(double(comm.rank())), comm.size() - 1);
}

TEST(Communicator, MemoryFailuresCarryARemedy) {
  const Communicator comm(MPI_COMM_WORLD);
  try {
    agree_on_error(comm, [] { throw std::bad_alloc(); });
    FAIL();
  } catch (const CollectiveError& e) {
    EXPECT_EQ(e.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(e.what()).find("remedy"), std::string::npos);
  }
}

TEST(Communicator, CollectivelyReturnsEachRanksOwnResult) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_EQ(agree_on_error(comm, [&] { return comm.rank(); }), comm.rank());
}

TEST(Communicator, BroadcastsVectorsOfAnySize) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const std::size_t size : {0u, 1u, 1000u}) {
    std::vector<int> values(comm.rank() == 0 ? size : 7);
    if (comm.rank() == 0) std::iota(values.begin(), values.end(), 3);
    comm.broadcast(values);
    ASSERT_EQ(values.size(), size);
    if (size > 0) EXPECT_EQ(values.back(), int(size) + 2);
  }
}

TEST(Communicator, GathersOnTheRoot) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto all = comm.gather(comm.rank() * 10);
  if (comm.rank() != 0) {
    EXPECT_TRUE(all.empty());
    return;
  }
  for (Index r = 0; r < comm.size(); ++r) EXPECT_EQ(all[usize(r)], r * 10);
}

TEST(Communicator, IsOneThatTheRankIsIn) {
  EXPECT_THROW(Communicator comm(MPI_COMM_NULL), Error);
}

// Without a message: MPI works in no child.
TEST(Communicator, AForkedChildIsTold) {
  const Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1) GTEST_SKIP() << "one rank needs no MPI";
  if (comm.rank() == 0) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        agree_on_error(comm, [] {});
      } catch (const Error& error) {
        _exit(error.kind() == ErrorKind::usage && !comm.may_communicate() && !comm.revoked() ? 0 : 1);
      }
      _exit(2);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(comm.max(Offset{comm.rank()}), comm.size() - 1);
}

// OMP_NUM_THREADS, as other libraries heed it; what is no number is none.
TEST(Processors, OfARankAreAsManyAsTheEnvironmentAllows) {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before != nullptr ? before : "";
  unsetenv("OMP_NUM_THREADS");
  const int all = processors_of_each(1);
  EXPECT_GE(all, 1);
  EXPECT_EQ(processors_of_each(1 << 20), 1);
  using Case = std::pair<const char*, int>;
  for (const auto& [limit, processors] :
       {Case("1", 1), Case("1,4", 1), Case("1048576", all), Case("0", all), Case("all", all)}) {
    setenv("OMP_NUM_THREADS", limit, 1);
    EXPECT_EQ(processors_of_each(1), processors) << limit;
  }
  before != nullptr ? setenv("OMP_NUM_THREADS", kept.c_str(), 1) : unsetenv("OMP_NUM_THREADS");
}

// As launchers bind ranks, and taskset.
TEST(Processors, OfARankAreThoseThatItIsBoundTo) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(own_processors(), CPU_COUNT(&all));
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(own_processors(), 1);
  EXPECT_EQ(processors_of_each(1), 1);
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

}  // namespace
}  // namespace trisweep::mpi
