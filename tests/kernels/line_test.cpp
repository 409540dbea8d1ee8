#include "trisweep/kernels/line.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/every_isa.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"

namespace trisweep::kernels {
namespace {

using testing_support::random_vector;

template <class T>
class LineTest : public testing::Test {
 protected:
  static constexpr Index n = line_rows<T>;
  static constexpr Index ld = n + 3;

  // Work rows apart from each other and in reverse order.
  LineRows<T> rows_of(std::vector<T>& work, Index nrhs) {
    LineRows<T> rows{.row = {}, .factor = {}, .nrhs = nrhs};
    for (Index i = 0; i < n; ++i) {
      rows.row[i] = work.data() + usize(n - 1 - i) * usize(nrhs + 1);
      rows.factor[i] = RealOf<T>(1 << i % 4);
    }
    return rows;
  }
  std::vector<T> made_up(Index nrhs, unsigned seed) {
    return random_vector<T>(usize(n + 3) * usize(nrhs + 1), seed);
  }
};
TYPED_TEST_SUITE(LineTest, testing_support::Scalars);

TYPED_TEST(LineTest, LoadsScaledRowsAndNothingElse) {
  for (Index nrhs = 1; nrhs <= 35; ++nrhs) {
    const auto columns = this->made_up(nrhs, 1);
    auto work = this->made_up(nrhs, 2);
    auto expected = work;
    const auto wanted = this->rows_of(expected, nrhs);
    for (Index i = 0; i < this->n; ++i) {
      for (Index r = 0; r < nrhs; ++r) wanted.row[i][r] = columns[usize(i + r * this->ld)] * wanted.factor[i];
    }
    const auto before = work;
    for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
      work = before;
      kernels.load(columns.data(), Offset{this->ld}, this->rows_of(work, nrhs));
      EXPECT_EQ(work, expected) << nrhs << " right-hand sides, " << isa;
    });
    work = before;
    load_line(columns.data(), Offset{this->ld}, this->rows_of(work, nrhs));
    EXPECT_EQ(work, expected) << nrhs << " right-hand sides";
  }
}

TYPED_TEST(LineTest, StoresScaledRowsAndNothingElse) {
  for (Index nrhs = 1; nrhs <= 35; ++nrhs) {
    auto columns = this->made_up(nrhs, 1), work = this->made_up(nrhs, 2);
    auto expected = columns;
    const auto rows = this->rows_of(work, nrhs);
    for (Index i = 0; i < this->n; ++i) {
      for (Index r = 0; r < nrhs; ++r) expected[usize(i + r * this->ld)] = rows.row[i][r] * rows.factor[i];
    }
    const auto before = columns;
    for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
      columns = before;
      kernels.store(columns.data(), Offset{this->ld}, rows);
      EXPECT_EQ(columns, expected) << nrhs << " right-hand sides, " << isa;
    });
    columns = before;
    store_line(columns.data(), Offset{this->ld}, rows);
    EXPECT_EQ(columns, expected) << nrhs << " right-hand sides";
  }
}

// Row-major on both sides, with a distance between the caller's rows.
TYPED_TEST(LineTest, LoadsRowsOfNeighbours) {
  for (Index nrhs = 1; nrhs <= 35; ++nrhs) {
    const Index ld = nrhs + 1;
    const auto given = this->made_up(nrhs, 1), before = this->made_up(nrhs, 2);
    auto work = before, expected = before;
    const auto wanted = this->rows_of(expected, nrhs);
    for (Index i = 0; i < this->n; ++i) {
      for (Index r = 0; r < nrhs; ++r) wanted.row[i][r] = given[usize(i * ld + r)] * wanted.factor[i];
    }
    for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
      work = before;
      kernels.load_rows(given.data(), Offset{ld}, this->rows_of(work, nrhs));
      EXPECT_EQ(work, expected) << nrhs << " right-hand sides, " << isa;
    });
  }
}

TYPED_TEST(LineTest, StoresRowsOfNeighboursOrAddsThem) {
  for (Index nrhs = 1; nrhs <= 35; ++nrhs) {
    const Index ld = nrhs + 1;
    const auto before = this->made_up(nrhs, 1);
    auto work = this->made_up(nrhs, 2), found = before;
    const auto rows = this->rows_of(work, nrhs);
    for (const bool adds : {false, true}) {
      auto expected = before;
      for (Index i = 0; i < this->n; ++i) {
        for (Index r = 0; r < nrhs; ++r) {
          TypeParam& to = expected[usize(i * ld + r)];
          to = rows.row[i][r] * rows.factor[i] + (adds ? to : TypeParam{});
        }
      }
      for_each_row_isa<TypeParam>([&](const char* isa, const RowKernels<TypeParam>& kernels) {
        found = before;
        kernels.store_rows(found.data(), Offset{ld}, rows, adds);
        EXPECT_EQ(found, expected) << nrhs << " right-hand sides, " << isa;
      });
    }
  }
}

}  // namespace
}  // namespace trisweep::kernels
