#include <gmock/gmock.h>

#include <limits>

#include "matrix/io_support.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::matrix::test {
namespace {

using Complex = std::complex<double>;
using ::testing::ElementsAre;

TEST(MatrixMarket, ReadsUnsortedRectangularEntriesIntoSortedRows) {
  const auto a = read_real(
      "%%MatrixMarket matrix coordinate real general\n3 4 5\n"
      "3 4 5\n1 3 2\n3 1 4\n1 1 1\n2 2 3\n");
  EXPECT_EQ(a.rows(), 3);
  EXPECT_EQ(a.cols(), 4);
  EXPECT_THAT(a.pattern.row_ptr, ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(a.pattern.col, ElementsAre(0, 2, 1, 0, 3));
  EXPECT_THAT(a.value, ElementsAre(1, 2, 3, 4, 5));
}

TEST(MatrixMarket, ForgivesCaseCommentsBlankLinesCarriageReturnsAndTabs) {
  const auto a = read_real(
      "%%matrixmarket MATRIX Coordinate REAL General\r\n% one\r\n\r\n%two\r\n  2\t2 2 \r\n"
      "% three\r\n 1 1 +1.5\r\n\r\n\t2 2 -2\r\n% end\r\n\r\n");
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 1}, 1.5}, {{2, 2}, -2.0}}));
}

TEST(MatrixMarket, ForgivesAByteOrderMark) {
  const std::string text = "\xEF\xBB\xBF%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 25\n";
  EXPECT_EQ(read_real(text).value.front(), 25.0);
  const TemporaryFolder folder;
  EXPECT_EQ(real_matrix(read_matrix(folder.write_gzipped("a.mtx.gz", text))).value.front(), 25.0);
  EXPECT_EQ(matrix_defect("\xEF\xBB\xBF"), "a.mtx: the file is empty");
}

TEST(MatrixMarket, NeedsNoNewlineAtTheEnd) {
  EXPECT_EQ(read_real("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 25").value.front(), 25.0);
}

struct NumberCase {
  const char* text;
  double value;
};

class MatrixMarketNumber : public ::testing::TestWithParam<NumberCase> {};

TEST_P(MatrixMarketNumber, IsReadExactly) {
  const std::string text = GetParam().text;
  const auto a = read_real("%%MatrixMarket matrix coordinate real general\n1 1 1\n+1 1 " + text + "\n");
  EXPECT_EQ(a.value.front(), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, MatrixMarketNumber,
    ::testing::Values(NumberCase{"3", 3.0}, NumberCase{"+3.", 3.0}, NumberCase{"-.5", -0.5},
                      NumberCase{"1.5D3", 1500.0}, NumberCase{"1.5d-03", 1.5e-3}, NumberCase{"1Q2", 100.0},
                      NumberCase{"0.5-103", 0.5e-103}, NumberCase{"0.5+103", 0.5e103}, NumberCase{"0.1", 0.1},
                      NumberCase{"2.2250738585072014e-308", 2.2250738585072014e-308},
                      NumberCase{"4.9e-324", std::numeric_limits<double>::denorm_min()},
                      NumberCase{"1.7976931348623157e308", std::numeric_limits<double>::max()},
                      NumberCase{"1e-400", 0.0}, NumberCase{"0.0001e-99999999999999999999", 0.0},
                      NumberCase{"123456789012345678901234567890", 123456789012345678901234567890.0}));

TEST(MatrixMarket, PatternsHaveTheValueOne) {
  const auto a = read_real("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n");
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 3}, 1.0}, {{2, 1}, 1.0}}));
}

TEST(MatrixMarket, IntegersAndDoublesAreReal) {
  const auto a = read_real("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -7\n");
  EXPECT_EQ(a.value.front(), -7.0);
  const auto b = read_real("%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 0.5\n");
  EXPECT_EQ(b.value.front(), 0.5);
}

TEST(MatrixMarket, ExpandsSymmetric) {
  const auto a = read_real("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n3 2 3\n");
  EXPECT_EQ(entries_of(a),
            (Entries<double>{{{1, 1}, 1}, {{1, 3}, 2}, {{2, 3}, 3}, {{3, 1}, 2}, {{3, 2}, 3}}));
}

TEST(MatrixMarket, ExpandsSkewSymmetric) {
  const auto a = read_real("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n");
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 2}, -3.0}, {{2, 1}, 3.0}}));
}

TEST(MatrixMarket, ExpandsHermitianWithConjugates) {
  const auto a =
      read_complex("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 1 -2\n");
  EXPECT_EQ(entries_of(a), (Entries<Complex>{{{1, 1}, {4, 0}}, {{1, 2}, {1, 2}}, {{2, 1}, {1, -2}}}));
}

TEST(MatrixMarket, ComplexSymmetricIsNotConjugated) {
  const auto a = read_complex("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 1 -2\n");
  EXPECT_EQ(entries_of(a), (Entries<Complex>{{{1, 2}, {1, -2}}, {{2, 1}, {1, -2}}}));
}

TEST(MatrixMarket, ArraysBecomeSparseWithoutTheirZeros) {
  const auto a = read_real("%%MatrixMarket matrix array real general\n2 2\n1\n0\n3\n4\n");
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 1}, 1}, {{1, 2}, 3}, {{2, 2}, 4}}));
  const auto b = read_real("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
  EXPECT_EQ(entries_of(b), (Entries<double>{{{1, 1}, 1}, {{1, 2}, 2}, {{2, 1}, 2}, {{2, 2}, 3}}));
  const auto c = read_real("%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n");
  EXPECT_EQ(entries_of(c), (Entries<double>{{{1, 2}, -5}, {{2, 1}, 5}}));
}

TEST(MatrixMarket, DenseIsColumnMajor) {
  const auto b = std::get<Dense<double>>(
      read_dense_content("%%MatrixMarket matrix array real general\n% x\n2 3\n1\n2\n3\n0\n5\n6\n"));
  EXPECT_EQ(b.rows, 2);
  EXPECT_EQ(b.cols, 3);
  EXPECT_THAT(b.value, ElementsAre(1, 2, 3, 0, 5, 6));
}

TEST(MatrixMarket, DenseMayBeComplexOrSparse) {
  const auto b = std::get<Dense<Complex>>(
      read_dense_content("%%MatrixMarket matrix array complex general\n2 1\n1 2\n3 -4\n"));
  EXPECT_THAT(b.value, ElementsAre(Complex(1, 2), Complex(3, -4)));
  const auto c = std::get<Dense<double>>(
      read_dense_content("%%MatrixMarket matrix coordinate real general\n3 2 2\n2 1 5\n1 2 7\n"));
  EXPECT_THAT(c.value, ElementsAre(0, 5, 0, 7, 0, 0));
}

}  // namespace
}  // namespace trisweep::matrix::test
