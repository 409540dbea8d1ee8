// Programs of all PEs in one process, against the factors themselves.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device/variants.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"
#include "support/structure.hpp"
#include "support/watchdog.hpp"

namespace trisweep::device {
namespace {

using distribution::ProcessGrid;
using testing_support::largest_difference;
using testing_support::largest_magnitude;
using testing_support::LateBlock;
using testing_support::MadeUpFactors;
using testing_support::Programs;
using testing_support::random_structure;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::Variant;
using testing_support::variants;
using testing_support::VirtualPes;

constexpr std::array ops{Op::none, Op::transpose, Op::conjugate_transpose};

// Errors of the largest entry, in units of the precision.
template <Scalar T>
double error(const std::vector<T>& x, const std::vector<T>& expected) {
  return largest_difference(x, expected) / largest_magnitude(expected) /
         double(std::numeric_limits<RealOf<T>>::epsilon());
}

template <Scalar T>
std::vector<T> solved(const MadeUpFactors<T>& factors, Op op, const std::vector<T>& b, Index nrhs) {
  std::vector<T> x;
  const auto n = std::ssize(b) / nrhs;
  for (auto column = b.begin(); column != b.end(); column += n) {
    const auto one = factors.solve(op, {column, column + n});
    x.insert(x.end(), one.begin(), one.end());
  }
  return x;
}

// With 1 to `most` workers of each PE, whose sums are the same. One alone shows whether the order of the
// items is one of all PEs; the others are late at random.
template <Scalar T>
void expect_solves(const Programs& programs, const MadeUpFactors<T>& factors, Op op, Index nrhs, int most) {
  const auto b = random_vector<T>(usize(programs.distribution.structure->n) * usize(nrhs), 3);
  const auto expected = solved(factors, op, b, nrhs);
  std::vector<T> first;
  for (int workers = 1; workers <= most; ++workers) {
    SCOPED_TRACE(fmt::format("op {} nrhs {} workers {}", char(op), nrhs, workers));
    show_life();
    VirtualPes<T> pes(programs, factors, workers, nrhs);
    const auto late = [&](int pe, int worker) { return LateBlock(usize(workers), 8 * pe + worker); };
    const auto x = pes.solve(b, nrhs, late);
    EXPECT_LT(error(x, expected), 100);
    if (first.empty()) first = x;
    EXPECT_EQ(x, first);
  }
}

// Each with the next op; hermitian ones, whose upper factor is the lower one, with a single right-hand side.
TEST(DeviceSolveThreads, EveryVariantSolvesOnOneToFourPes) {
  std::size_t turn = 0;
  for (const int whole_levels : {0, 3}) {
    const auto structure = random_structure(60, 2, 3, whole_levels);
    for (const ProcessGrid grid :
         {ProcessGrid{1, 1, 1}, {1, 2, 1}, {3, 1, 1}, {2, 2, 1}, {1, 1, 4}, {2, 1, 2}, {1, 2, 2}}) {
      for (const Variant& variant : variants(grid)) {
        SCOPED_TRACE(variant.name);
        const bool hermitian = ++turn % 2 == 1;
        const Op op = ops[turn % 3];
        const Programs programs(structure, grid, variant, op, hermitian);
        expect_solves<double>(programs, {*programs.distribution.structure, hermitian}, op, hermitian ? 1 : 13,
                              3);
      }
    }
  }
}

// As published (SC'23, Algorithm 4), but for the order of sums.
TEST(DeviceSolveThreads, ATaskForEachSupernodeSolvesAsWell) {
  const auto structure = random_structure(120, 2, 8, 0);
  for (const ProcessGrid grid : {ProcessGrid{1, 1, 1}, {2, 1, 1}, {1, 1, 2}}) {
    for (const Op op : ops) {
      const Programs programs(structure, grid, {"default"}, op, false, {.width = 256, .least = 256},
                              plan::grain_of_supernodes);
      const MadeUpFactors<double> factors(*programs.distribution.structure, false);
      const auto b = random_vector<double>(usize(structure.n), 3);
      VirtualPes<double> pes(programs, factors, 2, 1);
      const auto late = [](int pe, int worker) { return LateBlock(1, 8 * pe + worker); };
      EXPECT_LT(error(pes.solve(b, 1, late), factors.solve(op, b)), 100) << grid.name() << char(op);
    }
  }
}

template <class T>
class DeviceScalars : public testing::Test {};
TYPED_TEST_SUITE(DeviceScalars, testing_support::Scalars);

TYPED_TEST(DeviceScalars, SolveEveryOp) {
  for (const bool hermitian : {false, true}) {
    for (const int whole_levels : {0, 2}) {
      const auto structure = random_structure(120, 2, 8, whole_levels);
      for (const Op op : ops) {
        const Programs programs(structure, {2, 1, 1}, {"default"}, op, hermitian);
        const MadeUpFactors<TypeParam> factors(*programs.distribution.structure, hermitian);
        for (const Index nrhs : {13, 1}) expect_solves(programs, factors, op, nrhs, 2);
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::device
