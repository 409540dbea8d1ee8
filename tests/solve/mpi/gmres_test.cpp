#include "trisweep/krylov/gmres.hpp"

#include <gtest/gtest.h>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"

namespace trisweep::solve {
namespace {

template <class T>
class GmresTest : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GmresTest, Scalars);

// Without help from a preconditioner GMRES still solves in as many steps as there are unknowns.
TYPED_TEST(GmresTest, SolvesInAsManyStepsAsUnknowns) {
  using T = TypeParam;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr Index n = 24;
  const auto a = testing_support::random_matrix<T>({.n = n, .per_row = 4, .seed = 2});
  krylov::DistributedMatrix<T> distributed(MPI_COMM_WORLD, &a, distribution::even_partition(n, ranks));
  Crew crew(1);
  const auto& comm = distributed.comm();
  const Index rows = distributed.local_rows();
  const auto whole = testing_support::random_vector<T>(usize(n), 9);
  const auto first = whole.begin() + distributed.partition().first(comm.rank());
  const std::vector<T> r(first, first + rows), zero(usize(rows));
  const krylov::InPlaceProduct<T> multiply = [&](std::span<T> v) {
    const std::vector<T> x(v.begin(), v.end());
    distributed.residual(Op::none, {x.data(), rows, 1}, {zero.data(), rows, 1}, {v.data(), rows, 1}, crew);
    for (T& value : v) value = -value;
  };
  const auto d = krylov::gmres<T>(
      comm, multiply, [](std::span<T>) {}, r, n, 0.0);
  std::vector<T> left(usize(rows));
  distributed.residual(Op::none, {d.data(), rows, 1}, {r.data(), rows, 1}, {left.data(), rows, 1}, crew);
  EXPECT_LT(comm.max(testing_support::largest_magnitude(left)),
            100 * std::numeric_limits<RealOf<T>>::epsilon());
}

TEST(Gmres, LeavesAZeroOrInfiniteResidualAlone) {
  const transport::Communicator comm(MPI_COMM_WORLD);
  const krylov::InPlaceProduct<double> identity = [](std::span<double>) {};
  for (const double value : {0.0, std::numeric_limits<double>::infinity()}) {
    const std::vector<double> r(3, value);
    EXPECT_EQ(krylov::gmres<double>(comm, identity, identity, r, 5, 0.0), std::vector<double>(3, 0.0));
  }
}

}  // namespace
}  // namespace trisweep::solve
