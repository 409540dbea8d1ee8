// Every defect of a Matrix Market file is an InputError that names the line.
#include <gmock/gmock.h>

#include "matrix/io_support.hpp"

namespace trisweep::matrix::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct DefectCase {
  const char* name;
  const char* content;
  const char* place;    // how the message begins
  const char* message;  // what it contains
};

void PrintTo(const DefectCase& defect, std::ostream* out) {
  *out << defect.name;
}

std::string case_name(const ::testing::TestParamInfo<DefectCase>& info) {
  return info.param.name;
}

class MatrixMarketDefect : public ::testing::TestWithParam<DefectCase> {};

TEST_P(MatrixMarketDefect, NamesLineAndCause) {
  const std::string defect = matrix_defect(GetParam().content);
  EXPECT_THAT(defect, StartsWith(GetParam().place));
  EXPECT_THAT(defect, HasSubstr(GetParam().message));
}

#define BANNER "%%MatrixMarket matrix coordinate real general\n"
#define COORDINATE "%%MatrixMarket matrix coordinate "

INSTANTIATE_TEST_SUITE_P(
    Banner, MatrixMarketDefect,
    ::testing::Values(
        DefectCase{"Misspelt", "%%MatrixMarkt matrix coordinate real general\n1 1 0\n",
                   "a.mtx:1:", "bad banner"},
        DefectCase{"OnlyAComment", "% hello\n1 1 0\n", "a.mtx:1:", "bad banner '% hello'"},
        DefectCase{"Object", "%%MatrixMarket vector coordinate real general\n",
                   "a.mtx:1:", "unknown object 'vector'"},
        DefectCase{"Layout", "%%MatrixMarket matrix coords real general\n",
                   "a.mtx:1:", "unknown layout 'coords'"},
        DefectCase{"Field", COORDINATE "quaternion general\n", "a.mtx:1:", "unknown field 'quaternion'"},
        DefectCase{"Symmetry", COORDINATE "real lower\n", "a.mtx:1:", "unknown symmetry 'lower'"},
        DefectCase{"Short", COORDINATE "real\n1 1 0\n", "a.mtx:1:", "ends before the symmetry"},
        DefectCase{"Long", COORDINATE "real general x\n", "a.mtx:1:", "unexpected 'x'"},
        DefectCase{"PatternArray", "%%MatrixMarket matrix array pattern general\n1 1\n",
                   "a.mtx:1:", "pattern"},
        DefectCase{"RealHermitian", COORDINATE "real hermitian\n1 1 0\n", "a.mtx:1:", "complex values"},
        DefectCase{"SkewPattern", COORDINATE "pattern skew-symmetric\n1 1 0\n", "a.mtx:1:", "skew"},
        DefectCase{"NotAMatrix", "hello\nworld\n", "a.mtx:1:", "not a matrix file of a known format"},
        DefectCase{"Binary", "\x7f\x45\x4c\x46\x02\x01", "a.mtx:1:", "not a matrix file of a known format"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Sizes, MatrixMarketDefect,
    ::testing::Values(
        DefectCase{"Missing", BANNER "% nothing\n", "a.mtx:2:", "ends before the line of sizes"},
        DefectCase{"Garbage", BANNER "2 x 1\n", "a.mtx:2:", "expected the number of columns, found 'x'"},
        DefectCase{"TooFew", BANNER "2 2\n", "a.mtx:2:", "the number of entries is missing"},
        DefectCase{"TooMany", BANNER "2 2 1 7\n", "a.mtx:2:", "unexpected '7'"},
        DefectCase{"NegativeRows", BANNER "-2 2 1\n", "a.mtx:2:", "'-2' is not in 1..2147483647"},
        DefectCase{"NegativeEntries", BANNER "2 2 -1\n", "a.mtx:2:", "'-1' is not in 0..4"},
        DefectCase{"Empty", BANNER "0 0 0\n", "a.mtx:2:", "'0' is not in 1.."},
        DefectCase{"BeyondIndex", BANNER "2147483648 1 0\n", "a.mtx:2:", "number of rows is out of range"},
        DefectCase{"BeyondInt64", BANNER "1 99999999999999999999 0\n",
                   "a.mtx:2:", "number of columns is out of range"},
        DefectCase{"MoreEntriesThanPlaces", BANNER "2 2 5\n", "a.mtx:2:", "'5' is not in 0..4"},
        DefectCase{"SymmetricRectangle", COORDINATE "real symmetric\n2 3 1\n",
                   "a.mtx:2:", "square, not 2 x 3"},
        DefectCase{"AbsurdEntries", BANNER "100000000 100000000 1000000000000000\n1 1 1\n",
                   "a.mtx:3:", "ends after 1 of 1000000000000000 entries"},
        DefectCase{"AbsurdRows", BANNER "2147483647 2147483647 1\n1 1 1\n", "a.mtx:", "only 1 entries"},
        DefectCase{"AbsurdArray", "%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
                   "a.mtx:3:", "ends after 1 of"}),
    case_name);

INSTANTIATE_TEST_SUITE_P(
    Entries, MatrixMarketDefect,
    ::testing::Values(
        DefectCase{"TooFew", BANNER "2 2 2\n1 1 1\n\n", "a.mtx:4:", "ends after 1 of 2 entries"},
        DefectCase{"TooMany", BANNER "2 2 1\n1 1 1\n% c\n2 2 2\n",
                   "a.mtx:5:", "more than the 1 declared entries"},
        DefectCase{"RowZero", BANNER "2 2 1\n0 1 1\n",
                   "a.mtx:3:", "a row index is out of range: '0' is not in 1..2"},
        DefectCase{"RowBeyond", BANNER "2 2 1\n3 1 1\n", "a.mtx:3:", "'3' is not in 1..2"},
        DefectCase{"ColumnBeyond", BANNER "2 3 1\n2 4 1\n",
                   "a.mtx:3:", "column index is out of range: '4' is not in 1..3"},
        DefectCase{"RowNotInteger", BANNER "2 2 1\n1.0 1 1\n",
                   "a.mtx:3:", "expected a row index, found '1.0'"},
        DefectCase{"RowOverflows", BANNER "2 2 1\n99999999999999999999 1 1\n", "a.mtx:3:", "not in 1..2"},
        DefectCase{"NoValue", BANNER "2 2 1\n1 1\n", "a.mtx:3:", "a value is missing"},
        DefectCase{"ValueGarbage", BANNER "2 2 1\n1 1 1.2.3\n",
                   "a.mtx:3:", "expected a value, found '1.2.3'"},
        DefectCase{"ValueHex", BANNER "2 2 1\n1 1 0x10\n", "a.mtx:3:", "found '0x10'"},
        DefectCase{"ValueTwoSigns", BANNER "2 2 1\n1 1 +-1\n", "a.mtx:3:", "found '+-1'"},
        DefectCase{"ValueBareExponent", BANNER "2 2 1\n1 1 1-2\n", "a.mtx:3:", "found '1-2'"},
        DefectCase{"ValueUnprintable", BANNER "2 2 1\n1 1 \x01\x80\n", "a.mtx:3:", "found '\?\?'"},
        DefectCase{"NaN", BANNER "2 2 1\n1 1 NaN\n", "a.mtx:3:", "a value is not finite: 'NaN'"},
        DefectCase{"Infinity", BANNER "2 2 1\n1 1 -inf\n", "a.mtx:3:", "not finite: '-inf'"},
        DefectCase{"Overflow", BANNER "2 2 1\n1 1 1e309\n", "a.mtx:3:", "too large for a double: '1e309'"},
        DefectCase{"OverflowD", BANNER "2 2 1\n1 1 -1D+400\n", "a.mtx:3:", "too large for a double"},
        DefectCase{"TrailingGarbage", BANNER "2 2 1\n1 1 1 1\n", "a.mtx:3:", "unexpected '1' at the end"},
        DefectCase{"PatternWithValue", COORDINATE "pattern general\n2 2 1\n1 1 1\n",
                   "a.mtx:3:", "unexpected '1'"},
        DefectCase{"IntegerFraction", COORDINATE "integer general\n1 1 1\n1 1 1.5\n",
                   "a.mtx:3:", "1.5 is not an integer"},
        DefectCase{"NoImaginaryPart", COORDINATE "complex general\n1 1 1\n1 1 1\n",
                   "a.mtx:3:", "the imaginary part is missing"},
        DefectCase{"Duplicate", BANNER "2 2 4\n1 1 1\n\n2 2 1\n% c\n1 2 1\n1 1 3\n",
                   "a.mtx:8:", "duplicate entry at row 1, column 1 (first on line 3)"},
        DefectCase{"SymmetricDuplicate", COORDINATE "real symmetric\n2 2 2\n2 1 1\n2 1 1\n",
                   "a.mtx:4:", "duplicate entry at row 2, column 1 (first on line 3)"},
        DefectCase{"SymmetricUpper", COORDINATE "real symmetric\n2 2 1\n1 2 1\n",
                   "a.mtx:3:", "above the diagonal of a matrix declared symmetric (row 1, column 2)"},
        DefectCase{"SkewDiagonal", COORDINATE "real skew-symmetric\n2 2 1\n2 2 1\n",
                   "a.mtx:3:", "diagonal of a skew-symmetric matrix (row 2)"},
        DefectCase{"HermitianDiagonal", COORDINATE "complex hermitian\n2 2 1\n2 2 1 1e-9\n",
                   "a.mtx:3:", "not real on the diagonal of a Hermitian matrix (row 2)"},
        DefectCase{"ArrayTooFew", "%%MatrixMarket matrix array real general\n2 1\n1\n",
                   "a.mtx:3:", "ends after 1 of 2 entries"},
        DefectCase{"ArrayTwoOnALine", "%%MatrixMarket matrix array real general\n2 1\n1 2\n",
                   "a.mtx:3:", "unexpected '2'"},
        DefectCase{"ArrayTooMany", "%%MatrixMarket matrix array real general\n1 1\n1\n2\n",
                   "a.mtx:4:", "more than the 1"}),
    case_name);

#undef BANNER
#undef COORDINATE

TEST(MatrixMarketDefectOfDense, NamesTheLineToo) {
  EXPECT_THAT(dense_defect("%%MatrixMarket matrix array real general\n2 1\n1\nfoo\n"),
              StartsWith("b.mtx:4: expected a value, found 'foo'"));
  EXPECT_THAT(dense_defect("%%MatrixMarket matrix coordinate real general\n4000000 4000000 1\n1 1 1\n"),
              HasSubstr("a sparse 4000000 x 4000000 matrix"));
}

TEST(MatrixMarketDefectOfText, LinesLongerThanABlockAreNotText) {
  EXPECT_THAT(
      matrix_defect("%%MatrixMarket matrix coordinate real general\n1 1 1\n" + std::string(3 << 20, ' ')),
      StartsWith("a.mtx:3: the line is longer than 1 MiB"));
}

}  // namespace
}  // namespace trisweep::matrix::test
