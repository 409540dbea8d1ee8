#include "trisweep/core/vectors.hpp"

#include <gmock/gmock.h>

#include "trisweep/core/error.hpp"

namespace trisweep {
namespace {

using testing::HasSubstr;

TEST(Vectors, AreViewsOfColumnsWithGaps) {
  std::vector<double> memory{1, 2, 3, 4, 5, 6, 7, 8};
  const Vectors<double> v(memory.data(), 2, 3, 3);
  EXPECT_EQ(*v.column(2), 7);
  const Vectors<const double> last = v.columns(1, 2);
  EXPECT_EQ(last.rows, 2);
  EXPECT_EQ(last.cols, 2);
  EXPECT_EQ(last.column(1)[1], 8);
  v.column(1)[0] = -4;
  EXPECT_EQ(memory[3], -4);
}

TEST(Vectors, OfAStandardVectorAreOneColumn) {
  const std::vector<float> memory{1, 2, 3};
  const Vectors<const float> v = memory;
  EXPECT_EQ(v.rows, 3);
  EXPECT_EQ(v.cols, 1);
  EXPECT_EQ(v.data, memory.data());
}

class VectorsThatDoNotFit : public testing::Test {
 protected:
  std::string message(Vectors<const double> b, Vectors<const double> x) const {
    try {
      require_apart<double>(b, x, 4);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "they fit";
  }

  std::vector<double> memory_ = std::vector<double>(40);
  const double* b_ = memory_.data();
  const double* x_ = memory_.data() + 20;
};

TEST_F(VectorsThatDoNotFit, AreToldSo) {
  EXPECT_EQ(message({b_, 4, 2}, {x_, 4, 2, 5}), "they fit");
  EXPECT_THAT(message({b_, 4, 2}, {x_, 4, 1}), HasSubstr("2 right-hand sides, but 1 solutions"));
  EXPECT_THAT(message({b_, 4, 0}, {x_, 4, 0}), HasSubstr("has 0 columns"));
  EXPECT_THAT(message({b_, 3, 2}, {x_, 4, 2}),
              HasSubstr("the right-hand side has 3 rows where this rank has 4"));
  EXPECT_THAT(message({b_, 4, 2}, {x_, 4, 2, 3}), HasSubstr("the solution has columns of 4 rows every 3"));
  EXPECT_THAT(message({nullptr, 4, 2}, {x_, 4, 2}), HasSubstr("is not there"));
  EXPECT_THAT(message({b_, 4, 2}, {x_, 4, 2, 4, MemorySpace::device}), HasSubstr("in a device's memory"));
}

// Gaps count as the vectors' own up to the last column's end, and no further.
TEST_F(VectorsThatDoNotFit, AreAlsoThoseThatOverlap) {
  EXPECT_THAT(message({b_, 4, 2}, {b_ + 7, 4, 2}), HasSubstr("overlap"));
  EXPECT_EQ(message({b_, 4, 2}, {b_ + 8, 4, 2}), "they fit");
  EXPECT_THAT(message({b_ + 9, 4, 2}, {b_, 4, 2, 6}), HasSubstr("overlap"));
  EXPECT_EQ(message({b_ + 10, 4, 2}, {b_, 4, 2, 6}), "they fit");
}

}  // namespace
}  // namespace trisweep
