#include "trisweep/matrix/dense_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matrix/io_support.hpp"

namespace trisweep::matrix::test {
namespace {

using testing::ElementsAre;

TEST(DenseReader, GivesColumnsInOrder) {
  const TemporaryFolder folder;
  DenseReader reader(
      folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n"));
  EXPECT_EQ(reader.rows(), 2);
  EXPECT_EQ(reader.cols(), 3);
  EXPECT_FALSE(reader.is_complex());
  EXPECT_THAT(std::get<Dense<double>>(reader.column()).value, ElementsAre(1, 2));
  EXPECT_THAT(std::get<Dense<double>>(reader.column()).value, ElementsAre(3, 0));
  EXPECT_THAT(std::get<Dense<double>>(reader.column()).value, ElementsAre(5, 6));
}

// Memory is not reserved for what a header promises and the file cannot hold.
TEST(DenseReader, SaysHowManyColumnsThereMayBe) {
  const TemporaryFolder folder;
  const auto plausible = [&](const std::string& content) {
    return DenseReader(folder.write("b.mtx", "%%MatrixMarket matrix array real general\n" + content))
        .plausible_cols();
  };
  EXPECT_EQ(plausible("2 2\n1\n2\n3\n4\n"), 2);
  EXPECT_LT(plausible("2 2000000000\n1\n2\n3\n4\n"), 30);
  EXPECT_EQ(plausible("2000000000 2\n1\n"), 0);
}

// Complex ones; and files that are not stored by columns.
TEST(DenseReader, GivesColumnsOfOtherFiles) {
  using Complex = std::complex<double>;
  const TemporaryFolder folder;
  DenseReader complex(folder.write("b.mtx", "%%MatrixMarket matrix array complex general\n1 2\n1 2\n3 -4\n"));
  EXPECT_TRUE(complex.is_complex());
  EXPECT_THAT(std::get<Dense<Complex>>(complex.column()).value, ElementsAre(Complex(1, 2)));
  EXPECT_THAT(std::get<Dense<Complex>>(complex.column()).value, ElementsAre(Complex(3, -4)));
  DenseReader sparse(
      folder.write("c.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 2\n2 1 5\n1 2 7\n"));
  EXPECT_EQ(sparse.rows(), 3);
  EXPECT_EQ(sparse.cols(), 2);
  EXPECT_THAT(std::get<Dense<double>>(sparse.column()).value, ElementsAre(0, 5, 0));
  EXPECT_THAT(std::get<Dense<double>>(sparse.column()).value, ElementsAre(7, 0, 0));
  DenseReader symmetric(folder.write("d.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"));
  EXPECT_THAT(std::get<Dense<double>>(symmetric.column()).value, ElementsAre(1, 2));
  EXPECT_THAT(std::get<Dense<double>>(symmetric.column()).value, ElementsAre(2, 3));
}

TEST(DenseReader, RefusesADefectWithTheColumnThatHasIt) {
  const TemporaryFolder folder;
  const auto begin = [&](const std::string& rest) {
    DenseReader reader(folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n" + rest));
    reader.column();
    return defect_of([&] { reader.column(); });
  };
  EXPECT_EQ(begin("3\n4\n"), "");
  EXPECT_EQ(begin("3\n"), "b.mtx:5: the file ends after 3 of 4 entries");
  EXPECT_EQ(begin("3\nnan\n"), "b.mtx:6: a value is not finite: 'nan'");
  EXPECT_EQ(begin("3\n4\n5\n"), "b.mtx:7: more than the 4 declared entries: '5'");
}

}  // namespace
}  // namespace trisweep::matrix::test
