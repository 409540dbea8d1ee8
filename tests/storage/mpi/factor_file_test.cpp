#include "trisweep/storage/factor_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/solver.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::storage {
namespace {

namespace fs = std::filesystem;
using solve::Answer;
using solve::Factorization;
using solve::GivenFactors;
using testing_support::random_matrix;
using testing_support::show_life;
using testing_support::world_rank;

// Before anything else here.
const bool hdf5_is_left_alone = (leave_hdf5_alone_at_exit(), true);

// With pivots that are delayed: the structure is not that of the analysis any more.
template <Scalar T>
matrix::Csr<T> hard_matrix() {
  auto a = random_matrix<T>({.n = 60, .per_row = 4, .seed = 6});
  for (std::size_t e = 0; e < a.value.size(); e += 3) a.value[e] *= RealOf<T>(1e-3);
  return a;
}

template <Scalar F, Scalar T>
std::shared_ptr<const Factorization<F>> factors_of(const matrix::Csr<T>& a) {
  return std::make_shared<const Factorization<F>>(
      solve::factor<F>(a, std::make_shared<const solve::Analysis>(solve::analyze(a))));
}

class FactorFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / fmt::format("trisweep-factor-file-{}", getpid());
    world.broadcast(name);
    path = name;
  }
  void TearDown() override {
    wait();
    if (world.rank() == 0) fs::remove_all(path);
  }

  // On rank 0.
  template <Scalar T>
  void save(const matrix::Csr<T>& a, const char* precision) const {
    GivenFactors<T> given;
    if (std::string(precision) == "mixed") {
      given.in_single = factors_of<Single<T>>(a);
    } else {
      given.in_full = factors_of<T>(a);
    }
    using Read = std::conditional_t<is_complex<T>, std::complex<double>, double>;
    const matrix::Csr<Read> read{a.pattern, {a.value.begin(), a.value.end()}};
    OutputFolder folder(path, factor_index);
    save_factors<T>(folder, read, precision, given);
  }

  // All ranks; the answer to op(A) x = 1 on that grid.
  template <Scalar T>
  Answer solve_on(const distribution::ProcessGrid& grid, const matrix::Csr<T>& a, bool mixed, Op op) const {
    GivenFactors<T> given;
    if (world.rank() == 0) given = load_factors<T>(path);
    solve::Solver<T> solver(MPI_COMM_WORLD,
                            solve::dealt_out(MPI_COMM_WORLD, world.rank() == 0 ? a : matrix::Csr<T>()),
                            {.plan = model::only({.grid = grid}), .mixed = mixed}, std::move(given));
    if (world.rank() == 0) EXPECT_EQ(solver.report().factor.seconds, 0);
    std::vector<T> b(usize(solver.rows()), T(1)), x(b.size());
    return solver.solve(b, x, op);
  }

  void wait() const { world.sum(0.0); }  // for rank 0's folder
  std::string refusal() const {
    try {
      static_cast<void>(load_matrix(path));
      static_cast<void>(load_factors<double>(path));
    } catch (const Error& e) {
      return e.what();
    }
    return "taken";
  }

  const mpi::Communicator world{MPI_COMM_WORLD};
  fs::path path;
};

template <class T>
class FactorFileOf : public FactorFile {};
TYPED_TEST_SUITE(FactorFileOf, testing_support::Scalars);

TYPED_TEST(FactorFileOf, SolvesOnEveryGrid) {
  using T = TypeParam;
  const auto a = hard_matrix<T>();
  for (const char* precision : {std::same_as<RealOf<T>, float> ? "float" : "double", "mixed"}) {
    const bool mixed = std::string(precision) == "mixed";
    if (mixed && std::same_as<T, Single<T>>) continue;
    if (this->world.rank() == 0) this->save(a, precision);
    this->wait();
    EXPECT_EQ(saved_precision(this->path), precision);
    for (const auto& grid : testing_support::grids_of(this->world.size())) {
      show_life();
      for (const Op op : {Op::none, Op::conjugate_transpose}) {
        const Answer answer = this->solve_on(grid, a, mixed, op);
        EXPECT_TRUE(answer.solved()) << grid.name();
        EXPECT_LT(answer.error.arioli_demmel_duff, 450 * std::numeric_limits<RealOf<T>>::epsilon());
      }
    }
    this->wait();
  }
}

TEST_F(FactorFile, TheMatrixIsAsItWas) {
  if (world.rank() > 0) return;
  const auto a = hard_matrix<std::complex<double>>();
  save(a, "double");
  const auto read = std::get<matrix::Csr<std::complex<double>>>(load_matrix(path));
  EXPECT_EQ(read.pattern.row_ptr, a.pattern.row_ptr);
  EXPECT_EQ(read.pattern.col, a.pattern.col);
  EXPECT_EQ(read.value, a.value);
}

// With the order of the first: the factorization begins anew only where it has to.
TEST_F(FactorFile, OtherValuesAreFactored) {
  auto a = hard_matrix<double>();
  if (world.rank() == 0) save(a, "double");
  wait();
  GivenFactors<double> given;
  if (world.rank() == 0) given = load_factors<double>(path);
  const auto rows = testing_support::uneven_blocks(a.rows());
  solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false), {}, std::move(given));
  for (std::size_t e = 0; e < a.value.size(); ++e) a.value[e] *= 1 + double(e % 5);
  solver.refactor(rows.of(a, false).a.value);
  std::vector<double> b(usize(solver.rows()), 1.0), x(b.size());
  EXPECT_TRUE(solver.solve(b, x).solved());
}

// Whatever rows the ranks have, that save them or solve with them.
TYPED_TEST(FactorFileOf, OfASolverAreOfTheMatrixInItsOwnOrder) {
  using T = TypeParam;
  const auto a = hard_matrix<T>();
  std::vector<T> ones(usize(a.rows()), T(1)), b(ones.size());
  matrix::multiply<T>(a, Op::none, ones, b);
  for (const bool mixed : {false, true}) {
    if (mixed && std::same_as<T, Single<T>>) continue;
    for (const bool scattered_first : {false, true}) {
      show_life();
      const testing_support::RowsOf<T> scattered{testing_support::scattered(a.rows()).number};
      const testing_support::RowsOf<T> blocks{testing_support::uneven_blocks(a.rows()).number};
      const auto& first = scattered_first ? scattered : blocks;
      const auto& second = scattered_first ? blocks : scattered;
      solve::Solver<T> saved(MPI_COMM_WORLD, first.of(a, true), {.mixed = mixed});
      solve::FactoredSystem<T> system = saved.factored_system();
      if (this->world.rank() == 0) {
        EXPECT_EQ(system.a.pattern.col, a.pattern.col);
        EXPECT_EQ(system.a.value, a.value);
        EXPECT_EQ(system.factors.in_single != nullptr, mixed);
      } else {
        EXPECT_TRUE(system.a.value.empty() && !system.factors.in_full && !system.factors.in_single);
      }
      solve::Solver<T> solver(MPI_COMM_WORLD, second.of(a, true), {.mixed = mixed},
                              std::move(system.factors));
      EXPECT_EQ(solver.report().factor.seconds, 0);
      const auto right = second.of(std::span<const T>(b), 1);
      std::vector<T> x(right.size());
      const Answer answer = solver.solve(right, x);
      EXPECT_TRUE(answer.solved());
      EXPECT_FALSE(solver.report().factor.second_try);
      for (const T& v : x) EXPECT_LT(std::abs(v - T(1)), 1e6 * std::numeric_limits<RealOf<T>>::epsilon());
    }
  }
}

TEST_F(FactorFile, OfAnotherSizeOrTypeIsRefused) {
  const auto a = hard_matrix<double>();
  if (world.rank() == 0) save(a, "double");
  wait();
  const auto other = random_matrix<double>({.n = 61, .per_row = 4, .seed = 6});
  EXPECT_THROW(static_cast<void>(solve_on({world.size(), 1, 1}, other, false, Op::none)), Error);
  if constexpr (testing_support::has_single)
    EXPECT_THROW(static_cast<void>(load_factors<Single<double>>(path)), InputError);
  EXPECT_THROW(static_cast<void>(load_factors<std::complex<double>>(path)), InputError);
  EXPECT_THROW(static_cast<void>(load_factors<double>(path / "none")), InputError);
}

// Panels of one saving are not taken for those of another.
TEST_F(FactorFile, FilesOfTwoFoldersAreNotMixed) {
  if (world.rank() > 0) return;
  const auto a = hard_matrix<double>();
  save(a, "double");
  const fs::path panels = path / "panels-0.h5", kept = path.string() + "-panels";
  fs::copy_file(panels, kept);
  save(a, "double");
  fs::rename(kept, panels);
  EXPECT_NE(refusal().find("does not belong to the index"), std::string::npos) << refusal();
}

TEST_F(FactorFile, DamagedAndCutShortItIsRefusedOrAsItWas) {
  if (world.rank() > 0) return;
  const auto a = hard_matrix<double>();
  save(a, "double");
  const auto sound = load_factors<double>(path);
  const auto& expected = *sound.in_full->factors;
  for (const fs::path& file : {path / factor_index, path / "panels-0.h5"}) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string whole = text.str();
    const auto replace = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 500) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
      replace(bytes);
      if (refusal() != "taken") continue;
      const auto given = load_factors<double>(path);
      const auto& read = *given.in_full->factors;
      EXPECT_TRUE(std::ranges::equal(read.lower.span(), expected.lower.span()) &&
                  std::ranges::equal(read.diagonal.span(), expected.diagonal.span()) &&
                  std::ranges::equal(read.upper.span(), expected.upper.span()))
          << file << " byte " << at;
      EXPECT_EQ(given.in_full->analysis->ordering.row_new, sound.in_full->analysis->ordering.row_new);
      EXPECT_EQ(given.in_full->analysis->ordering.row_scale, sound.in_full->analysis->ordering.row_scale);
      EXPECT_EQ(given.in_full->scaled_norm_one, sound.in_full->scaled_norm_one) << file << " byte " << at;
      EXPECT_EQ(given.diagonal, sound.diagonal);
    }
    for (std::size_t part = 0; part < 8; ++part) {
      replace(whole.substr(0, whole.size() * part / 8));
      EXPECT_NE(refusal(), "taken") << file << " " << part;
    }
    replace(whole);
    EXPECT_EQ(refusal(), "taken");
  }
}

}  // namespace
}  // namespace trisweep::storage
