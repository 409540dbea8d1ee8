#include "trisweep/krylov/distributed_matrix.hpp"

#include <gtest/gtest.h>

#include "support/random_matrix.hpp"
#include "trisweep/kernels/line.hpp"
#include "trisweep/solve/rows.hpp"

namespace trisweep::solve {
namespace {

template <class T>
class DistributedMatrixTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(DistributedMatrixTest, Scalars);

// The residuals of all columns on rank 0, vectors being further apart than a rank's rows.
template <Scalar T>
std::vector<T> residuals(krylov::DistributedMatrix<T>& a, Op op, const matrix::Dense<T>& x,
                         const matrix::Dense<T>& b, Crew& crew) {
  const Index rows = a.local_rows(), ld = rows + 3;
  const auto spread = [&](const matrix::Dense<T>& whole) {
    const auto packed = scatter_rows(a.comm(), a.partition(), whole);
    std::vector<T> columns(usize(ld) * usize(x.cols));
    for (Index c = 0; c < x.cols; ++c) std::copy_n(packed.begin() + c * rows, rows, columns.begin() + c * ld);
    return columns;
  };
  const auto xs = spread(x), bs = spread(b);
  std::vector<T> r(xs.size(), T(77));
  a.residual(op, {xs.data(), rows, x.cols, ld}, {bs.data(), rows, x.cols, ld}, {r.data(), rows, x.cols, ld},
             crew);
  std::vector<T> packed(usize(rows) * usize(x.cols));
  for (Index c = 0; c < x.cols; ++c) {
    std::copy_n(r.begin() + c * ld, rows, packed.begin() + c * rows);
    for (Index i = rows; i < ld; ++i) EXPECT_EQ(r[usize(c * ld + i)], T(77)) << "between columns";
  }
  return gather_rows(a.comm(), a.partition(), packed, x.cols).value;
}

// One column, a part of a bundle, a bundle, and more than one; rows that fill no line; any number of threads.
TYPED_TEST(DistributedMatrixTest, ResidualsOnAnyNumberOfThreadsAreThoseOfTheWholeMatrix) {
  using T = TypeParam;
  constexpr Index n = 331, together = kernels::line_rows<T>;
  const auto a = testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 2});
  const transport::Communicator comm(MPI_COMM_WORLD);
  krylov::DistributedMatrix<T> distributed(MPI_COMM_WORLD, comm.rank() == 0 ? &a : nullptr,
                                           distribution::even_partition(n, comm.size()));
  const double tolerance = 200 * std::numeric_limits<RealOf<T>>::epsilon();
  for (const Index nrhs : {Index{1}, Index{3}, together, together + 1, 2 * together + 3}) {
    const matrix::Dense<T> x{n, nrhs, testing_support::random_vector<T>(usize(n * nrhs), 5)};
    const matrix::Dense<T> b{n, nrhs, testing_support::random_vector<T>(usize(n * nrhs), 6)};
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      Crew alone(1), three(3);
      const auto r = residuals(distributed, op, x, b, alone);
      EXPECT_EQ(residuals(distributed, op, x, b, three), r);
      if (comm.rank() != 0) continue;
      std::vector<T> product(usize(n));
      for (Index c = 0; c < nrhs; ++c) {
        matrix::multiply<T>(a, op, std::span(x.value).subspan(usize(c * n), n), product);
        for (Index i = 0; i < n; ++i) {
          const std::size_t at = usize(c * n + i);
          ASSERT_LT(std::abs(r[at] - (b.value[at] - product[usize(i)])), tolerance)
              << "row " << i << " of column " << c << " of " << nrhs << ", op " << static_cast<char>(op);
        }
      }
    }
  }
}

TYPED_TEST(DistributedMatrixTest, NormsAreThoseOfTheWholeMatrix) {
  using T = TypeParam;
  const auto a = testing_support::random_matrix<T>({.n = 50, .per_row = 4, .seed = 3});
  const transport::Communicator comm(MPI_COMM_WORLD);
  const krylov::DistributedMatrix<T> distributed(MPI_COMM_WORLD, comm.rank() == 0 ? &a : nullptr,
                                                 distribution::even_partition(50, comm.size()));
  const double rounding = 50 * std::numeric_limits<RealOf<T>>::epsilon();
  EXPECT_NEAR(distributed.norm_inf(Op::none), matrix::norm_inf(a), rounding * matrix::norm_inf(a));
  EXPECT_NEAR(distributed.norm_inf(Op::transpose), matrix::norm_one(a), rounding * matrix::norm_one(a));
}

}  // namespace
}  // namespace trisweep::solve
