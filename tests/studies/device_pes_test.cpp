#include "studies/pes/device_pes.hpp"

#include <gtest/gtest.h>

#include "sptrsv/systems.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/sptrsv/backward_error.hpp"

namespace trisweep::studies {
namespace {

using testing_support::from_gallery;
using testing_support::pe_systems;

template <class T>
class DevicePesTest : public ::testing::Test {};
TYPED_TEST_SUITE(DevicePesTest, testing_support::Scalars);

template <Scalar T>
void expect_solution(const sptrsv::LowerSystem<T>& system, const NamedDesign& design,
                     const DevicePeOptions& options, Index nrhs) {
  testing_support::show_life();
  const auto b = testing_support::random_vector<T>(usize(system.rows()) * usize(nrhs), 5);
  std::vector<T> x(b.size());
  const Vectors<const T> right(b.data(), system.rows(), nrhs);
  DevicePes<T> solver(system, design, options);
  const PeCounts counts = solver.solve(right, {x.data(), system.rows(), nrhs}).total();
  EXPECT_EQ(counts.rows, std::ssize(x));
  EXPECT_EQ(counts.entries, system.below.nonzeros() * nrhs);
  EXPECT_LT(backward_error<T>(system, right, {x.data(), system.rows(), nrhs}),
            100 * std::numeric_limits<RealOf<T>>::epsilon())
      << design.name << " " << options.layout.pes << " " << options.layout.tasks << " " << nrhs;
  EXPECT_TRUE(options.layout.pes > 1 || counts.reads + counts.writes == 0);
}

TYPED_TEST(DevicePesTest, ThreadsSolveByEveryDesign) {
  using T = TypeParam;
  const auto all = pe_systems<T>(5);
  std::size_t turn = 0;
  for (const auto& system : all) {
    for (const NamedDesign& design : designs()) {
      for (const int pes : {1, 2, 3, 4}) {
        for (const int tasks : {1, 4, 8, 16, 32}) {
          const DevicePeOptions options{.threads = 1 + tasks % 2 * (pes % 2),
                                        .layout = {.pes = pes, .tasks = tasks}};
          expect_solution(system, design, options, 1);
          if (&system != &all.front()) continue;  // many right-hand sides with one system or another
          expect_solution(all[turn++ % all.size()], design, options, 32);
        }
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::studies
