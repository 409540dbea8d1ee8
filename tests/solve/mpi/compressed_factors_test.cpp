// Tiles that are made while factors are, on a rank that is alone.

#include "trisweep/solve/compressed_factors.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "gallery/gallery.hpp"
#include "support/distributed_rows.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/solver.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/engine/panel_exchange.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

constexpr double eps_of_fronts = 1e-6;

template <Scalar T>
matrix::Csr<T> gallery_system(const char* kind, Index n) {
  return matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n})));
}

template <Scalar T>
std::shared_ptr<const Analysis> clustered(const matrix::Csr<T>& a) {
  return std::make_shared<const Analysis>(in_clusters(a, analyze(a)));
}

template <Scalar T>
void expect_same_tiles(const engine::PanelStore<T>& made, const engine::PanelStore<T>& afterwards) {
  EXPECT_EQ(made.bytes(), afterwards.bytes());
  for (const auto side : distribution::sides) {
    const auto bytes = made.piece_bytes(side), expected = afterwards.piece_bytes(side);
    ASSERT_TRUE(std::ranges::equal(bytes, expected));
    for (Index p = 0; p < std::ssize(bytes); ++p) {
      const auto at = [&](const engine::PanelStore<T>& store) {
        return store.piece(side, {.piece = p}).template as<std::byte>();
      };
      EXPECT_EQ(std::memcmp(at(made), at(afterwards), bytes[usize(p)]), 0) << int(side) << ", piece " << p;
    }
  }
}

template <class P>
class TilesOfFrontsIn : public testing::Test {};
using TileStorages =
    testing::Types<std::pair<double, double>, std::pair<std::complex<double>, std::complex<double>>,
                   std::pair<Single<double>, double>>;
TYPED_TEST_SUITE(TilesOfFrontsIn, TileStorages);

TYPED_TEST(TilesOfFrontsIn, AreBitForBitThoseMadeAfterwards) {
  using F = typename TypeParam::first_type;
  using T = typename TypeParam::second_type;
  const mpi::Communicator alone(MPI_COMM_SELF);
  for (const char* kind : {"poisson3d", "convection3d"}) {
    const auto a = gallery_system<T>(kind, 11);
    const auto analysis = clustered(a);
    const auto whole = try_factor<F>(a, analysis);
    ASSERT_TRUE(whole);
    const distribution::Distribution d(analysis->structure, distribution::mappings().front(), {});
    const auto share = distribution::make_local_blocks(*d.structure, *d.mapping, 0);
    ThreadPool pool(1);
    const auto afterwards = engine::PanelStore<T>(engine::collected<F>(alone, d, share, whole->factors, {}))
                                .template compressed<F>(share, eps_of_fronts, pool);
    ASSERT_LT(afterwards.bytes(), whole->factors->bytes());
    for (const int threads : {1, 3}) {
      const auto made = try_factor_in_tiles<F, T>(a, analysis, {.threads = threads}, {.eps = eps_of_fronts});
      ASSERT_TRUE(made.factorization && made.tiles) << kind;
      EXPECT_EQ(made.factorization->factors->bytes(), 0u);
      EXPECT_EQ(made.lost_seconds, 0);
      expect_same_tiles(made.tiles->panels, afterwards);
    }
  }
}

// With threads each takes pieces as they come.
TYPED_TEST(TilesOfFrontsIn, AreThoseThatThreadsMakeAfterwards) {
  using F = typename TypeParam::first_type;
  using T = typename TypeParam::second_type;
  const auto a = gallery_system<T>("convection3d", 9);
  const auto analysis = clustered(a);
  const auto made = try_factor_in_tiles<F, T>(a, analysis, {.threads = 2}, {.eps = eps_of_fronts});
  const auto whole = std::make_shared<const Factorization<F>>(*try_factor<F>(a, analysis));
  const auto in_tiles = std::make_shared<const Factorization<F>>(*made.factorization);
  const TriangularSolverOptions options{.deterministic = true, .compression = {.eps = eps_of_fronts}};
  TriangularSolver<T> one(MPI_COMM_SELF, in_tiles, options, made.tiles);
  ASSERT_TRUE(one.compression());
  EXPECT_EQ(one.compression()->seconds, made.tiles->seconds);
  for (const int threads : {1, 3}) {
    TriangularSolverOptions with_threads = options;
    with_threads.threads = threads;
    TriangularSolver<T> other(MPI_COMM_SELF, whole, with_threads);
    ASSERT_TRUE(other.compression());
    EXPECT_EQ(one.compression()->level_bytes, other.compression()->level_bytes);
    EXPECT_EQ(one.compression()->uncompressed_level_bytes, other.compression()->uncompressed_level_bytes);
    for (const Op op : {Op::none, Op::transpose}) {
      const testing_support::Problem<T> problem(one, a, op, 1);
      EXPECT_EQ(problem.solve_with(one), problem.solve_with(other));
    }
  }
}

// The factors are made as they are.
TEST(TilesOfFronts, AreNotKeptWherePivotsAreDelayed) {
  const auto a = testing_support::with_phases<double>(testing_support::integer_basis(300, 1, 2));
  const auto analysis = clustered(a);
  const auto made = try_factor_in_tiles<double, double>(a, analysis, {}, {.eps = eps_of_fronts});
  ASSERT_TRUE(made.factorization);
  EXPECT_FALSE(made.tiles);
  const auto& factors = *made.factorization->factors;
  const auto whole = try_factor<double>(a, analysis);
  EXPECT_GT(factors.delayed_pivots, 0);
  EXPECT_TRUE(std::ranges::equal(factors.lower.span(), whole->factors->lower.span()));
  EXPECT_GT(made.lost_seconds, 0);
}

TEST(TilesOfFronts, AreNoneOfAMatrixThatIsNotDefinite) {
  matrix::Csr<double> a = gallery_system<double>("poisson3d", 8);
  const auto analysis = clustered(a);
  ASSERT_EQ(analysis->kind, numeric::Kind::cholesky);
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      if (a.pattern.col[usize(e)] == i) a.value[usize(e)] /= 4;
  }
  for (const int threads : {1, 3}) {
    const auto made =
        try_factor_in_tiles<double, double>(a, analysis, {.threads = threads}, {.eps = eps_of_fronts});
    EXPECT_FALSE(made.factorization);
    EXPECT_FALSE(made.tiles);
  }
}

// Numbers that are random have no low rank: the tiles are longer than those of this size usually are.
TEST(TilesOfFronts, AreNotKeptWhereTheyAreLongerThanTheyMayBe) {
  matrix::Csr<double> a;
  a.pattern.rows = a.pattern.cols = 256;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.rows(); ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(made_up_entry(usize(i * a.rows() + j)) + (i == j ? 300 : 0));
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  const auto analysis = clustered(a);
  const auto tried = [&](double most) {
    return try_factor_in_tiles<double, double>(a, analysis, {}, {.eps = eps_of_fronts, .most = most});
  };
  const auto kept = tried(1), too_long = tried(0.25), hopeless = tried(0.01);
  ASSERT_TRUE(kept.tiles);
  const auto bytes = too_long.factorization->factors->bytes();
  EXPECT_GT(double(kept.tiles->panels.bytes()), 0.25 * double(bytes));
  EXPECT_FALSE(kept.too_long);
  EXPECT_TRUE(too_long.too_long && hopeless.too_long);
  EXPECT_FALSE(too_long.tiles);
  EXPECT_GT(too_long.lost_seconds, 0);
  EXPECT_FALSE(hopeless.tiles);
  EXPECT_EQ(hopeless.lost_seconds, 0);
  EXPECT_EQ(hopeless.factorization->factors->bytes(), bytes);
}

TEST(TilesOfFronts, AreWhatAFactorizationWithoutPanelsNeeds) {
  const auto a = gallery_system<double>("poisson3d", 8);
  const auto analysis = clustered(a);
  const auto made = try_factor_in_tiles<double, double>(a, analysis, {}, {.eps = eps_of_fronts});
  const auto factorization = std::make_shared<const Factorization<double>>(*made.factorization);
  EXPECT_THROW(TriangularSolver<double>(MPI_COMM_SELF, factorization, {}), Error);
}

// Other values take the place of the first in the solver that there is.
TEST(TilesOfFronts, AreMadeAgainForOtherValues) {
  const auto a = gallery_system<double>("poisson3d", 10);
  SolverOptions options;
  options.compress.eps = 1e-8;
  Solver<double> solver(MPI_COMM_SELF, dealt_out(MPI_COMM_SELF, matrix::Csr<double>(a)), options);
  const std::vector<double> b(usize(solver.rows()), 1.0);
  std::vector<double> x(b.size()), half(b.size());
  const auto solve = [&](std::vector<double>& solution) {
    const auto rows = solver.rows();
    const Answer answer = solver.solve({b.data(), rows, 1}, {solution.data(), rows, 1});
    EXPECT_TRUE(answer.solved());
    EXPECT_EQ(solver.report().factor.compression_eps, 1e-8);
    EXPECT_LT(solver.report().factor.bytes, solver.report().factor.uncompressed_bytes);
  };
  solve(x);
  std::vector<double> values = a.value;
  for (double& v : values) v *= 2;
  solver.refactor(values);
  solve(half);
  for (double& v : half) v *= 2;
  EXPECT_LT(testing_support::largest_difference(x, half), 1e-12 * testing_support::largest_magnitude(x));
}

}  // namespace
}  // namespace trisweep::solve
