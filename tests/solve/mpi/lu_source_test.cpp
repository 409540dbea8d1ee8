#include "trisweep/solve/lu_source.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::grids_of;
using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::show_life;
using testing_support::world_rank;
using testing_support::world_size;

// Well conditioned once its rows are exchanged and scaled.
template <Scalar T>
matrix::Csr<T> unsymmetric() {
  const auto a = random_matrix<T>({.n = 150, .per_row = 2, .seed = 4});
  std::vector<Index> row_new, col_new;
  std::vector<double> row_scale, one(usize(a.rows()), 1);
  for (Index i = 0; i < a.rows(); ++i) {
    row_new.push_back((7 * i + 3) % a.rows());
    col_new.push_back(i);
    row_scale.push_back(i % 5 == 0 ? 30 : 0.25);
  }
  return matrix::permuted_and_scaled<T>(a, row_new, col_new, row_scale, one);
}

// On every rank the same.
template <Scalar T>
ExplicitFactors<T> factors_of(const matrix::Csr<T>& a) {
  return explicit_factors(factor<T>(a, std::make_shared<const Analysis>(analyze(a))));
}

template <Scalar T>
ExplicitFactors<T> on_rank_0(const matrix::Csr<T>& a) {
  return world_rank() == 0 ? factors_of(a) : ExplicitFactors<T>{};
}

// Each entry on one rank, and no two that belong together on the same.
template <Scalar T>
LuParts<T> scattered_parts(const ExplicitFactors<T>& f) {
  LuParts<T> parts{
      .row_new = f.row_new, .col_new = f.col_new, .row_scale = f.row_scale, .col_scale = f.col_scale};
  parts.for_each_entry = [&f](const typename LuParts<T>::Visit& visit, LuColumns) {
    for (Index i = 0; i < f.u.rows(); ++i) {
      for (const Offset e : f.u.pattern.entries(i)) {
        const Index j = f.u.pattern.col[usize(e)];
        if ((i + j) % world_size() == world_rank()) visit(i, j, f.u.value[usize(e)]);
      }
      for (Offset e = f.l_transposed.pattern.row_ptr[usize(i)];
           e < f.l_transposed.pattern.row_ptr[usize(i) + 1]; ++e) {
        const Index j = f.l_transposed.pattern.col[usize(e)];
        if (i != j && (i + j) % world_size() == world_rank()) visit(j, i, f.l_transposed.value[usize(e)]);
      }
    }
  };
  return parts;
}

// The largest error of unrefined sweeps, of solutions of size 1.
template <Scalar T>
double error_of_sweep(TriangularSolver<T>& solver, const matrix::Csr<T>& a, Op op, Index nrhs) {
  const auto n = usize(a.rows());
  const auto exact = random_vector<T>(n * usize(nrhs), 5);
  std::vector<T> b(exact.size());
  for (Index c = 0; c < nrhs; ++c)
    matrix::multiply<T>(a, op, std::span(exact).subspan(usize(c) * n, n),
                        std::span(b).subspan(usize(c) * n, n));
  const auto& rows = solver.partition();
  const Index first = rows.first(world_rank()), count = rows.count(world_rank());
  std::vector<T> x(usize(count) * usize(nrhs));
  const Vectors<const T> whole{b.data(), a.rows(), nrhs, a.rows()};
  std::vector<T> mine;
  for (Index c = 0; c < nrhs; ++c)
    mine.insert(mine.end(), whole.column(c) + first, whole.column(c) + first + count);
  solver.solve(op, {mine.data(), count, nrhs, count}, {x.data(), count, nrhs, count});
  double error = 0;
  for (Index c = 0; c < nrhs; ++c) {
    for (Index i = 0; i < count; ++i) {
      const double off = std::abs(x[usize(c * count + i)] - exact[usize(c) * n + usize(first + i)]);
      error = off > error || std::isnan(off) ? off : error;
    }
  }
  return solver.comm().max(error);
}

template <class T>
class LuSourceOf : public testing::Test {};
TYPED_TEST_SUITE(LuSourceOf, testing_support::Scalars);

TYPED_TEST(LuSourceOf, SolvesOnEveryGridAndMapping) {
  using T = TypeParam;
  const auto a = unsymmetric<T>();
  for (const auto& grid : grids_of(world_size())) {
    for (const char* mapping : {"block-cyclic", "proportional"}) {
      show_life();
      TriangularSolver<T> solver(mpi::Communicator(MPI_COMM_WORLD), *lu_source(on_rank_0(a)),
                                 {.grid = grid, .mapping = distribution::find_mapping(mapping)});
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose})
        EXPECT_LT(error_of_sweep(solver, a, op, 3), 2e3 * std::numeric_limits<RealOf<T>>::epsilon())
            << grid.name() << " " << mapping << " " << static_cast<char>(op);
    }
  }
}

TEST(LuSource, EntriesMayBeOnAnyRank) {
  const auto a = unsymmetric<double>();
  const auto f = factors_of(a);
  for (const bool in_runs : {false, true}) {
    LuParts<double> parts = scattered_parts(f);
    for (Index j = 0; in_runs && j < a.rows(); j += 2)
      parts.first.push_back(j);  // more zeros, the same factors
    TriangularSolver<double> solver(mpi::Communicator(MPI_COMM_WORLD), *lu_source(std::move(parts)),
                                    {.grid = distribution::square_grid(world_size())});
    EXPECT_LT(error_of_sweep(solver, a, Op::none, 1), 1e-12);
    EXPECT_LT(error_of_sweep(solver, a, Op::transpose, 2), 1e-12);
  }
}

// Bad units, and rows in no order: what the solver has is another matrix than its caller's.
TEST(LuSource, IsOfTheCallersMatrix) {
  auto a = unsymmetric<double>();
  auto f = on_rank_0(a);
  for (double& v : a.value) v *= 0x1p-900;
  for (double& s : f.row_scale) s *= 0x1p900;
  const auto rows = testing_support::scattered(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), {.second_try = false},
                        FactorSources<double>{.in_full = lu_source(std::move(f))});
  EXPECT_TRUE(solver.report().factor.given);
  EXPECT_EQ(solver.report().factor.seconds, 0);
  for (const Op op : {Op::none, Op::transpose}) {
    std::vector<double> b(usize(solver.rows()), 0x1p-900), x(b.size());
    EXPECT_TRUE(solver.solve(b, x, op).solved());
  }
  EXPECT_GT(solver.condition_estimate(), 1);
  EXPECT_LT(solver.condition_estimate(), 1e8);
  // Factored here, whatever structure the other factors had.
  std::vector<double> values = rows.of(a, true).a.value;
  for (double& v : values) v *= 2;
  solver.refactor(values);
  EXPECT_FALSE(solver.report().factor.given);
  std::vector<double> b(usize(solver.rows()), 1.0), x(b.size());
  EXPECT_TRUE(solver.solve(b, x).solved());
}

class LuSourceErrors : public testing::Test {
 protected:
  // Of factors that `change` has made on rank 0; the same on all ranks, or "none".
  template <class Change>
  std::string error(const Change& change) const {
    auto f = on_rank_0(a);
    if (world_rank() == 0) change(f);
    try {
      Solver<double>(MPI_COMM_WORLD, dealt_out(MPI_COMM_WORLD, world_rank() == 0 ? a : matrix::Csr<double>()),
                     {}, FactorSources<double>{.in_full = lu_source(std::move(f))});
    } catch (const Error& e) {
      return e.what();
    }
    return "none";
  }
  void expect(const std::string& message, const char* part) const {
    EXPECT_NE(message.find(part), std::string::npos) << message << "; wanted: " << part;
    std::string first = message;
    mpi::Communicator(MPI_COMM_WORLD).broadcast(first);
    EXPECT_EQ(message, first);
  }

  const matrix::Csr<double> a = unsymmetric<double>();
};

TEST_F(LuSourceErrors, AreTheSameOnAllRanks) {
  using Factors = ExplicitFactors<double>;
  EXPECT_EQ(error([](Factors&) {}), "none");
  expect(error([](Factors& f) { f.col_new.pop_back(); }), "150 rows and 149 columns");
  expect(error([](Factors& f) { f.row_new[3] = f.row_new[4]; }),
         "order of the factors' rows is no permutation");
  expect(error([](Factors& f) { f.row_scale[0] = 0; }), "not a positive number");
  expect(error([](Factors& f) { f.u = {}; }), "a factor of 0 rows");
  expect(error([](Factors& f) { std::swap(f.u, f.l_transposed); }), "it is not unit lower triangular");
  expect(error([](Factors& f) { f.u = matrix::transpose(f.u); }), "it is not upper triangular");
  expect(error([](Factors& f) { f.u.value[5] = std::numeric_limits<double>::quiet_NaN(); }), "is not finite");
  expect(error([](Factors& f) { f.u.value.back() = 0; }), "zero at place 149");
  expect(error([](Factors& f) {
           for (auto* part : {&f.u, &f.l_transposed})
             *part = matrix::Csr<double>{{2, 2, {0, 1, 2}, {0, 1}}, {1, 1}};
           f.row_new = f.col_new = {0, 1};
           f.row_scale = f.col_scale = {};
         }),
         "factors of 2 rows for a matrix of 150");
}

// Wherever the entries are.
TEST(LuSource, RefusesSupernodesThatAreNone) {
  const auto a = unsymmetric<double>();
  const auto f = factors_of(a);
  for (const std::vector<Index>& first : {std::vector<Index>{0, 1000000}, {1, 2}, {0, 5, 5}, {0, -1}}) {
    LuParts<double> parts = scattered_parts(f);
    parts.first = first;
    EXPECT_THROW(Solver<double>(MPI_COMM_WORLD,
                                dealt_out(MPI_COMM_WORLD, world_rank() == 0 ? a : matrix::Csr<double>()), {},
                                FactorSources<double>{.in_full = lu_source(std::move(parts))}),
                 Error);
  }
}

}  // namespace
}  // namespace trisweep::solve
