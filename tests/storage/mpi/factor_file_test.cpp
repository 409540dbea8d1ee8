#include "trisweep/storage/factor_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/injection.hpp"
#include "support/random_matrix.hpp"
#include "support/rows_of.hpp"
#include "support/scalars.hpp"
#include "support/solver.hpp"
#include "trisweep/solve/given_factors.hpp"
#include "trisweep/solve/root_factors.hpp"
#include "trisweep/solve/solver.hpp"
#include "trisweep/storage/hdf5_file.hpp"

namespace trisweep::storage {
namespace {

namespace fs = std::filesystem;
using solve::Answer;
using solve::FactorSources;
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

// On rank 0; elsewhere nothing.
template <Scalar F, Scalar T>
std::shared_ptr<solve::FactorSource<F>> factors_of(const matrix::Csr<T>& a) {
  std::shared_ptr<const solve::Factorization<F>> made;
  if (world_rank() == 0)
    made = std::make_shared<const solve::Factorization<F>>(
        solve::factor<F>(a, std::make_shared<const solve::Analysis>(solve::analyze(a))));
  return solve::root_factors<F>(std::move(made));
}

// This rank's rows, as files have them.
template <Scalar T>
solve::AnyBlockRows rows_as_read(const mpi::Communicator& comm, const matrix::Csr<T>& a) {
  using Read = std::conditional_t<is_complex<T>, std::complex<double>, double>;
  return solve::dealt_out(comm.handle(),
                          matrix::AnyCsr(matrix::Csr<Read>{a.pattern, {a.value.begin(), a.value.end()}}));
}

// The whole matrix.
template <Scalar T>
matrix::Csr<T> saved_matrix(const fs::path& folder) {
  const RowFiles rows = saved_system(folder).rows;
  return read_rows<T>(rows, 0, rows.partition.rows());
}

template <Scalar T>
void expect_equal(const matrix::Csr<T>& a, const matrix::Csr<T>& b) {
  EXPECT_EQ(a.pattern.row_ptr, b.pattern.row_ptr);
  EXPECT_EQ(a.pattern.col, b.pattern.col);
  EXPECT_EQ(a.value, b.value);
}

// Rows [first, last).
template <Scalar T>
matrix::Csr<T> rows_of(const matrix::Csr<T>& a, Index first, Index last) {
  const Offset begin = a.pattern.row_ptr[usize(first)], end = a.pattern.row_ptr[usize(last)];
  matrix::Csr<T> rows;
  rows.pattern.rows = last - first;
  rows.pattern.cols = a.cols();
  for (Index i = first + 1; i <= last; ++i)
    rows.pattern.row_ptr.push_back(a.pattern.row_ptr[usize(i)] - begin);
  rows.pattern.col.assign(a.pattern.col.begin() + begin, a.pattern.col.begin() + end);
  rows.value.assign(a.value.begin() + begin, a.value.begin() + end);
  return rows;
}

template <class Work>
std::optional<ErrorKind> kind_of(const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.kind();
  }
  return std::nullopt;
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

  template <Scalar T>
  void save(const mpi::Communicator& comm, const matrix::Csr<T>& a, const char* precision,
            const FactorSources<T>& factors) const {
    std::optional<OutputFolder> folder;
    if (comm.rank() == 0) folder.emplace(path, foreign_to_factors);
    save_factors<T>(comm, folder ? &*folder : nullptr, rows_as_read(comm, a), precision, factors);
    wait();
  }
  // Factors that rank 0 has, written by all.
  template <Scalar T>
  void save(const matrix::Csr<T>& a, const char* precision) const {
    FactorSources<T> given;
    if (std::string(precision) == "mixed") {
      given.in_single = factors_of<Single<T>>(a);
    } else {
      given.in_full = factors_of<T>(a);
    }
    save(world, a, precision, given);
  }

  // The answer to op(A) x = 1 on that grid.
  template <Scalar T>
  Answer solve_on(const distribution::ProcessGrid& grid, const matrix::Csr<T>& a, bool mixed, Op op) const {
    solve::Solver<T> solver(
        MPI_COMM_WORLD, solve::dealt_out(MPI_COMM_WORLD, world.rank() == 0 ? a : matrix::Csr<T>()),
        {.plan = model::only({.grid = grid}), .mixed = mixed}, load_factors<T>(world, path));
    std::vector<T> b(usize(solver.rows()), T(1)), x(b.size());
    Answer answer = solver.solve(b, x, op);
    EXPECT_EQ(solver.report().factor.seconds, 0);  // no others were made
    return answer;
  }

  void wait() const { world.sum(0.0); }  // for rank 0's folder

  // What one rank that applies all of the factors reads of them.
  struct Read {
    std::shared_ptr<const solve::Analysis> analysis;
    engine::PieceValues<double> panels;
    double norm_one;
    std::string diagonal;
  };
  Read read_all() const {
    const mpi::Communicator self(MPI_COMM_SELF);
    const auto factors = load_factors<double>(self, path);
    auto& source = *factors.in_full;
    const auto analysis = source.analysis(self);
    const distribution::Distribution whole(analysis->structure, distribution::find_mapping("block-cyclic"),
                                           {1, 1, 1});
    const auto blocks = distribution::make_local_blocks(*whole.structure, *whole.mapping, 0);
    return {analysis, source.panels(self, whole, blocks), source.scaled_norm_one(self), factors.diagonal};
  }
  std::string refusal() const {
    try {
      static_cast<void>(saved_matrix<double>(path));
      static_cast<void>(read_all());
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
    this->save(a, precision);
    EXPECT_EQ(saved_system(this->path).precision, precision);
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

// Whatever number of ranks has written it, and reads it.
TEST_F(FactorFile, TheMatrixIsAsItWas) {
  using T = std::complex<double>;
  const auto a = hard_matrix<T>();
  save(a, "double");
  const auto rows = [&](const mpi::Communicator& comm) {
    return std::get<solve::BlockRows<T>>(load_rows(comm, path)).a;
  };
  expect_equal(rows(world), std::get<solve::BlockRows<T>>(rows_as_read(world, a)).a);
  expect_equal(rows(mpi::Communicator(MPI_COMM_SELF)), a);
  expect_equal(saved_matrix<T>(path), a);
  const RowFiles files = saved_system(path).rows;
  for (Index first = 0; first < a.rows(); first += 7)
    expect_equal(read_rows<T>(files, first, first + 4), rows_of(a, first, first + 4));
  wait();
}

TEST_F(FactorFile, OtherBlocksThanEvenOnesAreRefused) {
  const auto a = hard_matrix<double>();
  const FactorSources<double> factors{.in_full = factors_of<double>(a)};
  auto rows = std::get<solve::BlockRows<double>>(rows_as_read(world, a));
  if (world.rank() == world.size() - 1) rows.a.pattern.rows -= 1;
  std::optional<OutputFolder> folder;
  if (world.rank() == 0) folder.emplace(path, foreign_to_factors);
  EXPECT_EQ(
      kind_of([&] { save_factors<double>(world, folder ? &*folder : nullptr, rows, "double", factors); }),
      ErrorKind::usage);
  folder.reset();
  wait();
  EXPECT_FALSE(fs::exists(path));
}

// With the order of the first: the factorization begins anew only where it has to.
TEST_F(FactorFile, OtherValuesAreFactored) {
  auto a = hard_matrix<double>();
  save(a, "double");
  const auto rows = testing_support::uneven_blocks(a.rows());
  solve::Solver<double> solver(MPI_COMM_WORLD, rows.of(a, false), {}, load_factors<double>(world, path));
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
      const solve::FactoredSystem<T> system = saved.factored_system();
      EXPECT_EQ(system.a.value, this->world.rank() == 0 ? a.value : std::vector<T>());
      EXPECT_EQ(system.factors.in_single != nullptr, mixed);
      solve::Solver<T> solver(MPI_COMM_WORLD, second.of(a, true), {.mixed = mixed}, system.factors);
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

TEST_F(FactorFile, OfASolverAreInTheCallersUnits) {
  auto a = hard_matrix<double>();
  const double largest =
      std::abs(*std::ranges::max_element(a.value, {}, [](double v) { return std::abs(v); }));
  for (double& v : a.value) v *= 1e308 / largest;
  const auto rows = testing_support::uneven_blocks(a.rows());
  solve::Solver<double> made(MPI_COMM_WORLD, rows.of(a, true));
  save(world, a, "double", made.factored_system().factors);
  EXPECT_TRUE(solve_on({world.size(), 1, 1}, a, false, Op::none).solved());
}

TEST_F(FactorFile, OfAnotherSizeOrTypeIsRefused) {
  const auto a = hard_matrix<double>();
  save(a, "double");
  const auto other = random_matrix<double>({.n = 61, .per_row = 4, .seed = 6});
  EXPECT_THROW(static_cast<void>(solve_on({world.size(), 1, 1}, other, false, Op::none)), Error);
  if constexpr (testing_support::has_single)
    EXPECT_EQ(kind_of([&] { load_factors<Single<double>>(world, path); }), ErrorKind::input);
  EXPECT_EQ(kind_of([&] { load_factors<std::complex<double>>(world, path); }), ErrorKind::input);
  EXPECT_EQ(kind_of([&] { load_factors<double>(world, path / "none"); }), ErrorKind::input);
}

// Panels and rows of one saving are not taken for those of another.
TEST_F(FactorFile, FilesOfTwoFoldersAreNotMixed) {
  const auto a = hard_matrix<double>();
  for (const char* name : {"panels-0.h5", "rows-0.h5"}) {
    save(a, "double");
    const fs::path file = path / name, kept = path.string() + "-" + name;
    if (world.rank() == 0) fs::copy_file(file, kept);
    wait();
    save(a, "double");
    if (world.rank() == 0) {
      fs::rename(kept, file);
      EXPECT_NE(refusal().find("does not belong to the index"), std::string::npos) << refusal();
    }
    wait();
  }
}

// Where one rank cannot read its part none is left waiting.
TEST_F(FactorFile, AMissingFileIsAnErrorOnAllRanks) {
  const auto a = hard_matrix<double>();
  save(a, "double");
  const auto remove_last = [&](const char* kind) {
    if (world.rank() == 0) {
      const auto file = [&](Index number) { return path / fmt::format("{}-{}.h5", kind, number); };
      Index last = 0;  // rank that has written some
      while (fs::exists(file(last + 1))) ++last;
      fs::remove(file(last));
    }
    wait();
  };
  remove_last("panels");
  EXPECT_EQ(kind_of([&] { solve_on({world.size(), 1, 1}, a, false, Op::none); }), ErrorKind::input);
  remove_last("rows");
  EXPECT_EQ(kind_of([&] { load_rows(world, path); }), ErrorKind::input);
}

// Nor where one fails in any other way.
TEST_F(FactorFile, AFailureOfOneRankIsAnErrorOnAllRanks) {
  const auto a = hard_matrix<double>();
  const auto source = factors_of<double>(a);
  const auto rows = rows_as_read(world, a);
  for (auto* const which :
       {&testing_support::allocations, &testing_support::agreements, &testing_support::transfers}) {
    if (which != &testing_support::allocations && world.size() == 1) continue;
    testing_support::fail_everywhere(
        *which,
        [&](Index rank) {
          std::optional<OutputFolder> folder;
          std::optional<testing_support::Undisturbed> before(std::in_place);
          const testing_support::OwnCommunicator own;
          own.with_object();
          if (rank == 0) folder.emplace(path, foreign_to_factors);
          before.reset();
          const mpi::Communicator comm(own);
          save_factors<double>(comm, folder ? &*folder : nullptr, rows, "double", {.in_full = source});
          load_rows(comm, path);
          const auto saved = load_factors<double>(comm, path).in_full;
          const auto analysis = saved->analysis(comm);
          const distribution::NamedMapping& mapping = distribution::find_mapping("proportional");
          distribution::Distribution dealt;
          const auto blocks = mpi::agree_on_error(comm, [&] {
            dealt = distribution::Distribution(analysis->structure, mapping, {comm.size(), 1, 1});
            return distribution::make_local_blocks(*dealt.structure, *dealt.mapping, comm.rank());
          });
          saved->panels(comm, dealt, blocks);
        },
        {.failures = testing_support::some});
  }
}

TEST_F(FactorFile, DamagedAndCutShortItIsRefusedOrAsItWas) {
  const auto a = hard_matrix<double>();
  save(a, "double");
  if (world.rank() > 0) return;
  const Read expected = read_all();
  const auto expected_matrix = saved_matrix<double>(path);
  for (const fs::path& file : {path / index_of_folder, path / "panels-0.h5", path / "rows-0.h5"}) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string whole = text.str();
    const auto replace = [&](const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; };
    // A bit; and zeros that become ones, which checksums do not tell apart.
    std::vector<std::pair<std::size_t, std::string>> damages;
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 500)
      damages.emplace_back(at, std::string(1, static_cast<char>(whole[at] ^ (1 << at % 8))));
    for (std::size_t at = 0; at + 8 < whole.size(); at += 8 + whole.size() / 4000 * 8)
      if (whole.substr(at, 4) == std::string(4, '\0')) damages.emplace_back(at, std::string(4, '\xff'));
    for (const auto& [at, damage] : damages) {
      std::string bytes = whole;
      bytes.replace(at, damage.size(), damage);
      replace(bytes);
      if (refusal() != "taken") continue;
      const Read read = read_all();
      expect_equal(saved_matrix<double>(path), expected_matrix);
      for (std::size_t side = 0; side < read.panels.side.size(); ++side)
        EXPECT_TRUE(std::ranges::equal(read.panels.side[side], expected.panels.side[side]))
            << file << " byte " << at;
      EXPECT_EQ(read.analysis->ordering.row_new, expected.analysis->ordering.row_new);
      EXPECT_EQ(read.analysis->ordering.row_scale, expected.analysis->ordering.row_scale);
      EXPECT_EQ(read.norm_one, expected.norm_one) << file << " byte " << at;
      EXPECT_EQ(read.diagonal, expected.diagonal);
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
