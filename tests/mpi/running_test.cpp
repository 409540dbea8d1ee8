#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {
namespace {

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

// What is refused before MPI runs, and after.
void start_and_finalize_mpi() {
  EXPECT_THAT(refusal([] { Communicator comm(MPI_COMM_SELF); }), testing::HasSubstr("call MPI_Init"));
  MPI_Init(nullptr, nullptr);
  const Communicator comm(MPI_COMM_SELF);
  EXPECT_EQ(comm.max(Offset{1}), 1);
  MPI_Finalize();
  EXPECT_THAT(refusal([&] { revoke_on_error(comm, [&] { comm.max(1.0); }); }),
              testing::HasSubstr("MPI is finalized"));
  EXPECT_FALSE(comm.revoked());
  EXPECT_THAT(refusal([] { Communicator other(MPI_COMM_SELF); }), testing::HasSubstr("MPI is finalized"));
}

// In a process of its own, which ends without the search for leaks: Open MPI leaves some. Other tests of this
// program stay without MPI.
TEST(Communicator, IsRefusedWhereMpiDoesNotRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        start_and_finalize_mpi();
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace trisweep::mpi
