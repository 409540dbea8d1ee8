// All ranks order and analyze a matrix that none of them has: what is solved, filled and left to one rank.

#include "trisweep/solve/parallel_analysis.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gallery/gallery.hpp"
#include "support/factor_engine.hpp"
#include "support/row_order.hpp"
#include "support/scalars.hpp"
#include "trisweep/solve/analyzed_system.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::solve {
namespace {

using ordering::Method;
using testing_support::every_op;
using testing_support::scattered_rows;
using testing_support::solve_known;
using testing_support::world_rank;
using testing_support::world_size;

template <Scalar T>
matrix::Csr<T> gallery_matrix(const std::string& kind, int n) {
  return matrix::convert<T>(std::get<matrix::Csr<double>>(gallery::make_matrix(kind, {.n = n})));
}

// Analyses of these rows by all ranks.
template <Scalar T>
std::optional<std::vector<Analysis>> analyses_of(const matrix::Csr<T>& a, numeric::KindChoice choice,
                                                 int failed,
                                                 std::span<const symbolic::SymbolicOptions> options) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const LinearSystem<T> system(comm, scattered_rows<T>(a.rows()).of(a, true));
  return analyze_in_parallel(comm, system,
                             {.kind = choice,
                              .failed = failed,
                              .ordering = {.method = Method::ptscotch, .needed_levels = 3},
                              .symbolic = options},
                             silent_observer());
}

double stored_entries(const symbolic::Structure& s) {
  double entries = 0;
  for (Index k = 0; k < s.supernodes(); ++k) entries += s.width(k) * (0.5 * (s.width(k) + 1) + s.height(k));
  return entries;
}

// The matrix in LinearSystem's numbers, which count the rows of rank 0, then those of rank 1, ...
template <Scalar T>
matrix::Csr<T> as_distributed(const matrix::Csr<T>& a) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const LinearSystem<T> system(comm, scattered_rows<T>(a.rows()).of(a, true));
  matrix::Csr<T> whole;
  system.gather([&](const matrix::Csr<T>& gathered) { whole = gathered; });
  return whole;
}

TEST(ParallelAnalysis, MakesTheStructureOfItsOrder) {
  if (world_size() == 1) GTEST_SKIP() << "one rank analyzes as if there were no others";
  const std::array<symbolic::SymbolicOptions, 2> options{
      {{.supernode_bytes = 0, .row_bytes = 0}, {.whole_levels = 2}}};
  for (const auto& [kind, n] : std::vector<std::pair<std::string, int>>{{"s2d9", 60},
                                                                        {"poisson3d", 14},
                                                                        {"convection3d", 13},
                                                                        {"elasticity3d", 8},
                                                                        {"tridiagonal", 2000},
                                                                        {"arrow", 2000},
                                                                        {"block-diagonal", 300},
                                                                        {"random", 1500}}) {
    const auto a = gallery_matrix<double>(kind, n);
    const auto made = analyses_of(a, numeric::KindChoice::automatic, 0, options);
    ASSERT_TRUE(made) << kind;
    const auto whole = as_distributed(a);
    if (world_rank() > 0) continue;
    ASSERT_EQ(made->size(), options.size());
    EXPECT_EQ(made->front().kind, likely_kind(a)) << kind;
    for (std::size_t k = 0; k < options.size(); ++k) {
      const Analysis& analysis = (*made)[k];
      const auto& [row_new, col_new, row_scale, col_scale, tree, partner] = analysis.ordering;
      const auto pattern = matrix::symmetrized(matrix::permuted(whole.pattern, row_new, col_new));
      const auto alone = symbolic::analyze(pattern, tree, options[k]);
      // Without zeros in supernodes the same; with them, up to the order of equal columns.
      const double entries = stored_entries(*alone.structure), made_of = stored_entries(*analysis.structure);
      EXPECT_LE(std::abs(made_of - entries), k == 0 ? 0 : 0.02 * entries) << kind;
      EXPECT_EQ(alone.structure->tree.end.size(), analysis.structure->tree.end.size()) << kind;
    }
  }
}

TEST(ParallelAnalysis, FillsLittleMoreThanThatOfOneRank) {
  for (const auto& [kind, n] : std::vector<std::pair<std::string, int>>{{"s2d9", 100}, {"poisson3d", 24}}) {
    const auto a = gallery_matrix<double>(kind, n);
    const auto entries = [&](Method method) {
      const Solver<double> solver(MPI_COMM_WORLD, scattered_rows<double>(a.rows()).of(a, true),
                                  {.plan = model::only({.grid = {world_size(), 1, 1}}), .ordering = method});
      return double(solver.report().factor.nonzeros_l);
    };
    EXPECT_LT(entries(Method::ptscotch), 1.2 * entries(Method::metis)) << kind;
  }
}

template <class T>
class AnalysisOfAllRanks : public testing::Test {};
TYPED_TEST_SUITE(AnalysisOfAllRanks, testing_support::Scalars);

TYPED_TEST(AnalysisOfAllRanks, SolvesDefiniteAndGeneralSystems) {
  using T = TypeParam;
  for (const std::string kind : {"poisson3d", "convection3d"}) {
    const auto a = gallery_matrix<T>(kind, 12);
    const auto rows = scattered_rows<T>(a.rows());
    Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), {.ordering = Method::ptscotch});
    EXPECT_EQ(solver.report().factor.kind, kind == "poisson3d" ? "cholesky" : "lu");
    for (const Op op : every_op) {
      const auto made = solve_known(solver, a, rows, op);
      EXPECT_TRUE(made.answer.solved()) << static_cast<char>(op);
      EXPECT_LT(made.error, 1e3 * std::numeric_limits<RealOf<T>>::epsilon()) << static_cast<char>(op);
    }
  }
}

TEST(ParallelAnalysis, SolvesInBadUnits) {
  auto a = gallery_matrix<double>("convection3d", 12);
  for (Index i = 0; i < a.rows(); ++i)
    for (const Offset e : a.pattern.entries(i))
      a.value[usize(e)] = std::ldexp(a.value[usize(e)], i % 300 - 150 + a.pattern.col[usize(e)] % 40);
  const auto rows = scattered_rows<double>(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), {.ordering = Method::ptscotch});
  EXPECT_TRUE(solve_known(solver, a, rows, Op::none).answer.solved());
}

TEST(ParallelAnalysis, SolvesWithRowsInAnyOrder) {
  const auto a = testing_support::with_rows_shuffled(gallery_matrix<double>("convection3d", 12));
  const auto rows = scattered_rows<double>(a.rows());
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), {.ordering = Method::ptscotch});
  for (const Op op : every_op) EXPECT_TRUE(solve_known(solver, a, rows, op).answer.solved());
}

TYPED_TEST(AnalysisOfAllRanks, SolvesIndefiniteSystems) {
  using T = TypeParam;
  for (const auto& [kind, n] : std::vector<std::pair<std::string, int>>{{"kkt3d", 8}, {"maxwell3d", 7}}) {
    const auto a = gallery_matrix<T>(kind, n);
    const auto rows = scattered_rows<T>(a.rows());
    const auto delayed = [&](Method method, const std::string& expected) {
      Solver<T> solver(MPI_COMM_WORLD, rows.of(a, true), {.ordering = method});
      EXPECT_EQ(solver.report().factor.kind, expected) << kind;
      for (const Op op : every_op) EXPECT_TRUE(solve_known(solver, a, rows, op).answer.solved()) << kind;
      return solver.report().factor.delayed_pivots;
    };
    const std::string expected = is_complex<T> ? "ldlh" : "ldlt";
    const auto of_one_rank = delayed(Method::automatic, expected);
    EXPECT_LE(delayed(Method::ptscotch, expected), of_one_rank + a.rows() / 20) << kind;
  }
}

TEST(ParallelAnalysis, IsOfTheKindThatSuits) {
  using numeric::Kind, numeric::KindChoice;
  if (world_size() == 1) GTEST_SKIP() << "one rank analyzes as if there were no others";
  const std::array<symbolic::SymbolicOptions, 1> options{};
  const auto definite = gallery_matrix<double>("poisson3d", 12);
  const auto general = gallery_matrix<double>("convection3d", 12);
  auto negative = definite;
  for (double& v : negative.value) v = -v;
  struct Case {
    const matrix::Csr<double>& a;
    KindChoice choice;
    int failed;
    std::optional<Kind> kind;
  };
  for (const auto& [a, choice, failed, kind] :
       std::vector<Case>{{definite, KindChoice::automatic, 0, Kind::cholesky},
                         {definite, KindChoice::automatic, 1, Kind::ldlt},
                         {definite, KindChoice::automatic, 2, Kind::lu},
                         {definite, KindChoice::ldlt, 0, Kind::ldlt},
                         {definite, KindChoice::lu, 0, Kind::lu},
                         {negative, KindChoice::automatic, 0, Kind::ldlt},
                         {negative, KindChoice::cholesky, 0, std::nullopt},
                         {general, KindChoice::automatic, 0, Kind::lu},
                         {general, KindChoice::ldlt, 0, std::nullopt}}) {
    const auto made = analyses_of(a, choice, failed, options);
    EXPECT_EQ(made.has_value(), kind.has_value());
    if (world_rank() == 0 && made) EXPECT_EQ(made->front().kind, kind);
  }
}

// One group of rows with the same neighbours: no rank would have anything to dissect.
TEST(ParallelAnalysis, SolvesDenseSystems) {
  const Index n = 64 * world_size();
  matrix::Csr<double> a{{.rows = n, .cols = n, .row_ptr = {0}, .col = {}}, {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      a.pattern.col.push_back(j);
      a.value.push_back(i == j ? 2.0 * n : 1.0 / (1 + (i + 2 * j) % 7));
    }
    a.pattern.row_ptr.push_back(std::ssize(a.value));
  }
  const auto rows = scattered_rows<double>(n);
  Solver<double> solver(MPI_COMM_WORLD, rows.of(a, true), {.ordering = Method::ptscotch});
  EXPECT_TRUE(solve_known(solver, a, rows, Op::none).answer.solved());
}

// Systems that cannot be matched, and few rows.
TEST(ParallelAnalysis, LeavesTheRestToOneRank) {
  using numeric::KindChoice;
  const std::array<symbolic::SymbolicOptions, 1> options{};
  EXPECT_FALSE(analyses_of(gallery_matrix<double>("poisson3d", 3), KindChoice::automatic, 0, options));
  auto singular = gallery_matrix<double>("convection3d", 12);
  for (const Index i : {7, 900})
    for (const Offset e : singular.pattern.entries(i))
      singular.value[usize(e)] = singular.pattern.col[usize(e)] == 7 ? 1 : 0;
  EXPECT_FALSE(analyses_of(singular, KindChoice::automatic, 0, options));
}

TEST(ParallelAnalysis, IsNotNeededForWhatOneRankHolds) {
  const std::array<symbolic::SymbolicOptions, 1> options{};
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto a = gallery_matrix<double>("poisson3d", 12);
  const LinearSystem<double> system(comm, scattered_rows<double>(a.rows()).of(a, true));
  for (const Method method : {Method::automatic, Method::metis, Method::amd, Method::natural})
    EXPECT_FALSE(analyze_in_parallel(comm, system, {.ordering = {.method = method}, .symbolic = options},
                                     silent_observer()));
  // 8 million rows of a seven-point stencil take some GB, but no more memory than a node has.
  EXPECT_GT(bytes_to_order_alone(8'000'000, 56e6, 8), 2e9);
  EXPECT_LT(bytes_to_order_alone(8'000'000, 56e6, 8), 8e9);
}

TEST(ParallelAnalysis, ServesOtherValues) {
  const auto a = gallery_matrix<double>("convection3d", 12);
  const auto rows = scattered_rows<double>(a.rows());
  const AnalyzedSystem<double> analyzed(MPI_COMM_WORLD, rows.of(a, true), {.ordering = Method::ptscotch});
  auto other = a;
  for (double& v : other.value) v *= 1.5;
  auto solver = analyzed.factorize(MPI_COMM_WORLD, rows.of(other, true).a.value);
  EXPECT_TRUE(solve_known(solver, other, rows, Op::transpose).answer.solved());
}

TEST(ParallelAnalysis, NamesAnEntryThatIsNotFinite) {
  auto a = gallery_matrix<double>("convection3d", 12);
  a.value[usize(a.pattern.row_ptr[900])] = std::numeric_limits<double>::infinity();
  const auto rows = scattered_rows<double>(a.rows());
  EXPECT_THAT([&] { Solver<double>(MPI_COMM_WORLD, rows.of(a, true), {.ordering = Method::ptscotch}); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("not finite")));
}

}  // namespace
}  // namespace trisweep::solve
