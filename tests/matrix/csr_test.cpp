#include "trisweep/matrix/csr.hpp"

#include <gmock/gmock.h>

#include "trisweep/core/error.hpp"

namespace trisweep::matrix {
namespace {

using Complex = std::complex<double>;
using testing::ElementsAre;
using testing::HasSubstr;

// [1 0 2; 0 0 3i] of complex numbers
Csr<Complex> sample() {
  return {.pattern = {.rows = 2, .cols = 3, .row_ptr = {0, 2, 3}, .col = {0, 2, 2}}, .value = {1, 2, {0, 3}}};
}

TEST(Csr, ConsistentRowsFitTogetherAndAscend) {
  require_consistent(sample());
  const auto message = [](auto change, const RowNumbers& number = {}) -> std::string {
    Csr<Complex> a = sample();
    change(a);
    try {
      require_consistent(a, number);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      return e.what();
    }
    return {};
  };
  const auto do_not_fit = HasSubstr("do not fit together");
  EXPECT_THAT(message([](auto& a) { a.pattern.rows = -1; }), do_not_fit);
  EXPECT_THAT(message([](auto& a) { a.pattern.row_ptr.clear(); }), do_not_fit);
  EXPECT_THAT(message([](auto& a) { a.pattern.row_ptr = {1, 2, 3}; }), do_not_fit);
  EXPECT_THAT(message([](auto& a) { a.pattern.row_ptr = {0, 4, 3}; }), do_not_fit);
  EXPECT_THAT(message([](auto& a) { a.pattern.col.pop_back(); }), do_not_fit);
  EXPECT_THAT(message([](auto& a) { a.value.pop_back(); }), do_not_fit);
  EXPECT_THAT(message([](auto& a) { a.pattern.col[0] = 2; }),
              HasSubstr("columns of row 0 (counting from 0) do not ascend from 0 to 2"));
  EXPECT_THAT(message([](auto& a) { a.pattern.col[0] = -5; }), HasSubstr("row 0"));
  EXPECT_THAT(message([](auto& a) { a.pattern.col[2] = 3; }, {.first = 7}), HasSubstr("row 8"));
}

TEST(Csr, TransposeKeepsEveryEntry) {
  const auto t = transpose(sample());
  EXPECT_THAT(t.pattern.row_ptr, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(t.pattern.col, ElementsAre(0, 0, 1));
  EXPECT_THAT(t.value, ElementsAre(Complex(1), Complex(2), Complex(0, 3)));
}

TEST(Csr, MultiplyAppliesEveryOp) {
  const std::vector<Complex> x{1, 1, {0, 1}}, u{1, 2};
  std::vector<Complex> y(2), v(3);
  multiply<Complex>(sample(), Op::none, x, y);
  EXPECT_THAT(y, ElementsAre(Complex(1, 2), Complex(-3, 0)));
  multiply<Complex>(sample(), Op::transpose, u, v);
  EXPECT_THAT(v, ElementsAre(Complex(1), Complex(0), Complex(2, 6)));
  multiply<Complex>(sample(), Op::conjugate_transpose, u, v);
  EXPECT_THAT(v, ElementsAre(Complex(1), Complex(0), Complex(2, -6)));
}

TEST(Csr, NormsAreRowAndColumnSums) {
  EXPECT_DOUBLE_EQ(norm_inf(sample()), 3.0);
  EXPECT_DOUBLE_EQ(norm_one(sample()), 5.0);
}

TEST(Csr, SymmetrizedIsTheUnionWithAFullDiagonal) {
  const Pattern a{.rows = 3, .cols = 3, .row_ptr = {0, 1, 1, 3}, .col = {2, 1, 2}};
  const Pattern s = symmetrized(a);
  EXPECT_THAT(s.row_ptr, ElementsAre(0, 2, 4, 7));
  EXPECT_THAT(s.col, ElementsAre(0, 2, 1, 2, 0, 1, 2));
}

TEST(Csr, HermitianIsNotSymmetric) {
  const Csr<Complex> h{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 4}, .col = {0, 1, 0, 1}},
                       .value = {1, {0, 1}, {0, -1}, 1}};
  EXPECT_TRUE(is_symmetric(h, true));
  EXPECT_FALSE(is_symmetric(h, false));
  EXPECT_FALSE(is_symmetric(sample(), false));
}

// Entries without a mirrored one: below the diagonal, above it, in the last row, and with another value.
TEST(Csr, SymmetryNeedsEveryEntryTwice) {
  const auto of = [](std::vector<double> dense) {
    Csr<double> a{.pattern = {.rows = 3, .cols = 3, .row_ptr = {0}, .col = {}}, .value = {}};
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        if (dense[usize(3 * i + j)] == 0) continue;
        a.pattern.col.push_back(j);
        a.value.push_back(dense[usize(3 * i + j)]);
      }
      a.pattern.row_ptr.push_back(std::ssize(a.value));
    }
    return a;
  };
  EXPECT_TRUE(is_symmetric(of({1, 2, 3, 2, 0, 4, 3, 4, 0}), false));
  EXPECT_TRUE(is_symmetric(of({0, 0, 3, 0, 5, 0, 3, 0, 0}), false));
  EXPECT_FALSE(is_symmetric(of({1, 0, 3, 2, 0, 4, 3, 4, 0}), false));
  EXPECT_FALSE(is_symmetric(of({1, 2, 3, 0, 0, 4, 3, 4, 0}), false));
  EXPECT_FALSE(is_symmetric(of({1, 2, 3, 2, 0, 4, 3, 0, 1}), false));
  EXPECT_FALSE(is_symmetric(of({1, 2, 0, 2, 0, 4, 3, 4, 0}), false));
  EXPECT_FALSE(is_symmetric(of({1, 2, 3, 2, 0, 4, 3, 5, 0}), false));
  // Stored zeros need no second one.
  auto zeros = of({1, 9, 3, 9, 5, 9, 3, 9, 6});
  std::ranges::replace(zeros.value, 9.0, 0.0);
  for (const std::size_t left_out : {1U, 3U, 5U, 7U}) {
    Csr<double> a = zeros;
    a.pattern.col.erase(a.pattern.col.begin() + static_cast<Offset>(left_out));
    a.value.erase(a.value.begin() + static_cast<Offset>(left_out));
    for (std::size_t i = left_out / 3 + 1; i <= 3; ++i) --a.pattern.row_ptr[i];
    EXPECT_TRUE(value_symmetry(a, true).holds) << left_out;
    EXPECT_TRUE(value_symmetry(a, true).has_positive_diagonal) << left_out;
    *std::ranges::find(a.value, 3.0) = 2;
    EXPECT_FALSE(is_symmetric(a, false)) << left_out;
    *std::ranges::find(a.value, 2.0) = 3;
    *std::ranges::find(a.value, 0.0) = 1;
    EXPECT_FALSE(is_symmetric(a, false)) << left_out;
  }
  const auto is_positive = [&](const std::vector<double>& dense) {
    const ValueSymmetry found = value_symmetry(of(dense), true);
    return found.holds && found.has_positive_diagonal;
  };
  EXPECT_TRUE(is_positive({1, 2, 3, 2, 5, 4, 3, 4, 6}));
  EXPECT_FALSE(is_positive({1, 2, 3, 2, -5, 4, 3, 4, 6}));
  EXPECT_FALSE(is_positive({1, 2, 3, 2, 0, 4, 3, 4, 6}));
  EXPECT_FALSE(is_positive({1, 2, 3, 2, 5, 4, 3, 4, 0}));
}

// A diagonal that is not real is no Hermitian one.
TEST(Csr, HermitianDiagonalsAreReal) {
  const Csr<Complex> a{.pattern = {.rows = 1, .cols = 1, .row_ptr = {0, 1}, .col = {0}}, .value = {{1, 1}}};
  EXPECT_FALSE(is_symmetric(a, true));
  EXPECT_TRUE(is_symmetric(a, false));
}

TEST(Csr, PermutedAndScaledMovesAndScales) {
  const Csr<double> a{.pattern = {.rows = 2, .cols = 2, .row_ptr = {0, 2, 3}, .col = {0, 1, 1}},
                      .value = {1, 2, 3}};
  const auto b = permuted_and_scaled<double>(a, std::vector<Index>{1, 0}, std::vector<Index>{1, 0},
                                             std::vector<double>{2, 4}, std::vector<double>{1, 8});
  EXPECT_THAT(b.pattern.row_ptr, ElementsAre(0, 1, 3));
  EXPECT_THAT(b.pattern.col, ElementsAre(0, 0, 1));
  EXPECT_THAT(b.value, ElementsAre(96, 32, 2));
}

}  // namespace
}  // namespace trisweep::matrix
