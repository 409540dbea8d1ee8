// Sparse right-hand sides and some rows of the solution, by pruned plans, against whole solves.

#include "trisweep/plan/pruning.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>

#include "gallery/gallery.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/plan/variants.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::grids_of;
using testing_support::random_matrix;
using testing_support::RowsOf;
using testing_support::uneven_blocks;
using testing_support::world_rank;
using testing_support::world_size;

constexpr std::array pruned_ops{Op::none, Op::transpose, Op::conjugate_transpose};

// b has two nonzero rows, and three rows of x are wanted. Other entries must not be read: they begin as not
// a number.
template <Scalar T>
void expect_pruned_solve(TriangularSolver<T>& solver, Op op, const std::string& name) {
  constexpr Index nrhs = 3;
  const Index first = solver.partition().first(solver.comm().rank());
  const Index count = solver.partition().count(solver.comm().rank());
  const auto mine = [&](std::initializer_list<Index> whole) {
    std::vector<Index> rows;
    for (const Index row : whole)
      if (first <= row && row < first + count) rows.push_back(row - first);
    return rows;
  };
  const std::vector<Index> sources = mine({5, 61}), wanted = mine({0, 33, 78});
  std::vector<T> b(usize(count) * nrhs), whole(b.size());
  std::vector<T> x(b.size(), std::numeric_limits<RealOf<T>>::quiet_NaN());
  for (Index c = 0; c < nrhs; ++c)
    for (const Index row : sources) b[usize(c * count + row)] = T(RealOf<T>(1 + c));
  testing_support::show_life();
  solver.solve(op, {b.data(), count, nrhs}, {whole.data(), count, nrhs});
  const plan::Pruning pruning{solver.reach_of_equations(op, sources), solver.reach_of_unknowns(op, wanted)};
  solver.solve(op, pruning, {.b = {b.data(), count, nrhs}, .x = {x.data(), count, nrhs}});
  EXPECT_LT(solver.pruned_share(), 1) << name;
  const double bound = 100 * std::numeric_limits<RealOf<T>>::epsilon();
  for (Index c = 0; c < nrhs; ++c)
    for (const Index row : wanted) {
      const auto i = usize(c * count + row);
      EXPECT_LE(std::abs(x[i] - whole[i]), bound) << name << " row " << first + row;
    }
}

TEST(PrunedPlans, SolveAsWholeOnesDo) {
  using T = std::complex<double>;  // whose three ops all differ
  int threads = 1;
  for (const auto& [hermitian, whole_levels] : {std::pair(false, 3), {true, 0}}) {
    const auto a = random_matrix<T>({.n = 80, .per_row = 1, .hermitian = hermitian, .seed = 3});
    const auto factors = factored(a, whole_levels);
    for (const auto& grid : grids_of(world_size())) {
      for (const auto& mapping : distribution::mappings()) {
        for (const auto& schedule : plan::schedules()) {
          if (mapping.only_ranks_count && schedule.choice != plan::single_sync) continue;
          threads = threads % 2 + 1;
          TriangularSolver<T> solver(MPI_COMM_WORLD, factors,
                                     {.grid = grid,
                                      .mapping = mapping,
                                      .schedule = schedule.choice,
                                      .threads = threads,
                                      .grain = 40,
                                      .tiling = {.width = 3, .least = 1}});
          for (const Op op : pruned_ops)
            expect_pruned_solve(solver, op,
                                fmt::format("{} {} {} op {} whole levels {} threads {}", grid.name(),
                                            mapping.name, schedule.name, char(op), whole_levels, threads));
        }
      }
    }
  }
}

TEST(PrunedPlansOnDevices, SolveAsWholeOnesDo) {
  const auto factors = factored(random_matrix<double>({.n = 80, .per_row = 1, .seed = 3}), 3);
  for (const auto& grid : grids_of(world_size())) {
    TriangularSolver<double> solver(
        MPI_COMM_WORLD, factors,
        {.grid = grid, .device = engine::Device::emulated, .grain = 40, .tiling = {.width = 3, .least = 1}});
    for (const Op op : pruned_ops) expect_pruned_solve(solver, op, grid.name() + " emulated");
  }
}

// A column with an entry in each of `rows` that this rank has.
template <Scalar T>
struct Sources {
  std::vector<Offset> ptr{0};
  std::vector<Index> row;
  std::vector<T> value;

  void add_column(const std::vector<Index>& number, std::initializer_list<Index> rows) {
    for (const Index of : rows) {
      const auto at = std::ranges::find(number, of);
      if (at == number.end()) continue;
      row.push_back(static_cast<Index>(at - number.begin()));
      value.push_back(T(RealOf<T>(1 + of)));
    }
    ptr.push_back(std::ssize(row));
  }
  SparseColumns<T> view() const { return {ptr, row, value}; }
  std::vector<T> dense(Index rows) const {
    std::vector<T> b(usize(rows) * (ptr.size() - 1));
    for (std::size_t c = 0; c + 1 < ptr.size(); ++c)
      for (auto k = usize(ptr[c]); k < usize(ptr[c + 1]); ++k) b[c * usize(rows) + usize(row[k])] += value[k];
    return b;
  }
};

template <Scalar T>
void expect_rows_of_whole_solves(const SolverOptions& options, const matrix::Csr<double>& a) {
  const matrix::Csr<T> converted = matrix::convert<T>(a);
  const RowsOf<T> rows{uneven_blocks(a.rows()).number};
  Solver<T> solver(MPI_COMM_WORLD, rows.of(converted, false), options);
  Sources<T> sources;
  for (Index c = 0; c < 20; ++c) sources.add_column(rows.number, {(37 * c) % a.rows(), c});
  sources.add_column(rows.number, {});  // x = 0
  const Index count = solver.rows(), nrhs = sources.view().cols();
  std::vector<Index> wanted;  // every fifth, backward
  for (Index i = count - 1; i >= 0; i -= 5) wanted.push_back(i);
  const std::vector<T> b = sources.dense(count);
  std::vector<T> whole(b.size()), sparse(b.size()), some(wanted.size() * usize(nrhs));
  for (const Op op : pruned_ops) {
    EXPECT_TRUE(solver.solve({b.data(), count, nrhs}, {whole.data(), count, nrhs}, op).solved());
    const Answer answer = solver.solve_sparse({b.data(), count, nrhs}, {sparse.data(), count, nrhs}, op);
    EXPECT_TRUE(answer.solved());
    EXPECT_EQ(answer.columns.size(), usize(nrhs));
    const Answer of_rows =
        solver.solve_rows(sources.view(), wanted, {some.data(), static_cast<Index>(wanted.size()), nrhs}, op);
    EXPECT_TRUE(of_rows.solved());
    const double bound = 1e4 * double(std::numeric_limits<RealOf<T>>::epsilon());
    EXPECT_LE(testing_support::largest_difference(sparse, whole), bound);
    for (std::size_t c = 0; c < usize(nrhs); ++c)
      for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_LE(std::abs(some[c * wanted.size() + i] - whole[c * usize(count) + usize(wanted[i])]), bound);
  }
}

template <Scalar T>
void expect_rows_of_whole_solves(const SolverOptions& options) {
  expect_rows_of_whole_solves<T>(
      options, std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 6})));
}

TEST(SparseRightHandSides, GiveTheRowsOfWholeSolves) {
  expect_rows_of_whole_solves<double>({});
  expect_rows_of_whole_solves<Single<std::complex<double>>>({});
  expect_rows_of_whole_solves<double>({.threads = 2});
  expect_rows_of_whole_solves<double>({.device = engine::Device::emulated});
}

// Unrefined sweeps with factors in single precision are not good enough: whole solutions are refined.
TEST(SparseRightHandSides, AreRefinedWhereSweepsAreNotAccurate) {
  if (!testing_support::has_single) GTEST_SKIP() << "this build has no single precision";
  expect_rows_of_whole_solves<double>({.mixed = true});
}

// Entries grow to 2^40 of those of A: sweeps of integers show nothing of what they lose of others.
TEST(SparseRightHandSides, AreRefinedWhereEntriesGrow) {
  expect_rows_of_whole_solves<double>({},
                                      testing_support::with_phases<double>(testing_support::wilkinson(41)));
}

TEST(SparseRightHandSides, ReadFewerPanels) {
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("poisson3d", {.n = 10}));
  const RowsOf<double> rows{uneven_blocks(a.rows()).number};
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  Sources<double> source;
  source.add_column(rows.number, {123});
  const Index count = solver.rows();
  std::vector<double> x(usize(count)), one;
  const auto b = source.dense(count);
  const double forward = solver.solve_sparse({b.data(), count, 1}, {x.data(), count, 1}).panel_share;
  EXPECT_LT(forward, 0.9);
  const std::vector<Index> wanted = source.row;  // where the source is
  one.resize(wanted.size());
  const auto answer =
      solver.solve_rows(source.view(), wanted, {one.data(), static_cast<Index>(wanted.size()), 1});
  EXPECT_LT(answer.panel_share, forward - 0.1);
  EXPECT_EQ(solver.solve({b.data(), count, 1}, {x.data(), count, 1}).panel_share, 1);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], x[usize(wanted[i])], 1e-12);
}

// The sample's answer is good, and these solutions are beyond the range of numbers.
TEST(SparseRightHandSides, AreNotSolvedWhereTheyOverflow) {
  auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("tridiagonal", {.n = 50}));
  for (double& value : a.value) value *= 1e-10;
  const RowsOf<double> rows{uneven_blocks(50).number};
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  Sources<double> source;
  source.add_column(rows.number, {20});
  for (const double scale : {1e304, 1.0}) {
    for (double& value : source.value) value = scale;
    std::vector<double> x(source.row.size());
    const auto answer =
        solver.solve_rows(source.view(), source.row, {x.data(), static_cast<Index>(x.size()), 1});
    EXPECT_EQ(answer.solved(), scale == 1) << scale;
  }
}

TEST(SparseRightHandSides, AreRefusedWhereTheyDoNotFit) {
  const auto a = random_matrix<double>({.n = 60, .per_row = 3, .seed = 7});
  const RowsOf<double> rows{uneven_blocks(60).number};
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false));
  const auto refused = [&](Sources<double> sources, std::vector<Index> wanted) {
    std::vector<double> x(wanted.size());
    std::string message;
    try {
      solver.solve_rows(sources.view(), wanted, {x.data(), static_cast<Index>(wanted.size()), 1});
    } catch (const Error& e) {
      message = e.what();
    }
    return message;
  };
  Sources<double> good;
  good.add_column(rows.number, {3});
  EXPECT_THAT(refused(good, {solver.rows()}), testing::HasSubstr("requested rows"));
  Sources<double> beyond = good;
  for (Index& row : beyond.row) row = 60;
  EXPECT_THAT(refused(beyond, {}), testing::HasSubstr("sparse right-hand sides"));
  Sources<double> not_finite = good;
  for (double& value : not_finite.value) value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refused(not_finite, {}), testing::HasSubstr("not finite"));
  EXPECT_EQ(refused(good, {}), "");
}

}  // namespace
}  // namespace trisweep::solve
