// What a program does once at its start, for the whole suite.

#include <gtest/gtest.h>

extern "C" void openblas_set_num_threads(int threads);

namespace trisweep::numeric {
namespace {

class BlasOfOneThread : public ::testing::Environment {
 public:
  void SetUp() override { openblas_set_num_threads(1); }
};

[[maybe_unused]] const auto* const environment = ::testing::AddGlobalTestEnvironment(new BlasOfOneThread);

}  // namespace
}  // namespace trisweep::numeric
