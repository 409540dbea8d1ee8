#include "trisweep/krylov/gmres.hpp"

#include <gtest/gtest.h>

#include "support/distributed_rows.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"

namespace trisweep::krylov {
namespace {

using testing_support::in_columns;
using testing_support::own_rows;
using testing_support::random_vector;

template <class T>
class GmresTest : public testing::Test {};
TYPED_TEST_SUITE(GmresTest, testing_support::Scalars);

constexpr Index n = 24;

// A d = r without a preconditioner, all columns at once.
template <Scalar T>
class System {
 public:
  System() : matrix_(MPI_COMM_WORLD, &a_, partition_) {}

  std::vector<T> solve(const std::vector<T>& whole, int threads, const GmresOptions& options) {
    ThreadPool pool(threads);
    const auto r = own_rows(partition_, comm_.rank(), whole);
    std::vector<T> d(r.size(), T(77));
    const auto multiply = [&](Vectors<const T> x, Vectors<T> y) { matrix_.apply(Op::none, x, y, pool); };
    const Identity identity;
    const Index rows = matrix_.local_rows(), cols = static_cast<Index>(whole.size()) / n;
    gmres<T>({comm_, pool}, {multiply, identity}, in_columns(r, rows, cols), in_columns(d, rows, cols),
             options);
    return d;
  }

  double residual(const std::vector<T>& whole, const std::vector<T>& d) {
    ThreadPool pool(1);
    const Index rows = matrix_.local_rows(), cols = static_cast<Index>(whole.size()) / n;
    const auto r = own_rows(partition_, comm_.rank(), whole);
    std::vector<T> left(r.size());
    matrix_.residual(Op::none, in_columns(d, rows, cols), in_columns(r, rows, cols),
                     in_columns(left, rows, cols), pool);
    return comm_.max(testing_support::largest_magnitude(left));
  }

 private:
  const mpi::Communicator comm_{MPI_COMM_WORLD};
  const matrix::Csr<T> a_ = testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 2});
  const distribution::RowPartition partition_ = distribution::even_partition(n, comm_.size());
  DistributedMatrix<T> matrix_;
};

// Without help from a preconditioner GMRES still solves in as many steps as there are unknowns.
TYPED_TEST(GmresTest, SolvesInAsManyStepsAsUnknowns) {
  using T = TypeParam;
  System<T> system;
  for (const Index cols : {1, 3}) {
    const auto r = random_vector<T>(usize(n * cols), 9);
    EXPECT_LT(system.residual(r, system.solve(r, 1, {.steps = n})),
              100 * std::numeric_limits<RealOf<T>>::epsilon());
  }
}

// Each column has a space of its own, and stops by itself: the others are those of a run without it.
TYPED_TEST(GmresTest, ColumnsAndThreadsDoNotMatterToOneAnother) {
  using T = TypeParam;
  System<T> system;
  const auto first = random_vector<T>(n, 9), last = random_vector<T>(n, 10);
  std::vector<T> all = first;
  all.resize(2 * usize(n));  // zero, solved at once
  all.insert(all.end(), usize(n), T(std::numeric_limits<RealOf<T>>::infinity()));
  all.insert(all.end(), last.begin(), last.end());
  const GmresOptions options{.steps = n, .reduction = 1e-3};
  const auto together = system.solve(all, 3, options);
  const std::size_t rows = together.size() / 4;
  const auto column = [&](std::size_t c) {
    return std::vector<T>(together.begin() + std::ptrdiff_t(c * rows),
                          together.begin() + std::ptrdiff_t((c + 1) * rows));
  };
  const double tolerance = 100 * std::numeric_limits<RealOf<T>>::epsilon();
  EXPECT_LT(testing_support::largest_difference(column(0), system.solve(first, 1, options)), tolerance);
  EXPECT_EQ(column(1), std::vector<T>(rows));
  EXPECT_EQ(column(2), std::vector<T>(rows));
  EXPECT_LT(testing_support::largest_difference(column(3), system.solve(last, 1, options)), tolerance);
  EXPECT_LT(system.residual(last, column(3)), 1e-2);
}

}  // namespace
}  // namespace trisweep::krylov
