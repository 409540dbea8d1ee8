#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "gallery/gallery.hpp"
#include "support/real_matrices.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::gallery {
namespace {

matrix::Csr<double> cage(Index n) {
  return std::get<matrix::Csr<double>>(make_matrix("cage", {.n = n}));
}

struct CageSize {
  Index n, rows;
  Offset nonzeros;
};

TEST(GalleryCage, HasTheCollectionsSizes) {
  const std::vector<CageSize> sizes{{3, 5, 19},       {4, 9, 49},          {5, 37, 233},
                                    {6, 93, 785},     {7, 340, 3084},      {8, 1015, 11003},
                                    {9, 3534, 41594}, {10, 11397, 150645}, {11, 39082, 559722}};
  for (const auto& [n, rows, nonzeros] : sizes) {
    const auto a = cage(n);
    EXPECT_EQ(a.rows(), rows);
    EXPECT_EQ(a.nonzeros(), nonzeros);
    std::vector<double> column_sum(usize(a.cols()));
    for (std::size_t k = 0; k < a.value.size(); ++k) column_sum[usize(a.pattern.col[k])] += a.value[k];
    EXPECT_THAT(column_sum, testing::Each(testing::DoubleNear(1, 1e-14)));
  }
}

// Numbers that a symmetric permutation leaves as they are: sorted entries, diagonals and row sums.
std::vector<std::vector<double>> invariants(const matrix::Csr<double>& a) {
  std::vector<double> entries = a.value, diagonal, row_sums;
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (const Offset k : a.pattern.entries(i)) {
      sum += a.value[usize(k)];
      if (a.pattern.col[usize(k)] == i) diagonal.push_back(a.value[usize(k)]);
    }
    row_sums.push_back(sum);
  }
  for (auto* list : {&entries, &diagonal, &row_sums}) std::ranges::sort(*list);
  return {entries, diagonal, row_sums};
}

TEST(GalleryCage, HasTheCollectionsValues) {
  for (const Index n : {5, 8}) {
    for (const auto& file :
         trisweep::test::real_matrices({("cage" + std::to_string(n) + ".mtx.gz").c_str()})) {
      const auto ours = invariants(cage(n));
      const auto theirs = invariants(std::get<matrix::Csr<double>>(matrix::read_matrix(file)));
      for (std::size_t k = 0; k < ours.size(); ++k) {
        EXPECT_THAT(ours[k], testing::Pointwise(testing::DoubleNear(1e-13), theirs[k]));
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::gallery
