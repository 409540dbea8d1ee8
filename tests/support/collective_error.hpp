#pragma once
// What calls throw on all ranks.

#include <gtest/gtest.h>

#include <string>

#include "support/watchdog.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::testing_support {

// The message, on every rank alike, with the kind.
template <class Work>
std::string collective_error_of(ErrorKind kind, const Work& work) {
  show_life();
  try {
    work();
  } catch (const mpi::CollectiveError& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

}  // namespace trisweep::testing_support
