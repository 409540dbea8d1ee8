#include <gtest/gtest.h>

#include <limits>

#include "support/every_isa.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/substitution.hpp"

namespace trisweep::numeric {
namespace {

using testing_support::random_vector;

template <class T>
class SolveRightTest : public ::testing::Test {};
TYPED_TEST_SUITE(SolveRightTest, testing_support::Scalars);

// One triangle of a square block; its other triangle is not a number.
template <class T>
struct TriangleFactor {
  std::vector<T> value;
  View<T> view;
  Triangle triangle;
  Op op;
  Diagonal diagonal;

  T operator()(Index i, Index j) const {  // of op(R)
    const Index row = op == Op::none ? i : j, col = op == Op::none ? j : i;
    if (row == col && diagonal == Diagonal::unit) return T(1);
    const bool zero = triangle == Triangle::upper ? row > col : row < col;
    const T entry = zero ? T(0) : view(row, col);
    return op == Op::conjugate_transpose ? conjugate(entry) : entry;
  }
};

template <class T>
TriangleFactor<T> random_factor(Index n, Triangle triangle, Op op, Diagonal diagonal) {
  const Index ld = n + 3;
  TriangleFactor<T> f{random_vector<T>(usize(ld) * usize(n), 1), {}, triangle, op, diagonal};
  f.view = {f.value.data(), n, n, ld};
  const T nan = std::numeric_limits<RealOf<T>>::quiet_NaN();
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < ld; ++i) {
      T& entry = f.value[usize(i) + usize(j) * usize(ld)];
      const bool used = i < n && (triangle == Triangle::upper ? i < j : i > j);
      entry = used ? entry / T(RealOf<T>(n)) : nan;
    }
    if (diagonal == Diagonal::stored) f.view(j, j) = T(RealOf<T>(1.5 + j % 3));
  }
  return f;
}

// x op(R) = b, and what lies between the columns of x is as it was.
template <class T>
void expect_solves(const TriangleFactor<T>& factor, Index rows) {
  const Index n = factor.view.cols, ld = rows + 2;
  const std::vector<T> b = random_vector<T>(usize(ld) * usize(n), 2);
  std::vector<T> x = b;
  solve_right<T>({x.data(), rows, n, ld}, factor.view, factor.triangle, factor.op, factor.diagonal);
  testing_support::Largest error;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < ld; ++i) {
      const std::size_t at = usize(i) + usize(j) * usize(ld);
      T sum = x[at];
      if (i < rows) {
        sum = T(0);
        for (Index k = 0; k < n; ++k) sum += x[usize(i) + usize(k) * usize(ld)] * factor(k, j);
      }
      error.add(double(std::abs(sum - b[at])));
    }
  }
  EXPECT_LT(error.value(), 40 * double(std::numeric_limits<RealOf<T>>::epsilon()))
      << n << " columns, " << rows << " rows";
}

// Narrow triangles and those that are halved, rows that fill vectors and that do not.
TYPED_TEST(SolveRightTest, SolvesWithEitherTriangle) {
  for (const Index n : {1, 2, 9, 32, 33, 71}) {
    for (const Index rows : {0, 1, 3, 15, 70}) {
      for (const Triangle triangle : {Triangle::lower, Triangle::upper})
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose})
          for (const Diagonal diagonal : {Diagonal::unit, Diagonal::stored})
            expect_solves(random_factor<TypeParam>(n, triangle, op, diagonal), rows);
    }
  }
}

// Of each instruction set: the columns in order as substitution.hpp says, forward and backward in memory.
TYPED_TEST(SolveRightTest, SubstitutesOnEveryInstructionSet) {
  using T = TypeParam;
  constexpr Index width = 9, rows = 37, ld = rows + 3;
  const auto c = random_vector<T>(usize(width * width), 3), before = random_vector<T>(usize(ld * width), 4);
  for (const Offset stride : {Offset{ld}, -Offset{ld}}) {
    const std::size_t start = stride > 0 ? 0 : usize(ld * (width - 1));
    const auto at = [&](Index i, Index j) { return usize(Offset(start) + i + j * stride); };
    auto expected = before;
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < rows; ++i) {
        T& x = expected[at(i, j)];
        for (Index k = 0; k < j; ++k) x -= expected[at(i, k)] * c[usize(j * width + k)];
        x *= c[usize(j * width + j)];
      }
    }
    const double limit =
        100 * testing_support::largest_magnitude(expected) * std::numeric_limits<RealOf<T>>::epsilon();
    const auto check = [&](const char* isa, void (*substitute)(const Substitution<T>&)) {
      auto x = before;
      substitute({x.data() + start, stride, rows, width, c.data()});
      EXPECT_LE(testing_support::largest_difference(x, expected), limit) << isa;
    };
#define TRISWEEP_VISIT(isa) TRISWEEP_VISIT_ISA(isa, check, substitute<T>)
    TRISWEEP_FOR_EACH_ISA(TRISWEEP_VISIT)
#undef TRISWEEP_VISIT
  }
}

}  // namespace
}  // namespace trisweep::numeric
