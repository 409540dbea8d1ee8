// The designs for several PEs on GPUs, or on one as virtual PEs, against their equations.

#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "studies/pes/device_pes.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"
#include "trisweep/sptrsv/backward_error.hpp"

namespace trisweep::studies {
namespace {

using testing_support::pe_systems;
using testing_support::random_vector;
using testing_support::show_life;

template <class T>
class GpuDesignsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (backend::runtime(backend::Device::TRISWEEP_GPU_KIND).count() == 0)
      GTEST_SKIP() << "no GPU: what it would compute is not tested";
  }
};
TYPED_TEST_SUITE(GpuDesignsTest, testing_support::Scalars);
template <class T>
class GpuDesignsTestThreads : public GpuDesignsTest<T> {};
TYPED_TEST_SUITE(GpuDesignsTestThreads, testing_support::DoubleScalars);

template <class T>
void expect_solves(const sptrsv::LowerSystem<T>& system, const NamedDesign& design, int pes) {
  show_life();
  DevicePes<T> solver(system, design,
                      {.device = backend::Device::TRISWEEP_GPU_KIND, .layout = {.pes = pes, .tasks = 8}});
  const Index nrhs = 2, n = system.rows();
  const auto b = random_vector<T>(usize(n) * usize(nrhs), 3);
  std::vector<T> x(b.size());
  const PeCounts counts = solver.solve({b.data(), n, nrhs}, {x.data(), n, nrhs}).total();
  EXPECT_EQ(counts.rows, n * nrhs);
  EXPECT_EQ(counts.entries, system.below.nonzeros() * nrhs);
  EXPECT_LT(backward_error<T>(system, {b.data(), n, nrhs}, {x.data(), n, nrhs}),
            100 * std::numeric_limits<RealOf<T>>::epsilon())
      << design.name << " " << pes;
}

TYPED_TEST(GpuDesignsTest, SolvesByEveryDesign) {
  for (const auto& system : pe_systems<TypeParam>(12))
    for (const NamedDesign& design : designs())
      for (const int pes : {1, 2, 3, 4, 16}) expect_solves(system, design, pes);
}

// Few rows, which the thread sanitizer follows: every design on 1 to 4 PEs, each of another system.
TYPED_TEST(GpuDesignsTestThreads, SolveByEveryDesign) {
  const auto systems = pe_systems<TypeParam>(3);
  for (std::size_t s = 0; s < systems.size(); ++s)
    for (std::size_t d = 0; d < designs().size(); ++d)
      expect_solves(systems[s], designs()[d], 1 + static_cast<int>((s + d) % 4));
}

}  // namespace
}  // namespace trisweep::studies
