#include <gmock/gmock.h>

#include "trisweep/mpi/communicator.hpp"

namespace trisweep::mpi {
namespace {

// The one test of this program in which MPI runs.
TEST(Communicator, IsRefusedWhereMpiDoesNotRun) {
  const auto message = [](const auto& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message([] { Communicator comm(MPI_COMM_SELF); }), testing::HasSubstr("call MPI_Init"));
  MPI_Init(nullptr, nullptr);
  const Communicator comm(MPI_COMM_SELF);
  EXPECT_EQ(comm.max(Offset{1}), 1);
  MPI_Finalize();
  EXPECT_THAT(message([&] { revoke_on_error(comm, [&] { comm.max(1.0); }); }),
              testing::HasSubstr("MPI is finalized"));
  EXPECT_FALSE(comm.revoked());
  EXPECT_THAT(message([] { Communicator other(MPI_COMM_SELF); }), testing::HasSubstr("MPI is finalized"));
}

}  // namespace
}  // namespace trisweep::mpi
