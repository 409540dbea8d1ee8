// What a program does once at its start, for the whole suite.

#include <gtest/gtest.h>

#include "trisweep/numeric/blas_threads.hpp"

namespace trisweep::numeric {
namespace {

class OneBlasThread : public ::testing::Environment {
 public:
  void SetUp() override { use_one_blas_thread(); }
};

[[maybe_unused]] const auto* const environment = ::testing::AddGlobalTestEnvironment(new OneBlasThread);

}  // namespace
}  // namespace trisweep::numeric
