#include <gmock/gmock.h>

#include "matrix/io_support.hpp"
#include "support/real_matrices.hpp"
#include "trisweep/matrix/harwell_boeing_format.hpp"

namespace trisweep::matrix::test {
namespace {

using Complex = std::complex<double>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// [1 0 4]
// [0 3 0]
// [2 0 5.5], right-hand side (1, 2, 3), in lines of several numbers each.
const std::string real_file =
    "A small matrix                                                          SMALL   \n"
    "             9             2             2             3             2\n"
    "RUA                        3             3             5             0\n"
    "(3I4)           (4I3)           (2E16.8)            (2E16.8)            \n"
    "F                          1             0\n"
    "   1   3   4\n"
    "   6\n"
    "  1  3  2  1\n"
    "  3\n"
    "  1.00000000E+00  2.00000000E+00\n"
    "  3.00000000E+00  4.00000000E+00\n"
    "  5.50000000E+00\n"
    "  1.00000000E+00  2.00000000E+00\n"
    "  3.00000000E+00\n";

// A file of one column section each: header lines 2 to 4 are written for the given cards.
std::string file_of(const std::string& type, const std::string& sizes, const std::string& formats,
                    const std::string& counts, const std::string& body) {
  return "title\n" + counts + "\n" + type + "           " + sizes + "\n" + formats + "\n" + body;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(HarwellBoeing, ReadsMatrixAndRightHandSide) {
  EXPECT_EQ(entries_of(read_real(real_file)),
            (Entries<double>{{{1, 1}, 1}, {{1, 3}, 4}, {{2, 2}, 3}, {{3, 1}, 2}, {{3, 3}, 5.5}}));
  const auto b = std::get<Dense<double>>(read_dense_content(real_file));
  EXPECT_EQ(b.rows, 3);
  EXPECT_EQ(b.cols, 1);
  EXPECT_THAT(b.value, ElementsAre(1, 2, 3));
}

TEST(HarwellBoeing, ForgivesAByteOrderMark) {
  EXPECT_EQ(entries_of(read_real("\xEF\xBB\xBF" + std::string(real_file))), entries_of(read_real(real_file)));
}

TEST(HarwellBoeing, NumbersStandInColumnsNotBetweenBlanks) {
  // Full fields touch: the format alone separates them.
  const auto a =
      read_real(file_of("rua", "2 2 2 0", "(3I1) (2I1) (2F4.1)", "3 1 1 1", "123\n12\n-1.5-2.5\n"));
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 1}, -1.5}, {{2, 2}, -2.5}}));
}

TEST(HarwellBoeing, ScaleFactorsAndSeparators) {
  // 1P leaves numbers with an exponent alone and divides those without one by ten, as Fortran does.
  const auto a = read_real(file_of("RUA", "2 2 2 0", "(10I8) (10I8) (1P,2(D11.3,1X))", "3 1 1 1",
                                   "       1       2       3\n       1       2\n  1.500D+01      12.5\n"));
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 1}, 15.0}, {{2, 2}, 1.25}}));
}

TEST(HarwellBoeing, ExponentsMayHaveNoLetter) {
  const auto with = [](const std::string& format, const std::string& values) {
    return file_of("rua", "3 3 3 0", "(4I2) (3I2) (" + format + ")", "3 1 1 1",
                   " 1 2 3 4\n 1 2 3\n" + values + "\n");
  };
  for (const char* const format : {"3E20.12", "3D20.12", "1P,3E20.12", "3G20.12", "3ES20.12"})
    EXPECT_EQ(
        entries_of(read_real(with(format, "   2.511822000000+00            -1.5-100                1.+2"))),
        (Entries<double>{{{1, 1}, 2.511822}, {{2, 2}, -1.5e-100}, {{3, 3}, 100}}));
  // Without exponents numbers that touch are more likely.
  EXPECT_THAT(matrix_defect(with("3F6.1", "   1.5 2.5-3   1.5")),
              HasSubstr("expected a value, found '2.5-3'"));
  EXPECT_THAT(matrix_defect(with("3E6.1", "   1.5 2.-5x   1.5")),
              HasSubstr("expected a value, found '2.-5x'"));
}

TEST(RutherfordBoeing, ExpandsSymmetricAndHermitian) {
  const auto a = read_real(file_of("rsa", "2 2 2 0", "(26I3) (26I3) (2E10.2)", "3 1 1 1",
                                   "  1  3  3\n  1  2\n  1.00E+00  2.00E+00\n"));
  EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 1}, 1}, {{1, 2}, 2}, {{2, 1}, 2}}));
  const auto b = read_complex(file_of("cha", "2 2 1 0", "(26I3) (26I3) (2E10.2)", "3 1 1 1",
                                      "  1  2  2\n  2\n  1.00E+00  2.00E+00\n"));
  EXPECT_EQ(entries_of(b), (Entries<Complex>{{{1, 2}, {1, -2}}, {{2, 1}, {1, 2}}}));
  const auto c = read_real(
      file_of("rza", "2 2 1 0", "(26I3) (26I3) (2E10.2)", "3 1 1 1", "  1  2  2\n  2\n  1.00E+00\n"));
  EXPECT_EQ(entries_of(c), (Entries<double>{{{1, 2}, -1}, {{2, 1}, 1}}));
}

TEST(RutherfordBoeing, PatternsIntegersAndRectangles) {
  for (const char* type : {"pra", "qra"}) {
    const auto a = read_real(file_of(type, "2 3 2 0", "(26I3) (26I3)", "2 1 1 0", "  1  2  2  3\n  1  2\n"));
    EXPECT_EQ(a.rows(), 2);
    EXPECT_EQ(a.cols(), 3);
    EXPECT_EQ(entries_of(a), (Entries<double>{{{1, 1}, 1}, {{2, 3}, 1}}));
  }
  const auto b =
      read_real(file_of("iua", "1 1 1 0", "(26I3) (26I3) (26I3)", "3 1 1 1", "  1  2\n  1\n -7\n"));
  EXPECT_EQ(b.value, std::vector<double>{-7});
}

TEST(HarwellBoeing, SeveralRightHandSidesOfAPattern) {
  // The last format is that of the right-hand sides; guesses and solutions after them are not read.
  const auto b = std::get<Dense<double>>(read_dense_content(
      file_of("PUA", "2 2 1 0", "(26I3) (26I3) (4F4.1)", "4 1 1 0 2",
              "FGX            2             0\n  1  2  2\n  1\n 1.0 2.0 3.0 4.0\n 9.0 9.0 9.0 9.0\n")));
  EXPECT_EQ(b.cols, 2);
  EXPECT_THAT(b.value, ElementsAre(1, 2, 3, 4));
}

TEST(HarwellBoeing, RealFilesHoldRightHandSides) {
  for (const auto& file : trisweep::test::real_matrices({"sherman3.rua", "sherman5.rua"})) {
    const auto b = std::get<Dense<double>>(read_dense(file));
    EXPECT_EQ(b.rows, file.stem() == "sherman3" ? 5005 : 3312);
    EXPECT_EQ(b.value.size(), usize(b.rows));
  }
}

struct Replacement {
  const char* name;
  const char* from;  // in real_file ...
  const char* to;    // ... becomes
  const char* place;
  const char* message;
};

void PrintTo(const Replacement& defect, std::ostream* out) {
  *out << defect.name;
}

class HarwellBoeingDefect : public ::testing::TestWithParam<Replacement> {};

TEST_P(HarwellBoeingDefect, NamesLineAndCause) {
  const std::string defect = matrix_defect(replaced(real_file, GetParam().from, GetParam().to));
  EXPECT_THAT(defect, StartsWith(GetParam().place));
  EXPECT_THAT(defect, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, HarwellBoeingDefect,
    ::testing::Values(
        Replacement{"Counts", "  9  ", "  x  ", "a.mtx:2:", "expected 4 or 5 line counts"},
        Replacement{"Type", "RUA", "RUB", "a.mtx:1:", "not a matrix file of a known format"},
        Replacement{"Elemental", "RUA", "RUE", "a.mtx:3:", "elemental"},
        Replacement{"NegativeSize", "RUA                        3", "RUA                       -3",
                    "a.mtx:3:", "the number of rows is out of range"},
        Replacement{"AbsurdSize", "3             5             0", "2000000000 5000000000 0",
                    "a.mtx:2:", "declares 2 lines of column pointers"},
        Replacement{"SymmetricRectangle", "RUA                        3", "RSA                        4",
                    "a.mtx:3:", "square, not 4 x 3"},
        Replacement{"RealHermitian", "RUA", "RHA", "a.mtx:3:", "complex values"},
        Replacement{"Format", "(4I3)", "(4Z3)", "a.mtx:4:", "cannot understand the format '(4Z3)'"},
        Replacement{"OpenFormat", "(2E16.8)            (2E16.8)", "(2E16.8              2E16.8 ",
                    "a.mtx:4:", "cannot understand the format"},
        Replacement{"FewFormats", "(2E16.8)            (2E16.8)", "(2E16.8)", "a.mtx:4:", "has 3 formats"},
        Replacement{"PointerCards", "  9             2", "  9             3",
                    "a.mtx:2:", "declares 3 lines of column pointers, but 4 numbers at 3 a line take 2"},
        Replacement{"RightHandSides", "F      ", "Q      ", "a.mtx:5:", "unknown type of right-hand sides"},
        Replacement{"FirstPointer", "   1   3   4\n", "   2   3   4\n",
                    "a.mtx:6:", "a column pointer is out of range"},
        Replacement{"PointersDescend", "   1   3   4\n", "   1   4   3\n", "a.mtx:6:", "'3' is not in 4..6"},
        Replacement{"LastPointer", "\n   6\n", "\n   5\n", "a.mtx:7:", "'5' is not in 6..6"},
        Replacement{"RowBeyond", "  1  3  2  1", "  1  4  2  1",
                    "a.mtx:8:", "a row index is out of range: '4'"},
        Replacement{"RowMissing", "  1  3  2  1", "  1  3  2", "a.mtx:8:", "a row index is missing"},
        Replacement{"RowGarbage", "  1  3  2  1", "  1  3 2x  1", "a.mtx:8:", "found '2x'"},
        Replacement{"RowTooMany", "\n  3\n", "\n  3  1\n", "a.mtx:9:", "unexpected '1' from column 4 on"},
        Replacement{"Duplicate", "  1  3  2  1\n", "  3  3  2  1\n",
                    "a.mtx:8:", "duplicate entry at row 3, column 1"},
        Replacement{"ValueGarbage", "3.00000000E+00", "3.0000x000E+00", "a.mtx:11:", "expected a value"},
        Replacement{"ValueWithoutPoint", "3.00000000E+00", "             3",
                    "a.mtx:11:", "has no decimal point"},
        Replacement{"NaN", "3.00000000E+00", "           NaN", "a.mtx:11:", "not finite"},
        Replacement{"Overflow", "3.00000000E+00", "3.0000000E+999", "a.mtx:11:", "too large"},
        Replacement{"LineTooLong", "4.00000000E+00\n", "4.00000000E+00 7\n",
                    "a.mtx:11:", "from column 33 on"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(HarwellBoeing, TruncatedAnywhereIsAnError) {
  // Within the last line a shorter number can be a number too.
  const auto last_line = real_file.rfind("  3.00000000E+00");
  for (std::size_t size = 1; size <= last_line; ++size) {
    ASSERT_NE(matrix_defect(real_file.substr(0, size)), "") << "cut at byte " << size;
    ASSERT_NE(dense_defect(real_file.substr(0, size)), "") << "cut at byte " << size;
  }
}

TEST(HarwellBoeing, StoredTriangleAndDiagonalAreChecked) {
  EXPECT_THAT(matrix_defect(file_of("rsa", "2 2 1 0", "(26I3) (26I3) (2E10.2)", "3 1 1 1",
                                    "  1  1  2\n  1\n  1.00E+00\n")),
              StartsWith("a.mtx:6: an entry above the diagonal"));
  EXPECT_THAT(matrix_defect(file_of("cha", "1 1 1 0", "(26I3) (26I3) (2E10.2)", "3 1 1 1",
                                    "  1  2\n  1\n  1.00E+00  1.00E+00\n")),
              StartsWith("a.mtx:7: a value that is not real"));
}

TEST(HarwellBoeing, NothingMayFollowAMatrixWithoutRightHandSides) {
  EXPECT_THAT(matrix_defect(file_of("pua", "1 1 1 0", "(26I3) (26I3)", "2 1 1 0", "  1  2\n  1\n\n  1\n")),
              StartsWith("a.mtx:8: unexpected '  1' after the last section"));
}

TEST(HarwellBoeing, RightHandSidesMustBeThereInFull) {
  EXPECT_THAT(dense_defect(file_of("pua", "1 1 1 0", "(26I3) (26I3)", "2 1 1 0", "  1  2\n  1\n")),
              HasSubstr("has no right-hand sides"));
  EXPECT_THAT(dense_defect(replaced(real_file, "F      ", "M      ")), HasSubstr("stored like the matrix"));
}

TEST(FortranFormat, LaysOutTheFieldsOfALine) {
  const auto columns = [](const char* text) {
    std::vector<std::pair<std::size_t, std::size_t>> fields;
    for (const auto& field : parse_fortran_format(text).value_or(FortranFormat{})) {
      fields.emplace_back(field.column, field.width);
    }
    return fields;
  };
  using Fields = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(columns("(3I8)"), (Fields{{0, 8}, {8, 8}, {16, 8}}));
  EXPECT_EQ(columns(" ( 2 i5.3 ) "), (Fields{{0, 5}, {5, 5}}));
  EXPECT_EQ(columns("(1P2E25.16E3)"), (Fields{{0, 25}, {25, 25}}));
  EXPECT_EQ(columns("(2(E10.3,1X))"), (Fields{{0, 10}, {11, 10}}));
  EXPECT_EQ(columns("(2X,F5.1,2(2(I1),1X))"), (Fields{{2, 5}, {7, 1}, {8, 1}, {10, 1}, {11, 1}}));
  EXPECT_EQ(columns("(ES12.4,G9.2)"), (Fields{{0, 12}, {12, 9}}));
  EXPECT_EQ(parse_fortran_format("(-2P,F8.3)")->front().scale, -2);
  EXPECT_EQ(parse_fortran_format("(1P,3D20.12)")->back().decimals, 12);
}

TEST(FortranFormat, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"", "()", "(", "10I8", "(10I8", "(10I8))", "(I8)x", "(A8)", "(0I8)", "(I0)", "(I)", "(X)",
        "(9999999999I8)", "(9999I8)", "(9999(9999(1P)))", "(*)", "(I8/I8)", "(-3I8)", "((((("}) {
    EXPECT_FALSE(parse_fortran_format(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace trisweep::matrix::test
