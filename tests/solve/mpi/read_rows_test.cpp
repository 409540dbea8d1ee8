#include "trisweep/solve/read_rows.hpp"

#include <gmock/gmock.h>

#include "matrix/io_support.hpp"
#include "matrix/petsc_content.hpp"
#include "support/collective_error.hpp"
#include "support/shared_file.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::solve {
namespace {

using Complex = std::complex<double>;
using matrix::test::TemporaryFolder;
using testing::HasSubstr;
using testing_support::SharedFile;

// Large enough for a part on each rank.
constexpr Index file_rows = 40000;
constexpr const char* real_banner = "%%MatrixMarket matrix coordinate real ";

const mpi::Communicator& world() {
  static const auto* const comm = new mpi::Communicator(MPI_COMM_WORLD);  // MPI ends before static objects
  return *comm;
}

// Entries on the diagonal, and two for each row elsewhere in the lower triangle, rows in a shuffled order.
std::string lower_triangle(const std::string& symmetry) {
  std::string text = real_banner + symmetry + "\n";
  text += fmt::format("{} {} {}\n", file_rows, file_rows, 3 * file_rows - 3);
  for (Index k = 0; k < file_rows; ++k) {
    const Index i = static_cast<Index>(Offset{k} * 7919 % file_rows);
    text += fmt::format("{} {} {}\n", i + 1, i + 1, 4 + i);
    if (i > 1) text += fmt::format("{} {} {}\n{} {} {}\n", i + 1, i, -1, i + 1, 1 + i / 3, 0.5 * i);
    if (i == 1) text += "2 1 -3\n";
  }
  return text;
}

// What this rank reads itself.
struct Reading final : Observer {
  int reports = 0;
  void progress(std::string_view stage, double fraction) override {
    EXPECT_EQ(stage, "read");
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    ++reports;
  }
};

// The rows are those of the matrix that one reader reads.
template <Scalar T>
void expect_rows_of(const std::filesystem::path& file, bool by_all_ranks) {
  Reading reading;
  const AnyBlockRows read = read_rows(MPI_COMM_WORLD, file, reading);
  EXPECT_EQ(reading.reports > 0, by_all_ranks || world().rank() == 0);
  const auto& rows = std::get<BlockRows<T>>(read).a;
  const auto whole = std::get<matrix::Csr<T>>(matrix::read_matrix(file));
  const auto partition = distribution::even_partition(whole.rows(), world().size());
  ASSERT_EQ(rows.rows(), partition.count(world().rank()));
  ASSERT_EQ(rows.cols(), whole.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const Index in_whole = partition.first(world().rank()) + i;
    const auto row = rows.pattern.row(i), expected = whole.pattern.row(in_whole);
    ASSERT_TRUE(std::ranges::equal(row, expected)) << "row " << in_whole;
    const auto value = rows.value.begin() + rows.pattern.row_ptr[usize(i)];
    ASSERT_TRUE(std::equal(value, value + std::ssize(row),
                           whole.value.begin() + whole.pattern.row_ptr[usize(in_whole)]))
        << "row " << in_whole;
  }
}

TEST(ReadRows, OfMatrixMarketFilesOfAnySymmetry) {
  for (const char* symmetry : {"general", "symmetric"}) {
    testing_support::show_life();
    const SharedFile file(lower_triangle(symmetry));
    expect_rows_of<double>(file.path(), true);
  }
}

TEST(ReadRows, OfPetscBinaryFiles) {
  using namespace matrix::test::petsc;
  std::vector<std::int64_t> lengths, cols;
  std::vector<double> values;
  for (Index i = 0; i < file_rows; ++i) {
    lengths.push_back(i % 6);
    for (Index k = 0; k < i % 6; ++k) {
      cols.push_back((Offset{i} * 31 + 7 * k) % file_rows);
      values.insert(values.end(), {i + 0.25 * k, double(k)});
    }
  }
  const std::string structure =
      integers({mat, file_rows, file_rows, std::ssize(cols)}) + integers(lengths) + integers(cols);
  const SharedFile complex(structure + doubles(values));
  expect_rows_of<Complex>(complex.path(), true);
  values.resize(cols.size());
  const SharedFile real(structure + doubles(values));
  expect_rows_of<double>(real.path(), true);
}

TEST(ReadRows, OfSmallFilesAndOtherFormats) {
  const SharedFile small(real_banner + std::string("general\n2 2 2\n1 1 1\n2 2 4\n"));
  expect_rows_of<double>(small.path(), false);
  const SharedFile array("%%MatrixMarket matrix array complex general\n1 1\n2 3\n");
  expect_rows_of<Complex>(array.path(), false);
}

// Messages are those of a single reader, whichever part has the defect.
TEST(ReadRows, OfDefectiveFilesAreTheErrorOfASingleReader) {
  const std::string good = lower_triangle("general");
  const auto lines = std::ranges::count(good, '\n');
  const auto with = [&](const std::string& line) { return good + line; };
  const std::string garbage = [&] {
    std::string text = good;
    text.replace(text.find('\n', 3 * text.size() / 4) + 1, 1, "x");
    return text;
  }();
  const std::string cut = good.substr(0, good.rfind('\n', good.size() - 2) + 1);
  for (const auto& [content, message] : std::vector<std::pair<std::string, std::string>>{
           {with("1 2 1\n"),
            fmt::format("a.mtx:{}: more than the {} declared entries", lines + 1, 3 * file_rows - 3)},
           {cut, fmt::format("a.mtx:{}: the file ends after {} of {} entries", lines - 1, 3 * file_rows - 4,
                             3 * file_rows - 3)},
           {garbage, ": expected a row index"},
           {cut + "1 1 9\n",
            fmt::format("a.mtx:{}: duplicate entry at row 1, column 1 (first on line 3)", lines)},
       }) {
    const SharedFile file(content);
    const auto error = testing_support::collective_error_of(ErrorKind::input,
                                                            [&] { read_rows(MPI_COMM_WORLD, file.path()); });
    EXPECT_THAT(error, HasSubstr(message));
    EXPECT_THAT(error, HasSubstr("remedy"));
  }
  const SharedFile rectangular(real_banner + std::string("general\n2 3 1\n1 1 1\n"));
  EXPECT_THAT(testing_support::collective_error_of(ErrorKind::input,
                                                   [&] { read_rows(MPI_COMM_WORLD, rectangular.path()); }),
              HasSubstr("the matrix is 2 x 3, not square"));
}

// On a cluster, only rank 0 may see the file, and others another file of this name.
TEST(ReadRows, OfAFileThatRank0AloneHas) {
  const std::string content = lower_triangle("symmetric");
  const TemporaryFolder own;
  const auto read = [&](const std::filesystem::path& file) {
    const AnyBlockRows rows = read_rows(MPI_COMM_WORLD, file);
    return world().sum(static_cast<std::uint64_t>(std::get<BlockRows<double>>(rows).a.nonzeros()));
  };
  const auto nonzeros = static_cast<std::uint64_t>(5) * file_rows - 6;
  EXPECT_EQ(read(world().rank() == 0 ? own.write("a.mtx", content) : own.path() / "missing"), nonzeros);
  EXPECT_EQ(read(own.write("a.mtx", world().rank() == 0 ? content : lower_triangle("general"))), nonzeros);
}

}  // namespace
}  // namespace trisweep::solve
