// Communicators of objects, one after the other and side by side: how many there are, and what they cost.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "support/left_windows.hpp"
#include "support/solver.hpp"
#include "support/watchdog.hpp"

namespace {

int communicators = 0;  // that were made here and not freed
int messages = 0;       // sent here

}  // namespace

extern "C" int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  ++communicators;
  return PMPI_Comm_dup_with_info(comm, info, made);
}
extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  ++communicators;
  return PMPI_Comm_split_type(comm, type, key, info, made);
}
extern "C" int MPI_Comm_free(MPI_Comm* comm) {
  --communicators;
  return PMPI_Comm_free(comm);
}
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  ++messages;
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

namespace trisweep::mpi {
namespace {

using testing_support::world_rank;
using testing_support::world_size;

// As Python's collector destroys objects: in another order on each rank, without waiting for other ranks.
TEST(CommunicatorPool, ObjectsAreDestroyedInAnyOrder) {
  constexpr int alive = 64;
  int most = 0;
  for (int round = 0; round < 5; ++round) {
    testing_support::show_life();
    std::vector<Communicator> made;
    for (int i = 0; i < alive; ++i) made.emplace_back(MPI_COMM_WORLD);
    for (std::size_t i = 0; i < made.size(); ++i)
      ASSERT_EQ(made[i].max(Offset{world_rank()} + Offset(i)), world_size() - 1 + Offset(i));
    if (round == 0) most = communicators;
    EXPECT_EQ(communicators, most);
    const auto rotated = made.begin() + (world_rank() + round) % alive;
    std::ranges::rotate(made, rotated);
    while (made.size() > usize(world_rank() % 3)) made.pop_back();
  }
}

TEST(CommunicatorPool, NoMessageIsTakenForOneOfAnotherObject) {
  const Index next = (world_rank() + 1) % world_size(),
              last = (world_rank() + world_size() - 1) % world_size();
  for (int round = 0; round < 100; ++round) {
    const Communicator first(MPI_COMM_WORLD), second(MPI_COMM_WORLD);
    const auto swap = [&](const Communicator& comm, int value) {
      int got = -1;
      MPI_Request request;
      PMPI_Isend(&value, 1, MPI_INT, next, 0, comm.handle(), &request);
      comm.receive_bytes(&got, sizeof got, last, Tag{});
      comm.finish(request);
      return got;
    };
    EXPECT_EQ(swap(second, 2 * round + 1), 2 * round + 1);
    EXPECT_EQ(swap(first, 2 * round), 2 * round);
  }
}

// What the caller frees takes those with it that were made for it.
TEST(CommunicatorPool, EndsWithTheCallersCommunicator) {
  const int before = communicators;
  for (int round = 0; round < 3; ++round) {
    MPI_Comm callers = MPI_COMM_NULL;
    PMPI_Comm_dup(MPI_COMM_WORLD, &callers);
    {
      const Communicator comm(callers);
      const Communicator node = comm.of_node(), again = comm.of_node();
      EXPECT_EQ(node.size(), again.size());
      PMPI_Comm_free(&callers);
      EXPECT_EQ(comm.max(Offset{world_rank()}), world_size() - 1);
    }
    EXPECT_EQ(communicators, before);
  }
}

// Of objects that are destroyed locally: MPICH ends MPI_Finalize by an assertion where a window is left.
TEST(CommunicatorPool, WindowsThatAreLeftAreFreedByAllRanksTogether) {
  const int before = testing_support::windows();
  MPI_Comm callers = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &callers);
  const auto leave_window = [&] {
    const Communicator comm(callers);
    MPI_Win window = MPI_WIN_NULL;
    void* base = nullptr;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm.handle(), &base, &window);
    MPI_Win_lock_all(0, window);
    comm.keep(window);
    comm.destroy_locally();
  };
  leave_window();
  EXPECT_EQ(testing_support::windows(), before + 1);
  leave_window();  // on the same communicator
  EXPECT_EQ(testing_support::windows(), before + 1);
  PMPI_Comm_free(&callers);
  EXPECT_EQ(testing_support::windows(), before);
}

TEST(CommunicatorPool, OneThatHasFailedIsNotUsedAgain) {
  const int before = communicators;
  MPI_Comm of_failed = MPI_COMM_NULL;
  {
    const Communicator comm(MPI_COMM_WORLD);
    of_failed = comm.handle();
    EXPECT_THROW(revoke_on_error(comm, [&]() -> void { throw Error(ErrorKind::numerical, "no pivot"); }),
                 Error);
  }
  const Communicator next(MPI_COMM_WORLD), after(MPI_COMM_WORLD);
  EXPECT_NE(next.handle(), of_failed);
  EXPECT_NE(after.handle(), of_failed);
  EXPECT_LE(communicators, before + 2);
}

TEST(CommunicatorPool, CommunicatorsOfTwoGroupsAreRefused) {
  if (world_size() == 1) GTEST_SKIP() << "one rank is one group";
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  const int side = world_rank() == 0 ? 0 : 1;
  PMPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &between);
  EXPECT_THROW(Communicator{between}, CollectiveError);
  PMPI_Comm_free(&between);
  PMPI_Comm_free(&half);
}

// Its own handler would end the program.
TEST(CommunicatorPool, TheCallersErrorHandlerStays) {
  MPI_Comm callers = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &callers);
  MPI_Comm_set_errhandler(callers, MPI_ERRORS_ARE_FATAL);
  { const Communicator comm(callers); }
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(callers, &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
  PMPI_Comm_free(&callers);
}

TEST(ConditionalCollective, TakesLogarithmicallyManyMessages) {
  const Communicator comm(MPI_COMM_WORLD);
  const int rounds = std::bit_width(unsigned(comm.size()) - 1);
  for (int call = 0; call < 50; ++call) {
    if (call % 3 == 0) {
      comm.skip_conditional();
      continue;
    }
    messages = 0;
    comm.conditional_barrier();
    EXPECT_EQ(messages, rounds);
  }
}

// A rank that waits is told that another rank is in another call, whichever rank that is.
TEST(ConditionalCollective, RanksInDifferentCallsAllHearOfIt) {
  if (world_size() == 1) GTEST_SKIP() << "one rank differs from nobody";
  for (Index alone = 0; alone < world_size(); ++alone) {
    for (const bool alone_enters : {true, false}) {
      testing_support::show_life();
      const Communicator comm(MPI_COMM_WORLD);
      comm.conditional_barrier();
      comm.skip_conditional();
      const bool enters = (world_rank() == alone) == alone_enters;
      EXPECT_THROW(revoke_on_error(comm,
                                   [&] {
                                     if (enters) return comm.conditional_barrier();
                                     comm.skip_conditional();
                                     agree_on_error(comm, [] {});  // as a solve that waits for the others
                                   }),
                   Error);
    }
  }
}

}  // namespace
}  // namespace trisweep::mpi
