#include "trisweep/solve/iterative_solver.hpp"

#include <gmock/gmock.h>

#include "gallery/gallery.hpp"
#include "support/collective_error.hpp"
#include "support/solver.hpp"
#include "trisweep/core/error.hpp"

namespace trisweep::solve {
namespace {

template <Scalar T>
struct IterativeSystem {
  matrix::Csr<T> a;
  Op op;

  // x and b of these rows, by column.
  std::pair<std::vector<T>, std::vector<T>> part(const distribution::RowPartition& partition,
                                                 Index nrhs) const {
    const Index rank = testing_support::world_rank();
    const auto first = partition.first(rank), end = first + partition.count(rank);
    std::pair<std::vector<T>, std::vector<T>> part;
    for (Index c = 0; c < nrhs; ++c) {
      const auto x = testing_support::random_vector<T>(usize(a.rows()), 3 + usize(c));
      std::vector<T> b(usize(a.rows()));
      matrix::multiply<T>(a, op, x, b);
      part.first.insert(part.first.end(), x.begin() + first, x.begin() + end);
      part.second.insert(part.second.end(), b.begin() + first, b.begin() + end);
    }
    return part;
  }
  BlockRows<T> rows() const {
    return dealt_out(MPI_COMM_WORLD, testing_support::world_rank() == 0 ? a : matrix::Csr<T>());
  }
};

template <Scalar T>
void expect_solved_with_every_preconditioner(const IterativeSystem<T>& system) {
  constexpr Index nrhs = 2;
  for (const auto& [name, description, kind] : preconditioners()) {
    testing_support::show_life();
    IterativeSolver<T> solver(MPI_COMM_WORLD, system.rows(),
                              {.preconditioning = kind,
                               .op = system.op,
                               .nrhs = nrhs,
                               .krylov = {.tolerance = 1e-11, .max_iterations = 500}});
    const auto [truth, b] = system.part(solver.partition(), nrhs);
    const Index rows = solver.partition().count(testing_support::world_rank());
    std::vector<T> x(b.size());
    const IterativeResult result = solver.solve({b.data(), rows, nrhs}, {x.data(), rows, nrhs});
    EXPECT_TRUE(result.solved()) << name;
    EXPECT_LE(result.worst.residual, 1e-11) << name;
    EXPECT_LT(testing_support::largest_difference(x, truth), 1e-6) << name;
    EXPECT_EQ(solver.factors() != nullptr, kind == Preconditioning::lu);
    EXPECT_EQ(solver.incomplete_nonzeros() > 0,
              kind == Preconditioning::ilu0 || kind == Preconditioning::ilut);
    if (kind == Preconditioning::lu) EXPECT_LE(result.iterations, 2);
  }
}

TEST(IterativeSolver, SolvesTransposedSystemsWithEveryPreconditioner) {
  expect_solved_with_every_preconditioner<double>(
      {std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 6})), Op::transpose});
}

TEST(IterativeSolver, SolvesComplexSystemsWithEveryPreconditioner) {
  using T = std::complex<double>;
  const auto real = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 4}));
  auto a = matrix::convert<T>(real);
  for (T& value : a.value) value *= T(0.6, 0.8);
  expect_solved_with_every_preconditioner<T>({a, Op::conjugate_transpose});
}

TEST(IterativeSolver, TakesRowsInTheCallersOrderAsSolversDo) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 5}));
  const auto rows = testing_support::scattered_rows<double>(a.rows());
  const auto truth = testing_support::random_vector<double>(usize(a.rows()), 3);
  std::vector<double> whole(truth.size());
  matrix::multiply<double>(a, Op::none, truth, whole);
  const auto own = [&](const std::vector<double>& of) {
    std::vector<double> part;
    for (const Index row : rows.number) part.push_back(of[usize(row)]);
    return part;
  };
  const std::vector<double> b = own(whole), expected = own(truth);
  for (const auto& [name, description, kind] : preconditioners()) {
    IterativeSolver<double> solver(MPI_COMM_WORLD, rows.of(a, true),
                                   {.preconditioning = kind, .krylov = {.tolerance = 1e-11}});
    std::vector<double> x(b.size());
    EXPECT_TRUE(solver.solve(b, x).solved()) << name;
    EXPECT_LT(testing_support::largest_difference(x, expected), 1e-6) << name;
    auto not_finite = rows.of(a, true);
    if (testing_support::world_rank() == 0) not_finite.a.value[0] = std::nan("");
    EXPECT_THROW(IterativeSolver<double>(MPI_COMM_WORLD, not_finite, {.preconditioning = kind}), Error)
        << name;
  }
}

// Rows in units of which the 2-norm of a residual sees nothing.
TEST(IterativeSolver, AnEquationInSmallUnitsIsSeen) {
  matrix::Csr<double> a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 6}));
  for (Index i = 0; i < a.rows() / 2; ++i)
    for (const Offset e : a.pattern.entries(i)) a.value[usize(e)] *= 1e-14;
  const IterativeSystem<double> system{a, Op::none};
  IterativeSolver<double> solver(
      MPI_COMM_WORLD, system.rows(),
      {.preconditioning = Preconditioning::none, .krylov = {.tolerance = 1e-6, .max_iterations = 500}});
  const auto b = system.part(solver.partition(), 1).second;
  std::vector<double> x(b.size());
  const IterativeResult result = solver.solve(b, x);
  EXPECT_FALSE(result.every_equation);
  EXPECT_FALSE(result.solved());
}

TEST(IterativeSolver, WhatItCannotDoIsSaidOnEveryRank) {
  const IterativeSystem<double> system{std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 6})),
                                       Op::none};
  EXPECT_THROW(IterativeSolver<double>(MPI_COMM_WORLD, system.rows(), {.method = "none-such"}), Error);
  auto numbered = system.rows();
  numbered.number.assign(usize(numbered.a.rows()), 0);
  numbered.number.push_back(0);
  EXPECT_THROW(IterativeSolver<double>(MPI_COMM_WORLD, numbered, {}), Error);
  EXPECT_THROW(IterativeSolver<double>(MPI_COMM_WORLD, system.rows(), {.nrhs = 0}), Error);
  IterativeSolver<double> solver(MPI_COMM_WORLD, system.rows(), {.nrhs = 2});
  const Index rows = solver.partition().count(testing_support::world_rank());
  std::vector<double> b(3 * usize(rows), 1.0), x(b.size());
  EXPECT_THROW(solver.solve({b.data(), rows, 3}, {x.data(), rows, 3}), Error);
}

TEST(IterativeSolver, RanksThatDifferAreTold) {
  const Index ranks = testing_support::world_size();
  if (ranks == 1) GTEST_SKIP();
  const IterativeSystem<double> system{std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 6})),
                                       Op::none};
  const auto refused = [&](void (*change)(IterativeOptions&)) {
    IterativeOptions options;
    if (testing_support::world_rank() == ranks - 1) change(options);
    return testing_support::collective_error_of(
        ErrorKind::usage, [&] { IterativeSolver<double>(MPI_COMM_WORLD, system.rows(), options); });
  };
  EXPECT_THAT(refused([](IterativeOptions& o) { o.method = "gmres"; }), testing::HasSubstr("method"));
  EXPECT_THAT(refused([](IterativeOptions& o) { o.op = Op::transpose; }), testing::HasSubstr("op"));
  EXPECT_THAT(refused([](IterativeOptions& o) { o.preconditioning = Preconditioning::none; }),
              testing::HasSubstr("preconditioner"));
  EXPECT_THAT(refused([](IterativeOptions& o) { o.krylov.tolerance = 1; }), testing::HasSubstr("tolerance"));
  IterativeSolver<double> solver(MPI_COMM_WORLD, system.rows(), {.nrhs = 2});
  const Index rows = solver.partition().count(testing_support::world_rank());
  const Index cols = testing_support::world_rank() == 0 ? 1 : 2;
  std::vector<double> b(2 * usize(rows), 1.0), x(b.size());
  EXPECT_THAT(
      testing_support::collective_error_of(ErrorKind::usage,
                                           [&] {
                                             solver.solve({b.data(), rows, cols}, {x.data(), rows, cols});
                                           }),
      testing::HasSubstr("nrhs"));
}

// Each cycle leaves some nine tenths of the residual.
TEST(IterativeSolver, ShortCyclesOfGmresGoOnAsLongAsTheyHelp) {
  const IterativeSystem<double> system{std::get<matrix::Csr<double>>(gallery::make_matrix("s2d9", {.n = 16})),
                                       Op::none};
  IterativeSolver<double> solver(MPI_COMM_WORLD, system.rows(),
                                 {.method = "gmres",
                                  .preconditioning = Preconditioning::none,
                                  .krylov = {.tolerance = 1e-6, .max_iterations = 5000, .restart = 4}});
  const auto b = system.part(solver.partition(), 1).second;
  std::vector<double> x(b.size());
  const IterativeResult result = solver.solve(b, x);
  EXPECT_TRUE(result.converged);
  EXPECT_GT(result.iterations, 40);
}

}  // namespace
}  // namespace trisweep::solve
