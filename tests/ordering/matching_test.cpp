#include "trisweep/ordering/matching.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "gallery/gallery.hpp"
#include "support/real_matrices.hpp"
#include "support/scalars.hpp"
#include "support/sparse_rows.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/matrix/io.hpp"

namespace trisweep::ordering {
namespace {

using matrix::Csr;

template <class T>
Csr<T> from_dense(Index n, const std::vector<T>& value, bool keep_zeros = false) {
  Csr<T> a{.pattern = {.rows = n, .cols = n, .row_ptr = {0}, .col = {}}, .value = {}};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const T v = value[usize(i * n + j)];
      if (v == T{} && !keep_zeros) continue;
      a.pattern.col.push_back(j);
      a.value.push_back(v);
    }
    a.pattern.row_ptr.push_back(static_cast<Offset>(a.value.size()));
  }
  return a;
}

// log2 of the diagonal's product, -infinity when it has a zero.
template <class T>
double log_product(Index n, const std::vector<T>& value, const std::vector<Index>& col_of_row) {
  double sum = 0;
  for (Index i = 0; i < n; ++i)
    sum += std::log2(double(std::abs(value[usize(i * n + col_of_row[usize(i)])])));
  return sum;
}

template <class T>
double best_log_product(Index n, const std::vector<T>& value) {
  std::vector<Index> p(usize(n));
  std::iota(p.begin(), p.end(), 0);
  double best = -std::numeric_limits<double>::infinity();
  do {
    best = std::max(best, log_product(n, value, p));
  } while (std::next_permutation(p.begin(), p.end()));
  return best;
}

// Powers of two in [0.5, 2] on the diagonal, at most 2 elsewhere, all finite in the matrix's own precision.
template <class T>
void expect_scaled(const Csr<T>& a, const Matching& m) {
  std::vector<char> used(usize(a.cols()));
  for (Index i = 0; i < a.rows(); ++i) {
    bool found = false;
    for (const Offset p : a.pattern.entries(i)) {
      const Index j = a.pattern.col[usize(p)];
      const auto factor = static_cast<RealOf<T>>(m.scaling.row[usize(i)] * m.scaling.col[usize(j)]);
      const double scaled = std::abs(a.value[usize(p)] * factor);
      EXPECT_LE(scaled, 2.0001);
      if (j != m.col_of_row[usize(i)]) continue;
      found = true;
      EXPECT_GE(scaled, 0.4999);
      EXPECT_FALSE(std::exchange(used[usize(j)], 1));
    }
    EXPECT_TRUE(found);
    int exponent = 0;
    EXPECT_EQ(std::frexp(m.scaling.row[usize(i)], &exponent), 0.5);
    EXPECT_EQ(std::frexp(m.scaling.col[usize(i)], &exponent), 0.5);
  }
}

template <class T>
std::vector<T> random_values(Index n, double density, double decades, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<T> value(usize(n * n));
  for (T& v : value) {
    if (unit(random) > density) continue;
    const double magnitude = std::pow(10.0, decades * (2 * unit(random) - 1));
    if constexpr (is_complex<T>) {
      v = T(std::polar(RealOf<T>(magnitude), RealOf<T>(6 * unit(random))));
    } else {
      v = static_cast<T>(unit(random) < 0.5 ? magnitude : -magnitude);
    }
  }
  return value;
}

template <class T>
class MatchingOf : public testing::Test {};
TYPED_TEST_SUITE(MatchingOf, testing_support::Scalars);

TYPED_TEST(MatchingOf, MaximisesTheDiagonalsProduct) {
  std::mt19937 random(3);
  int solved = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 1 + trial % 7;
    const auto value = random_values<TypeParam>(n, trial % 3 == 0 ? 1.0 : 0.5, 1 + trial % 9, random);
    const double best = best_log_product(n, value);
    const auto a = from_dense(n, value, trial % 2 == 0);
    if (!std::isfinite(best)) {
      EXPECT_THROW(match_large_entries(a, silent_observer()), Error);
      continue;
    }
    ++solved;
    const Matching m = match_large_entries(a, silent_observer());
    EXPECT_NEAR(log_product(n, value, m.col_of_row), best, 1e-4);
    expect_scaled(a, m);
  }
  EXPECT_GT(solved, 150);
}

TEST(Matching, SurvivesExtremeMagnitudes) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    auto value = random_values<double>(30, 0.3, 300, random);
    for (Index i = 0; i < 30; ++i) value[usize(i * 31)] = 1.0;
    // Rows and columns of one scale: what equilibration is for. Arbitrary entries of 1e-300 and 1e300 in one
    // matrix may need factors that no double holds; then the factors only must stay finite.
    const Matching m = match_large_entries(from_dense(30, value), silent_observer());
    for (const double s : m.scaling.row) EXPECT_TRUE(std::isnormal(s));
    for (const double s : m.scaling.col) EXPECT_TRUE(std::isnormal(s));
  }
  for (int trial = 0; trial < 50; ++trial) {
    auto value = random_values<double>(30, 0.3, 2, random);
    for (Index i = 0; i < 30; ++i) value[usize(i * 31)] = 1.0;
    for (Index i = 0; i < 30; ++i) {
      const double scale = std::pow(10.0, double(random() % 590) - 295);
      for (Index j = 0; j < 30; ++j) value[usize(trial % 2 ? i * 30 + j : j * 30 + i)] *= scale;
    }
    const Csr<double> a = from_dense(30, value);
    expect_scaled(a, match_large_entries(a, silent_observer()));
  }
}

TEST(Matching, KeepsADominantDiagonalWhereItIs) {
  for (const char* kind : {"convection3d", "s2d9"}) {
    const auto any = gallery::make_matrix(kind, {.n = 9});
    const auto& a = std::get<Csr<double>>(any);
    const Matching m = match_large_entries(a, silent_observer());
    for (Index i = 0; i < a.rows(); ++i) ASSERT_EQ(m.col_of_row[usize(i)], i);
  }
}

TEST(Matching, RealMatricesWithZeroDiagonals) {
  for (const auto& file : test::real_matrices({"west0067.mtx.gz", "west0479.mtx.gz", "young1c.mtx.gz",
                                               "gemat12.mtx.gz", "nnc1374.mtx.gz", "bayer10.mtx.gz"})) {
    SCOPED_TRACE(file);
    const auto any = matrix::read_matrix(file);
    std::visit([](const auto& a) { expect_scaled(a, match_large_entries(a, silent_observer())); }, any);
  }
}

std::string message_of(const Csr<double>& a) {
  try {
    match_large_entries(a, silent_observer());
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::numerical);
    return e.what();
  }
  return "matched";
}

TEST(Matching, SaysWhatIsStructurallySingular) {
  // Rows 2, 3 and 4 have nonzeros in columns 2 and 3 only.
  EXPECT_THAT(message_of(from_dense<double>(4, {1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0})),
              testing::AllOf(testing::HasSubstr("rank is 3 of 4"), testing::HasSubstr("row 3 ")));
  // Explicit zeros must not be matched.
  EXPECT_THAT(message_of(from_dense<double>(2, {1, 0, 1, 0}, true)), testing::HasSubstr("rank is 1 of 2"));
  // Many deficient rows at once: rank 50 of 2000.
  Csr<double> thin{.pattern = {.rows = 2000, .cols = 2000, .row_ptr = {0}, .col = {}}, .value = {}};
  for (Index i = 0; i < 2000; ++i) {
    for (Index j = 0; j < 50; ++j) {
      thin.pattern.col.push_back(j);
      thin.value.push_back(1.0 + (i * 31 + j * 17) % 97);
    }
    thin.pattern.row_ptr.push_back(static_cast<Offset>(thin.value.size()));
  }
  EXPECT_THAT(message_of(thin), testing::HasSubstr("rank is 50 of 2000"));
}

// -1, 2, -1 for velocities on a line, and the differences of pressures between them, which have no diagonal.
// With pressures at both ends there is one more than can be matched.
Csr<double> stokes_chain(Index velocities, Index pressures, bool alternating) {
  const Index n = velocities + pressures;
  // Velocity i lies between the pressures i - 1 + shift and i + shift.
  const Index shift = pressures > velocities ? 1 : 0;
  const auto velocity = [&](Index i) { return alternating ? 2 * i + shift : i; };
  const auto pressure = [&](Index k) { return alternating ? 2 * k + 1 - shift : velocities + k; };
  std::vector<std::map<Index, double>> rows(usize(n));
  for (Index i = 0; i < velocities; ++i) {
    for (const Index other : {i - 1, i, i + 1}) {
      if (other >= 0 && other < velocities) rows[usize(velocity(i))][velocity(other)] = other == i ? 2 : -1;
    }
    for (const Index k : {i - 1 + shift, i + shift}) {
      if (k < 0 || k >= pressures) continue;
      const double difference = k == i + shift ? 1 : -1;
      rows[usize(velocity(i))][pressure(k)] = difference;
      rows[usize(pressure(k))][velocity(i)] = difference;
    }
  }
  return testing_support::csr_of(rows);
}

TEST(Matching, OfStokesChains) {
  for (const bool alternating : {false, true}) {
    for (const Index velocities : {2, 3, 50, 1001, 10'001}) {
      SCOPED_TRACE(velocities);
      const Csr<double> a = stokes_chain(velocities, velocities - 1, alternating);
      expect_scaled(a, match_large_entries(a, silent_observer()));
      const Index n = 2 * velocities + 1;
      EXPECT_THAT(message_of(stokes_chain(velocities, velocities + 1, alternating)),
                  testing::HasSubstr(fmt::format("rank is {} of {}", n - 1, n)));
    }
  }
}

// Of a dominant diagonal in units that make it so, and a little short of it: balanced units have nothing to
// gain, and the product is none the less the largest.
TEST(Matching, TakesADiagonalThatIsNearlyTheBest) {
  for (const double second : {1.0, 0.98}) {
    const std::vector<double> value{4, 1, 0, 4 / second, 4, 1, 0, 1, 4};
    const Matching m = match_large_entries(from_dense(3, value), silent_observer());
    EXPECT_EQ(m.col_of_row, (std::vector<Index>{0, 1, 2}));
    expect_scaled(from_dense(3, value), m);
  }
}

}  // namespace
}  // namespace trisweep::ordering
