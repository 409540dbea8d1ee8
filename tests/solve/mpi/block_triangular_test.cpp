// Solvers of matrices in block triangular form, against what is true of the matrix as a whole.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "gallery/gallery.hpp"
#include "support/factor_engine.hpp"
#include "support/judged_error.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/block_triangular_system.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::every_op;
using testing_support::judged_error;
using testing_support::random_value;
using testing_support::RowsOf;
using testing_support::scattered;
using testing_support::uneven_blocks;
using testing_support::world_rank;

// The five-point Laplacian of a square, with the equation x = value in `unit` for the unknowns of two sides,
// whose columns stay.
template <Scalar T>
matrix::Csr<T> with_dirichlet_conditions(Index n, double unit = 1) {
  std::vector<std::map<Index, T>> rows(usize(n * n));
  for (Index i = 0; i < n * n; ++i) {
    auto& row = rows[usize(i)];
    const bool is_given = i % n == 0 || i % n == n - 1;
    row[i] = T(RealOf<T>(is_given ? unit : 4));
    if (is_given) continue;
    row[i - 1] = row[i + 1] = T(-1);
    if (i >= n) row[i - n] = T(-1);
    if (i + n < n * n) row[i + n] = T(-1);
  }
  return testing_support::csr_of(rows);
}

// Three blocks of `size` rows, of which each depends on those before; rows are in another order than columns.
template <Scalar T>
matrix::Csr<T> chain_of_blocks(Index size, std::uint64_t seed = 3) {
  std::mt19937_64 random(seed);
  const Index n = 3 * size;
  std::vector<std::map<Index, T>> rows(usize(n));
  for (Index i = 0; i < n; ++i) {
    auto& row = rows[usize((11 * i + 5) % n)];
    for (int e = 0; e < 3; ++e) {
      row[i / size * size + static_cast<Index>(random() % usize(size))] = random_value<T>(random);
      if (i >= size)
        row[(i / size - 1) * size + static_cast<Index>(random() % usize(size))] = random_value<T>(random);
    }
    row[i / size * size + (i + 1) % size] += T(1);
    row[i] += T(5);
  }
  return testing_support::csr_of(rows);
}

// Blocks of one row, of which each depends on some of the stage before; unknowns in units 2^-spread to
// 2^spread.
template <Scalar T>
matrix::Csr<T> chain_in_units(Index stages, Index size, int spread) {
  std::mt19937_64 random(5);
  std::vector<std::map<Index, T>> rows(usize(stages * size));
  for (Index i = 0; i < stages * size; ++i) {
    rows[usize(i)][i] = T(1.5);
    for (int e = 0; e < 3 && i >= size; ++e)
      rows[usize(i)][(i / size - 1) * size + static_cast<Index>(random() % usize(size))] =
          random_value<T>(random) / T(4);
  }
  std::vector<RealOf<T>> unit(rows.size());
  for (auto& u : unit)
    u = std::ldexp(RealOf<T>(1), static_cast<int>(random() % usize(2 * spread + 1)) - spread);
  for (auto& row : rows)
    for (auto& [j, v] : row) v *= unit[usize(j)];
  return testing_support::csr_of(rows);
}

template <Scalar T>
Solver<T> solver_of(const matrix::Csr<T>& a, const RowsOf<double>& rows,
                    const SolverOptions& options = {.block_triangular = BlockTriangular::on}) {
  const bool listed = !std::ranges::is_sorted(rows.number);
  return {MPI_COMM_WORLD, RowsOf<T>{rows.number}.of(a, listed), options};
}

template <class T>
class BlockTriangularTest : public testing::Test {};
TYPED_TEST_SUITE(BlockTriangularTest, testing_support::Scalars);

TYPED_TEST(BlockTriangularTest, DirichletConditionsLeaveASymmetricMatrixToFactor) {
  using T = TypeParam;
  const auto a = with_dirichlet_conditions<T>(12);
  for (const auto& rows : {uneven_blocks(a.rows()), scattered(a.rows())}) {
    auto solver = solver_of(a, rows);
    const FactorReport& factor = solver.report().factor;
    EXPECT_EQ(factor.kind, "cholesky");
    EXPECT_EQ(factor.block_stages, 2);
    EXPECT_EQ(factor.nonzeros_off_diagonal, 2 * 12);
    for (const Op op : every_op)
      for (const Index nrhs : {1, 3, 20}) EXPECT_LT(judged_error(solver, a, rows, op, nrhs), 2000);
  }
}

TYPED_TEST(BlockTriangularTest, OnlyDiagonalBlocksAreFactored) {
  using T = TypeParam;
  const auto a = chain_of_blocks<T>(30);
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows), whole = solver_of(a, rows, {.block_triangular = BlockTriangular::off});
  EXPECT_EQ(solver.report().factor.block_stages, 3);
  EXPECT_EQ(whole.report().factor.block_stages, 1);
  EXPECT_LT(solver.report().factor.nonzeros_l, whole.report().factor.nonzeros_l);
  for (const Op op : every_op)
    for (const Index nrhs : {1, 3, 20}) EXPECT_LT(judged_error(solver, a, rows, op, nrhs), 5000);
}

TEST(BlockTriangular, IsSolvedWithEveryOption) {
  const auto a = chain_of_blocks<double>(40);
  const auto rows = scattered(a.rows());
  std::vector<SolverOptions> all{{.threads = 2},
                                 {.deterministic = true},
                                 {.compress = {.eps = 1e-3}},
                                 {.compress = {.automatic = true}},
                                 {.kind = numeric::KindChoice::lu},
                                 {.refinement = {.best = true}}};
  if (testing_support::has_single) all.push_back({.mixed = true});
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].block_triangular = BlockTriangular::on;
    auto solver = solver_of(a, rows, all[i]);
    EXPECT_EQ(solver.report().factor.block_stages, 3) << i;
    for (const Op op : every_op)
      for (const Index nrhs : {1, 9}) EXPECT_LT(judged_error(solver, a, rows, op, nrhs), 5000) << i;
  }
  // A device has the factors of the whole matrix.
  auto on_device =
      solver_of(a, rows, {.device = engine::Device::emulated, .block_triangular = BlockTriangular::on});
  EXPECT_EQ(on_device.report().factor.block_stages, 1);
  EXPECT_LT(judged_error(on_device, a, rows, Op::none, 2), 5000);
}

// Sparse right-hand sides are solved as others are.
TEST(BlockTriangular, HasSparseRightHandSidesAndSomeRows) {
  const auto a = with_dirichlet_conditions<double>(10);
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows);
  const Index count = solver.rows();
  std::vector<Offset> ptr{0};
  std::vector<Index> row;
  std::vector<double> value;
  for (const Index of : {10, 37}) {
    if (const auto at = std::ranges::find(rows.number, of); at != rows.number.end()) {
      row.push_back(static_cast<Index>(at - rows.number.begin()));
      value.push_back(1 + of);
    }
    ptr.push_back(std::ssize(row));
  }
  std::vector<double> b(usize(count) * 2), whole(b.size()), sparse(b.size());
  for (std::size_t c = 0; c < 2; ++c)
    for (auto k = usize(ptr[c]); k < usize(ptr[c + 1]); ++k) b[c * usize(count) + usize(row[k])] = value[k];
  std::vector<Index> wanted;
  for (Index i = count - 1; i >= 0; i -= 3) wanted.push_back(i);
  std::vector<double> some(wanted.size() * 2);
  for (const Op op : every_op) {
    EXPECT_TRUE(solver.solve({b.data(), count, 2}, {whole.data(), count, 2}, op).solved());
    EXPECT_TRUE(solver.solve_sparse({b.data(), count, 2}, {sparse.data(), count, 2}, op).solved());
    EXPECT_LT(testing_support::largest_difference(sparse, whole), 1e-11);
    EXPECT_TRUE(
        solver.solve_rows({ptr, row, value}, wanted, {some.data(), static_cast<Index>(wanted.size()), 2}, op)
            .solved());
    testing_support::Largest error;
    for (std::size_t c = 0; c < 2; ++c)
      for (std::size_t i = 0; i < wanted.size(); ++i)
        error.add(std::abs(some[c * wanted.size() + i] - whole[c * usize(count) + usize(wanted[i])]));
    EXPECT_LT(error.value(), 1e-11);
    // b and x in the same memory.
    std::vector<double> x = b;
    solver.sweep({x.data(), count, 2}, {x.data(), count, 2}, op);
    EXPECT_LT(testing_support::largest_difference(x, whole), 1e-11);
  }
}

// Other values of the form, values that are symmetric no more, and a nonzero where the form has none.
TEST(BlockTriangular, FollowsNewValues) {
  auto a = with_dirichlet_conditions<double>(10);
  const std::size_t first_of_row = 0;  // row 0 has the diagonal alone: give it an explicit zero
  a.pattern.col.insert(a.pattern.col.begin() + 1, 1);
  a.value.insert(a.value.begin() + 1, 0.0);
  for (std::size_t i = 1; i < a.pattern.row_ptr.size(); ++i) ++a.pattern.row_ptr[i];
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows);
  const auto follow = [&](Index stages, const char* kind) {
    solver.refactor(rows.of(a, false).a.value);
    EXPECT_EQ(solver.report().factor.block_stages, stages);
    EXPECT_EQ(solver.report().factor.kind, kind);
    for (const Op op : every_op) EXPECT_LT(judged_error(solver, a, rows, op, 2), 2000);
  };
  EXPECT_EQ(solver.report().factor.block_stages, 2);
  for (double& v : a.value) v *= 3;
  follow(2, "cholesky");
  a.value[usize(a.pattern.row_ptr[12])] *= 1.5;  // of an interior row
  follow(2, "lu");
  a.value[first_of_row + 1] = 0.5;  // unknown 0 depends on 1, which depends on it
  follow(2, "lu");
  EXPECT_EQ(solver.report().factor.nonzeros_off_diagonal, 2 * 10 - 1);
}

// Where that saves much: in large systems, whose blocks are symmetric or which have many off-diagonal
// entries.
TEST(BlockTriangular, IsUsedWhereThatSavesMuch) {
  const auto stages_of = [](const matrix::Csr<double>& a, numeric::KindChoice kind) {
    const SolverOptions options{.kind = kind};
    return solver_of(a, uneven_blocks(a.rows()), options).report().factor.block_stages;
  };
  using numeric::KindChoice;
  EXPECT_EQ(stages_of(with_dirichlet_conditions<double>(60), KindChoice::automatic), 1);
  EXPECT_EQ(stages_of(with_dirichlet_conditions<double>(70), KindChoice::automatic), 2);
  EXPECT_EQ(stages_of(with_dirichlet_conditions<double>(70), KindChoice::lu), 1);  // 1 % are off-diagonal
  EXPECT_EQ(stages_of(chain_of_blocks<double>(1400), KindChoice::lu), 3);
}

TEST(BlockTriangular, GivesTheFactorsOfTheWholeMatrix) {
  const auto a = chain_of_blocks<double>(30);
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows);
  const auto factors = solver.explicit_factors();
  if (world_rank() == 0) {
    // L U x of the scaled, permuted x, against A x.
    const auto x = testing_support::random_vector<double>(usize(a.rows()), 4);
    std::vector<double> ax(x.size()), permuted(x.size()), ux(x.size()), lux(x.size());
    matrix::multiply<double>(a, Op::none, x, ax);
    for (std::size_t j = 0; j < x.size(); ++j)
      permuted[usize(factors.col_new[j])] = x[j] / factors.col_scale[j];
    matrix::multiply<double>(factors.u, Op::none, permuted, ux);
    matrix::multiply<double>(factors.l_transposed, Op::transpose, ux, lux);
    testing_support::Largest error;
    for (std::size_t i = 0; i < x.size(); ++i)
      error.add(std::abs(lux[usize(factors.row_new[i])] - ax[i] * factors.row_scale[i]));
    EXPECT_LT(error.value(), 1e-12);
  }
  auto system = solver.factored_system();
  Solver<double> second(MPI_COMM_WORLD, rows.of(a, false), {}, system.factors);
  EXPECT_TRUE(second.report().factor.given);
  EXPECT_LT(judged_error(second, a, rows, Op::none, 2), 5000);
  EXPECT_LT(judged_error(solver, a, rows, Op::transpose, 2), 5000);
}

// In whatever unit the stages are, the verdict and the condition are those of the matrix as a whole.
TEST(BlockTriangular, IsJudgedAsAWhole) {
  for (const double unit : {1e-12, 1.0, 1e12}) {
    const auto a = with_dirichlet_conditions<double>(12, unit);
    const auto rows = uneven_blocks(a.rows());
    auto solver = solver_of(a, rows), whole = solver_of(a, rows, {.block_triangular = BlockTriangular::off});
    EXPECT_EQ(solver.report().factor.block_stages, 2);
    const Index count = solver.rows();
    std::vector<double> b(usize(count), 1.0), x(b.size());
    const Answer answer = solver.solve(b, x);
    EXPECT_TRUE(answer.solved()) << unit;
    EXPECT_LT(solver.forward_error(answer, b, x).bound, 1e-10) << unit;
    const double condition = solver.condition_estimate(), of_whole = whole.condition_estimate();
    EXPECT_LT(condition, 30 * of_whole) << unit;
    EXPECT_GT(condition, of_whole / 30) << unit;
  }
}

// Nor do the units of many stages' unknowns add up.
TYPED_TEST(BlockTriangularTest, IsRegularInWhateverUnitsManyStagesAre) {
  using T = TypeParam;
  const auto a = chain_in_units<T>(10, 20, std::same_as<RealOf<T>, float> ? 10 : 66);
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows), whole = solver_of(a, rows, {.block_triangular = BlockTriangular::off});
  EXPECT_EQ(solver.report().factor.block_stages, 10);
  for (const Op op : every_op) judged_error(solver, a, rows, op, 2);  // has to be accepted
  EXPECT_LT(solver.condition_estimate(), 10 * whole.condition_estimate());
  EXPECT_GT(solver.condition_estimate(), whole.condition_estimate() / 10);
}

// Values that need an analysis of their own are judged in the units of that.
TEST(BlockTriangular, IsJudgedInTheUnitsOfNewValues) {
  const auto a = chain_of_blocks<double>(30);
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows), whole = solver_of(a, rows, {.block_triangular = BlockTriangular::off});
  std::mt19937_64 random(3);
  for (int values = 0; values < 6; ++values) {
    auto scaled = a;
    std::vector<double> left(usize(a.rows())), right(left.size());
    for (auto* scale : {&left, &right})
      for (double& s : *scale) s = std::ldexp(1.0, static_cast<int>(random() % 121) - 60);
    for (Index i = 0; i < a.rows(); ++i)
      for (const Offset e : a.pattern.entries(i))
        scaled.value[usize(e)] *= left[usize(i)] * right[usize(a.pattern.col[usize(e)])];
    for (auto* each : {&solver, &whole}) {
      each->refactor(rows.of(scaled, false).a.value);
      std::vector<double> b(usize(each->rows()), 1.0), x(b.size());
      EXPECT_TRUE(each->solve(b, x).solved()) << values;
    }
    EXPECT_EQ(solver.report().factor.second_try, whole.report().factor.second_try) << values;
  }
}

// Upwind transport has factors as small as the matrix; as a whole it fills like any grid.
TEST(BlockTriangular, HasManyStagesWhereTheseFillLess) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("transport3d", {.n = 17}));
  const auto rows = scattered(a.rows());
  auto solver = solver_of(a, rows, {});
  EXPECT_GT(solver.report().factor.block_stages, 16);
  EXPECT_LT(solver.report().factor.nonzeros_l, 3 * a.nonzeros());
  for (const Op op : every_op)
    for (const Index nrhs : {1, 9}) EXPECT_LT(judged_error(solver, a, rows, op, nrhs), 5000);
}

// One block is singular, its values: no form and no grid makes that solvable.
TEST(BlockTriangular, IsSingularWhereABlockIs) {
  auto a = chain_of_blocks<double>(20);
  std::vector<std::map<Index, double>> dense(usize(a.rows()));
  for (Index i = 0; i < a.rows(); ++i)
    for (const Offset e : a.pattern.entries(i)) dense[usize(i)][a.pattern.col[usize(e)]] = a.value[usize(e)];
  // The two rows of the first block whose diagonal entries are in columns 0 and 1 become alike.
  dense[usize(5 % a.rows())] = dense[usize((11 + 5) % a.rows())];
  for (auto& [j, v] : dense[usize(5 % a.rows())]) v *= 2;
  a = testing_support::csr_of(dense);
  const auto rows = uneven_blocks(a.rows());
  auto solver = solver_of(a, rows);
  const Index count = solver.rows();
  std::vector<double> b(usize(count)), x(b.size());
  for (Index i = 0; i < count; ++i) b[usize(i)] = 1 + rows.number[usize(i)] % 3;
  EXPECT_FALSE(solver.solve(b, x).solved());
}

}  // namespace
}  // namespace trisweep::solve
