// Factors of low precision as the preconditioner of a Krylov method.

#include <gtest/gtest.h>

#include "gallery/gallery.hpp"
#include "support/solver.hpp"
#include "trisweep/krylov/distributed_matrix.hpp"
#include "trisweep/krylov/methods.hpp"

namespace trisweep::solve {
namespace {

template <Scalar T, Scalar F>
void expect_solved_by_bicgstab(const matrix::Csr<T>& a) {
  const auto low =
      std::make_shared<const Factorization<F>>(factor<F>(a, std::make_shared<const Analysis>(analyze(a))));
  const Index nrhs = 3, ranks = testing_support::world_size();
  TriangularSolver<T> solver(MPI_COMM_WORLD, low, {.grid = distribution::square_grid(ranks)});
  krylov::DistributedMatrix<T> matrix(MPI_COMM_WORLD, &a, solver.partition());
  const auto multiply = [&](Vectors<const T> x, Vectors<T> y) {
    matrix.apply(Op::none, x, y, solver.pool());
  };
  const auto precondition = [&](Vectors<const T> x, Vectors<T> y) { solver.solve(Op::none, x, y); };

  const Index rows = matrix.local_rows(), first = matrix.partition().first(matrix.comm().rank());
  std::vector<T> truth, b;
  for (Index c = 0; c < nrhs; ++c) {
    const auto x = testing_support::random_vector<T>(usize(a.rows()), 7 + usize(c));
    std::vector<T> whole(usize(a.rows()));
    matrix::multiply<T>(a, Op::none, x, whole);
    truth.insert(truth.end(), x.begin() + first, x.begin() + first + rows);
    b.insert(b.end(), whole.begin() + first, whole.begin() + first + rows);
  }
  std::vector<T> x(b.size());
  const auto results =
      krylov::bicgstab<T>({matrix.comm(), solver.pool()}, {multiply, precondition}, {b.data(), rows, nrhs},
                          {x.data(), rows, nrhs}, {.tolerance = 1e-13});
  for (const auto& result : results) {
    EXPECT_EQ(result.outcome, krylov::Outcome::converged);
    EXPECT_LE(result.iterations, 6);
    EXPECT_LE(result.residual, 1e-13);
  }
  EXPECT_LT(matrix.comm().max(testing_support::largest_difference(x, truth)), 1e-10);
}

TEST(Preconditioner, OfRealSystems) {
  expect_solved_by_bicgstab<double, Single<double>>(
      std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 8})));
}

TEST(Preconditioner, OfComplexIndefiniteSystems) {
  using T = std::complex<double>;
  expect_solved_by_bicgstab<T, Single<T>>(
      std::get<matrix::Csr<T>>(gallery::make_matrix("maxwell3d", {.n = 4, .complex = true})));
}

}  // namespace
}  // namespace trisweep::solve
