#include "trisweep/mpi/counts.hpp"

#include <gtest/gtest.h>

namespace trisweep::mpi {
namespace {

TEST(Counts, AreThoseOfMpiOrAnError) {
  constexpr Offset most = 2147483647;
  EXPECT_EQ(counted(0), 0);
  EXPECT_EQ(counted(most), most);
  EXPECT_THROW(static_cast<void>(counted(most + 1)), Error);
  EXPECT_THROW(static_cast<void>(counted(Offset{1} << 33)), Error);
}

}  // namespace
}  // namespace trisweep::mpi
