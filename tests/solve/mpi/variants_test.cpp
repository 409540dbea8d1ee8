// Every combination of every axis of the plan, against the matrix itself: what is added to a table is tested
// here without a word. With TRISWEEP_VARIANTS=WORD in the environment only those whose name has that word.

#include "trisweep/plan/variants.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>

#include "gallery/gallery.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/plan/make_plan.hpp"
#include "trisweep/plan/traffic.hpp"

namespace trisweep::solve {
namespace {

using testing_support::factored;
using testing_support::grids_of;
using testing_support::Problem;
using testing_support::random_matrix;
using testing_support::world_size;

struct Variant {
  TriangularSolverOptions options;
  std::string transport;
  std::string name;
};

bool is_wanted(const Variant& variant) {
  const char* word = std::getenv("TRISWEEP_VARIANTS");
  return word == nullptr || variant.name.find(word) != std::string::npos;
}

std::vector<Variant> variants(const distribution::ProcessGrid& grid) {
  std::vector<Variant> all;
  const auto add = [&](const TriangularSolverOptions& options,
                       std::initializer_list<std::string_view> names) {
    for (const bool deterministic : {false, true}) {
      Variant variant{options, std::string(*(names.end() - 1)),
                      grid.name() + (deterministic ? " deterministic" : "")};
      variant.options.deterministic = deterministic;
      for (const std::string_view name : names) variant.name.append(" ").append(name);
      all.push_back(std::move(variant));
    }
  };
  for (const auto& mapping : distribution::mappings()) {
    for (const auto& tree : plan::trees()) {
      for (const auto& schedule : plan::schedules()) {
        for (const auto& inter_grid : plan::inter_grids()) {
          // Of these the exchange is no choice, and the trees are those of level-sync.
          if (schedule.baseline && (tree.choice != plan::flat_tree || &inter_grid != &plan::inter_grids()[0]))
            continue;
          for (const auto& transport : mpi::transports()) {
            add({.grid = grid,
                 .mapping = mapping,
                 .tree = tree.choice,
                 .schedule = schedule.choice,
                 .inter_grid = inter_grid.choice,
                 .transport = transport.make,
                 .grain = 40,  // many tasks and tiles even from a small matrix
                 .tiling = {.width = 3, .least = 1}},
                {mapping.name, tree.name, schedule.name, inter_grid.name, transport.name});
          }
        }
      }
    }
  }
  std::erase_if(all, [](const Variant& variant) { return !is_wanted(variant); });
  if (all.empty()) ADD_FAILURE() << "no variant has the word of TRISWEEP_VARIANTS in its name";
  return all;
}

constexpr std::array ops{Op::none, Op::transpose, Op::conjugate_transpose};

// This rank's plans for every op.
using Plans = std::vector<plan::Plan>;
Plans plans_of(const Analysis& analysis, const TriangularSolverOptions& o) {
  const auto structure = distribution::in_tiles(analysis.structure, o.mapping, o.grid, o.tiling);
  const auto mapping = o.mapping.make(*structure, o.grid);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto share = distribution::make_local_blocks(*structure, *mapping, rank);
  Plans plans;
  for (const Op op : ops) {
    const plan::PlanSpec spec{.op = op,
                              .upper_is_lower = !numeric::has_upper(analysis.kind),
                              .tree = o.tree,
                              .inter_grid = o.inter_grid,
                              .lower_op = numeric::upper_of_lower(analysis.kind)};
    plans.push_back(plan::make_plan(*structure, *mapping, share,
                                    o.schedule(*structure, *mapping, share.layer, spec),
                                    {.ordered = o.deterministic, .grain = o.grain.value()}));
  }
  return plans;
}

bool sends(const Plans& plans) {
  for (const plan::Plan& plan : plans) {
    const plan::RankTraffic traffic = plan::traffic_of(plan);
    if (traffic.messages() > 0) return true;
  }
  return false;
}

// Variants with different plans: of those whose choice changes no rank's plan (a tree with two members, the
// exchange between layers of one layer), or that have no messages, one is tested.
std::vector<Variant> distinct_variants(const Analysis& analysis, const distribution::ProcessGrid& grid) {
  const mpi::Communicator comm(MPI_COMM_WORLD);
  std::vector<Variant> all = variants(grid), kept;
  std::vector<Plans> seen;
  std::set<std::pair<std::vector<Index>, std::string>> met;  // which of the plans seen each rank has
  for (Variant& variant : all) {
    Plans plans = plans_of(analysis, variant.options);
    const bool silent = comm.max(sends(plans) ? 1.0 : 0.0) == 0;
    const auto same = std::find(seen.begin(), seen.end(), plans);
    auto of_ranks = comm.gather(static_cast<Index>(same - seen.begin()));
    comm.broadcast(of_ranks);
    if (same == seen.end()) seen.push_back(std::move(plans));
    if (met.emplace(of_ranks, silent ? "" : variant.transport).second) kept.push_back(std::move(variant));
  }
  return kept;
}

// The grids that the strategies must be compared on, of as many ranks as this program runs with: layers, both
// sides of a 2D grid, and one side alone, on which trees have the most members.
std::vector<distribution::ProcessGrid> grids() {
  std::vector<distribution::ProcessGrid> chosen;
  for (const distribution::ProcessGrid grid : {distribution::ProcessGrid{1, 1, 1},
                                               {1, 1, 4},
                                               {2, 2, 1},
                                               {4, 1, 1},
                                               {2, 3, 1},
                                               {6, 1, 1},
                                               {2, 2, 2},
                                               {1, 8, 1},
                                               {3, 2, 2},
                                               {4, 2, 2}}) {
    if (grid.ranks() == world_size()) chosen.push_back(grid);
  }
  return chosen.empty() ? grids_of(world_size()) : chosen;
}

// Messages and bytes by kind: what the run counted is what the plan says, exactly.
template <Scalar T>
void expect_traffic_of_plan(const TriangularSolver<T>& solver, Op op, Index nrhs, const std::string& name) {
  const plan::RankTraffic predicted = plan::traffic_of(solver.plan(op));
  const engine::PhaseProfile done = solver.last().sum();
  const auto bytes = [&](Offset rows) { return rows * nrhs * static_cast<Offset>(sizeof(T)); };
  for (const plan::MessageKind kind : plan::message_kinds) {
    const auto& expected = predicted.of(kind);
    const auto& sent = done.sent[plan::index_of(kind)];
    const auto& received = done.received[plan::index_of(kind)];
    EXPECT_EQ(sent, (engine::MessageTotals{expected.sent.messages, bytes(expected.sent.rows)})) << name;
    EXPECT_EQ(received, (engine::MessageTotals{expected.received.messages, bytes(expected.received.rows)}))
        << name;
  }
}

bool has_tiles(const symbolic::Structure& s) {
  for (Index k = 0; k < s.supernodes(); ++k)
    if (s.is_tile(k)) return true;
  return false;
}

template <class T>
class Variants : public testing::Test {};
TYPED_TEST_SUITE(Variants, testing_support::Scalars);

TYPED_TEST(Variants, AllSolveEveryOpWithAnyNumberOfRightHandSides) {
  using T = TypeParam;
  for (const auto& [hermitian, whole_levels] : {std::pair(false, 0), {false, 3}, {true, 0}, {true, 3}}) {
    const auto a = random_matrix<T>({.n = 80, .per_row = 2, .hermitian = hermitian, .seed = 3});
    const auto factors = factored(a, whole_levels);
    EXPECT_EQ(factors->analysis->kind, hermitian ? numeric::Kind::cholesky : numeric::Kind::lu);
    for (const auto& grid : grids()) {
      std::vector<Problem<T>> problems;
      for (const Variant& variant : distinct_variants(*factors->analysis, grid)) {
        TriangularSolver<T> solver(MPI_COMM_WORLD, factors, variant.options);
        const bool shared = variant.options.mapping.node_sides(solver.structure(), grid)[1] > 1;
        EXPECT_EQ(has_tiles(solver.structure()), whole_levels > 0 && shared) << variant.name;
        if (problems.empty()) {
          for (const Op op : ops) {
            for (const Index nrhs : {50, 7, 1}) problems.emplace_back(solver, a, op, nrhs);
          }
        }
        for (const Problem<T>& problem : problems) {
          const std::string name =
              variant.name + " op " + char(problem.op) + " nrhs " + std::to_string(problem.nrhs);
          EXPECT_LT(problem.error(problem.solve_with(solver)), 500)
              << name << " hermitian " << hermitian << " whole levels " << whole_levels;
          expect_traffic_of_plan(solver, problem.op, problem.nrhs, name);
        }
      }
    }
  }
}

// L D L^T, whose sweeps differ from Cholesky's by conjugation alone.
TEST(Variants, SolveComplexSymmetricSystems) {
  using T = std::complex<double>;
  auto a = random_matrix<T>({.n = 80, .per_row = 2, .hermitian = true, .seed = 3});
  for (Index i = 0; i < a.rows(); ++i) {
    for (const Offset e : a.pattern.entries(i))
      if (a.pattern.col[usize(e)] > i) a.value[usize(e)] = std::conj(a.value[usize(e)]);
  }
  const auto factors = factored(a, 3);
  ASSERT_EQ(factors->analysis->kind, numeric::Kind::ldlt);
  for (const auto& grid : grids()) {
    for (const Variant& variant : distinct_variants(*factors->analysis, grid)) {
      TriangularSolver<T> solver(MPI_COMM_WORLD, factors, variant.options);
      for (const Op op : ops) {
        const Problem<T> problem(solver, a, op, 2);
        EXPECT_LT(problem.error(problem.solve_with(solver)), 500) << variant.name << " op " << char(op);
      }
    }
  }
}

// Supernodes as wide as they are: the panels of narrow tiles stay as they are.
TEST(Variants, SolveWithCompressedPanels) {
  constexpr double eps = 1e-6;
  const auto a = std::get<matrix::Csr<double>>(gallery::make_matrix("convection3d", {.n = 8}));
  AnalysisOptions options{.symbolic = {.whole_levels = 3}};
  options.ordering.tree_levels = 4;
  const auto factors = std::make_shared<const Factorization<double>>(
      factor<double>(a, std::make_shared<const Analysis>(in_clusters(a, analyze(a, options)))));
  for (const auto& grid : grids()) {
    for (Variant variant : distinct_variants(*factors->analysis, grid)) {
      if (!variant.options.deterministic) continue;
      variant.options.tiling = {};
      variant.options.grain = 1000;
      variant.options.compression.eps = eps;
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors, variant.options);
      ASSERT_TRUE(solver.compression()) << variant.name;
      EXPECT_LT(solver.compression()->bytes(), 0.9 * solver.compression()->uncompressed_bytes());
      const Problem<double> problem(solver, a, Op::none, 1);
      const double error = problem.error(problem.solve_with(solver)) * 2e-16;
      EXPECT_LT(error, 1e3 * eps) << variant.name;
      EXPECT_GT(error, 1e-3 * eps) << variant.name << ": nothing was compressed";
      expect_traffic_of_plan(solver, Op::none, 1, variant.name);
    }
  }
}

TEST(Variants, WithoutDependenciesThereIsTheSameTrafficAndNoHang) {
  const auto a = random_matrix<double>({.n = 80, .per_row = 2, .seed = 4});
  const auto factors = factored(a, 3);
  for (const auto& grid : grids()) {
    for (Variant variant : distinct_variants(*factors->analysis, grid)) {
      variant.options.dependencies = false;
      TriangularSolver<double> solver(MPI_COMM_WORLD, factors, variant.options);
      const Problem<double> problem(solver, a, Op::none, 3);
      for (int repeat = 0; repeat < 3; ++repeat) {
        problem.solve_with(solver);
        expect_traffic_of_plan(solver, Op::none, 3, variant.name);
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::solve
