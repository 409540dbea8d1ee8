#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "matrix/io_support.hpp"
#include "matrix/petsc_content.hpp"

namespace trisweep::matrix::test {
namespace {

using Complex = std::complex<double>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using petsc::doubles;
using petsc::integers;
using petsc::mat;
using petsc::vec;

// [0 1 0]
// [2 0 3]: class id, rows, columns, nonzeros, row lengths, column indices.
const std::vector<std::int64_t> structure{mat, 2, 3, 3, 1, 2, 1, 0, 2};
const Entries<double> expected{{{1, 2}, 1}, {{2, 1}, 2}, {{2, 3}, 3}};

TEST(PetscBinary, ReadsRealAndComplexMatricesOfEitherIndexSize) {
  for (const int bytes : {4, 8}) {
    EXPECT_EQ(entries_of(read_real(integers(structure, bytes) + doubles({1, 2, 3}))), expected);
    EXPECT_EQ(entries_of(read_complex(integers(structure, bytes) + doubles({1, 10, 2, 20, 3, 30}))),
              (Entries<Complex>{{{1, 2}, {1, 10}}, {{2, 1}, {2, 20}}, {{2, 3}, {3, 30}}}));
  }
}

TEST(PetscBinary, SortsColumns) {
  const auto a = read_real(integers({mat, 1, 3, 2, 2, 2, 0}) + doubles({1, 2}));
  EXPECT_THAT(a.pattern.col, ElementsAre(0, 2));
  EXPECT_THAT(a.value, ElementsAre(2, 1));
}

TEST(PetscBinary, ReadsVectors) {
  for (const int bytes : {4, 8}) {
    const auto real =
        std::get<Dense<double>>(read_dense_content(integers({vec, 2}, bytes) + doubles({1, 2})));
    EXPECT_EQ(real.cols, 1);
    EXPECT_THAT(real.value, ElementsAre(1, 2));
    const auto complex =
        std::get<Dense<Complex>>(read_dense_content(integers({vec, 2}, bytes) + doubles({1, 2, 3, 4})));
    EXPECT_THAT(complex.value, ElementsAre(Complex(1, 2), Complex(3, 4)));
  }
}

TEST(PetscBinary, OneFileMayHoldMatrixThenVector) {
  const std::string system = integers(structure) + doubles({1, 2, 3}) + integers({vec, 2}) + doubles({7, 8});
  EXPECT_EQ(entries_of(read_real(system)), expected);
  EXPECT_THAT(std::get<Dense<double>>(read_dense_content(system)).value, ElementsAre(7, 8));
}

TEST(PetscBinary, MayBeGzipped) {
  const TemporaryFolder folder;
  const auto file = folder.write_gzipped("a.dat", integers(structure) + doubles({1, 2, 3}));
  EXPECT_EQ(entries_of(real_matrix(read_matrix(file))), expected);
}

TEST(PetscBinary, LargeFilesAreReadInBlocks) {
  constexpr std::int64_t size = 100000;
  std::vector<double> values(size);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
  EXPECT_EQ(std::get<Dense<double>>(read_dense_content(integers({vec, size}) + doubles(values))).value,
            values);
}

TEST(PetscBinary, DefectsAreNamed) {
  const std::string values = doubles({1, 2, 3});
  const auto defect = [&](std::vector<std::int64_t> numbers) {
    return matrix_defect(integers(numbers) + values);
  };
  EXPECT_THAT(defect({mat, 0, 3, 3, 1, 2, 1, 0, 2}),
              HasSubstr("a.mtx: the number of rows is out of range: 0"));
  EXPECT_THAT(defect({mat, 2, -3, 3, 1, 2, 1, 0, 2}), HasSubstr("number of columns is out of range: -3"));
  EXPECT_THAT(defect({mat, 2, 3, -1, 1, 2, 1, 0, 2}), HasSubstr("dense"));
  EXPECT_THAT(defect({mat, 2, 3, 3, -1, 4, 1, 0, 2}), HasSubstr("the length of a row is out of range: -1"));
  EXPECT_THAT(defect({mat, 2, 3, 4, 1, 2, 1, 0, 2}), HasSubstr("declares 4 nonzeros, but the rows have 3"));
  EXPECT_THAT(defect({mat, 2, 3, 3, 1, 2, 1, 0, 3}), HasSubstr("a column index is out of range: 3"));
  EXPECT_THAT(defect({mat, 2, 3, 3, 1, 2, 1, 2, 2}), HasSubstr("duplicate entry at row 2, column 3"));
  EXPECT_THAT(matrix_defect(integers({mat, std::int64_t{1} << 31, 3, 3}, 8)), HasSubstr("number of rows"));
  EXPECT_THAT(matrix_defect(integers(structure) + doubles({1, std::numeric_limits<double>::quiet_NaN(), 3})),
              HasSubstr("value number 2 is not finite"));
  EXPECT_THAT(matrix_defect(integers({vec, 1}) + doubles({1})), HasSubstr("a vector where a matrix belongs"));
  EXPECT_THAT(dense_defect(integers(structure) + values), HasSubstr("a matrix and no vector"));
  EXPECT_THAT(matrix_defect(integers(structure) + doubles({1, 2, 3, 4, 5, 6, 7})),
              HasSubstr("neither 8 bytes each (real) nor 16 (complex)"));
  EXPECT_THAT(matrix_defect(integers(structure) + values + "four"),
              HasSubstr("neither 8 bytes each (real) nor 16 (complex), to the end"));
  for (const std::int64_t id : {mat, vec}) {
    for (const int bytes : {4, 8}) {
      std::string turned = integers({id}, bytes);
      std::ranges::reverse(turned);
      EXPECT_THAT(matrix_defect(turned), HasSubstr("byte order"));
      EXPECT_THAT(dense_defect(turned), HasSubstr("byte order"));
    }
  }
}

TEST(PetscBinary, AbsurdCountsDoNotAllocate) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT(matrix_defect(integers({mat, most, most, most, 1})), HasSubstr("(1 of 2147483647 read)"));
  EXPECT_THAT(matrix_defect(integers({mat, 1, most, most, most, 0})), HasSubstr("(1 of 2147483647 read)"));
  EXPECT_THAT(dense_defect(integers({vec, most}) + doubles({1})), HasSubstr("(1 of 2147483647 read)"));
}

TEST(PetscBinary, TruncatedAnywhereIsAnError) {
  for (const std::string& whole :
       {integers(structure) + doubles({1, 2, 3}), integers(structure, 8) + doubles({1, 2, 3}),
        integers(structure) + doubles({1, 10, 2, 20, 3, 30})}) {
    const bool complex = whole.size() > 80 && whole[0] == '\0' && whole[3] != '\0';
    const std::size_t whole_when_real = whole.size() - (complex ? 24 : 0);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      if (size == whole_when_real) continue;
      ASSERT_NE(matrix_defect(whole.substr(0, size)), "") << "cut at byte " << size << " of " << whole.size();
    }
  }
}

}  // namespace
}  // namespace trisweep::matrix::test
