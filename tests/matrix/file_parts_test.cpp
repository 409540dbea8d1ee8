#include "trisweep/matrix/file_parts.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "matrix/io_support.hpp"
#include "matrix/petsc_content.hpp"

namespace trisweep::matrix::test {
namespace {

using Complex = std::complex<double>;
using petsc::doubles;
using petsc::integers;
using petsc::mat;
using petsc::vec;

// The entries of all parts, in the order of the file.
template <Scalar T>
Triplets<T> parts_together(const std::filesystem::path& file, Index parts) {
  const auto all = in_parts(file);
  if (!all) throw std::runtime_error("cannot be read in parts");
  EXPECT_EQ(all->is_complex(), is_complex<T>);
  Triplets<T> entries;
  for (Index part = 0; part < parts; ++part) {
    const auto some = read_part<T>(file, *all, part, parts, silent_observer());
    entries.rows = some.rows;
    entries.cols = some.cols;
    entries.symmetry = some.symmetry;
    entries.row.insert(entries.row.end(), some.row.begin(), some.row.end());
    entries.col.insert(entries.col.end(), some.col.begin(), some.col.end());
    entries.value.insert(entries.value.end(), some.value.begin(), some.value.end());
  }
  EXPECT_EQ(std::ssize(entries.row), all->header.entries);
  return entries;
}

// Any number of parts, more than there are bytes included, is the matrix that one reader reads.
template <Scalar T>
void expect_the_whole(const std::string& content) {
  const TemporaryFolder folder;
  const auto file = folder.write("a", content);
  const auto whole = std::get<Csr<T>>(read_matrix(file));
  for (const Index parts : {1, 2, 3, 4, 5, 7, 11, 16, 29, 40, 64, 200}) {
    const auto a = assemble(parts_together<T>(file, parts), file);
    EXPECT_EQ(a.pattern.row_ptr, whole.pattern.row_ptr) << parts << " parts";
    EXPECT_EQ(a.pattern.col, whole.pattern.col) << parts << " parts";
    EXPECT_EQ(a.value, whole.value) << parts << " parts";
  }
}

TEST(FileParts, OfMatrixMarketHaveTheEntriesOfTheWhole) {
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  expect_the_whole<double>(banner + "real general\n% note\n3 3 4\n1 1 1.5\n2 2 -2\n3 1 3e-3\n3 3 4\n");
  expect_the_whole<double>(banner + "integer symmetric\n3 3 3\n1 1 1\n3 1 2\n3 3 4");
  expect_the_whole<double>(banner + "pattern general\r\n2 3 3\r\n1 1\r\n2 3\r\n1 2\r\n");
  expect_the_whole<double>("\xEF\xBB\xBF" + banner + "real skew-symmetric\n2 2 1\n2 1 -7\n");
  expect_the_whole<Complex>(banner + "complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 -2\n");
  // Blank lines and comments longer than a part.
  expect_the_whole<double>(
      banner + "real general\n2 2 2\n\n% a comment that is much longer than a line\n" +
      "\n\n1 1 1\n   \n% and another one, at the end of which is an entry\n2 2 2\n%\n\n");
}

TEST(FileParts, OfPetscBinaryHaveTheEntriesOfTheWhole) {
  // An empty row, and columns that are not sorted.
  const std::vector<std::int64_t> structure{mat, 4, 4, 6, 2, 0, 3, 1, 3, 0, 2, 1, 3, 0};
  for (const int bytes : {4, 8}) {
    expect_the_whole<double>(integers(structure, bytes) + doubles({1, 2, 3, 4, 5, 6}));
    expect_the_whole<Complex>(integers(structure, bytes) +
                              doubles({1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}));
  }
}

TEST(FileParts, AreNotOfFilesThatMustBeReadAsAWhole) {
  const TemporaryFolder folder;
  const std::string market = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";
  const std::string petsc = integers({mat, 1, 1, 1, 1, 0}) + doubles({1});
  ASSERT_TRUE(in_parts(folder.write("market", market)));
  ASSERT_TRUE(in_parts(folder.write("petsc", petsc)));
  EXPECT_FALSE(in_parts(folder.write_gzipped("market.gz", market)));
  EXPECT_FALSE(in_parts(folder.write_gzipped("petsc.gz", petsc)));
  EXPECT_FALSE(in_parts(folder.write("array", "%%MatrixMarket matrix array real general\n1 1\n1\n")));
  EXPECT_FALSE(in_parts(folder.write("with vector", petsc + integers({vec, 1}) + doubles({1}))));
  EXPECT_FALSE(in_parts(folder.write("vector", integers({vec, 1}) + doubles({1}))));
  EXPECT_FALSE(in_parts(folder.write("dense", integers({mat, 1, 1, -1}) + doubles({1}))));
  EXPECT_FALSE(in_parts(folder.write("truncated", petsc.substr(0, petsc.size() - 1))));
  EXPECT_FALSE(in_parts(folder.write("no sizes", "%%MatrixMarket matrix coordinate real general\n")));
  EXPECT_FALSE(in_parts(folder.write("banner", "%%MatrixMarket matrix\n1 1 1\n1 1 1\n")));
  EXPECT_FALSE(in_parts(folder.write("empty", "")));
  EXPECT_FALSE(in_parts(folder.path() / "missing"));
  EXPECT_FALSE(in_parts(folder.path()));
}

// What has been read from a pipe is lost to its next reader.
TEST(FileParts, LeaveThePipeAlone) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(in_parts(pipe));
}

TEST(FileParts, AreOfOneFile) {
  const TemporaryFolder folder;
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto file = folder.write("a", banner + "1 1 1\n1 1 1\n");
  const auto all = in_parts(file);
  ASSERT_TRUE(all);
  EXPECT_NO_THROW(read_part<double>(file, *all, 0, 1, silent_observer()));
  const auto read = [&] { read_part<double>(file, *all, 0, 1, silent_observer()); };
  auto other = *all;
  ++other.changed;
  EXPECT_THROW(read_part<double>(file, other, 0, 1, silent_observer()), InputError);
  folder.write("a", banner + "1 1 1\n1 1 1.5\n");
  EXPECT_THROW(read(), InputError);
  std::filesystem::remove(file);
  EXPECT_THROW(read(), InputError);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_THROW(read(), InputError);
}

TEST(FileParts, HaveDefectsInOne) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("a", "%%MatrixMarket matrix coordinate real general\n9 9 3\n1 1 1\n2 2 x\n3 3 3\n");
  const auto all = in_parts(file);
  ASSERT_TRUE(all);
  int defects = 0;
  for (Index part = 0; part < 3; ++part) {
    try {
      read_part<double>(file, *all, part, 3, silent_observer());
    } catch (const InputError&) {
      ++defects;
    }
  }
  EXPECT_EQ(defects, 1);
}

}  // namespace
}  // namespace trisweep::matrix::test
