#include "trisweep/device/vector_step.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>

#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/device/step_runner.hpp"

namespace trisweep::device {
namespace {

using testing_support::largest_difference;
using testing_support::random_vector;

template <class T>
class VectorStepTest : public testing::Test {
 protected:
  using Number = NumberOf<T>;

  // Of so many rows: four vectors, the first of which is updated, and what that becomes.
  std::vector<T> updated(Form form, Index rows, int threads) {
    ThreadPool pool(threads);
    StepRunner<T> runner(Device::native, pool);
    auto to = vector(0, rows);
    const auto a = vector(1, rows), b = vector(2, rows), c = vector(3, rows);
    VectorStep<Number> step{.rows = rows, .updates = 1};
    step.update[0] = {form, at(to), at(a), at(b), at(c), number(first), number(second), RealOf<T>(0.5)};
    runner.run({&step, 1}, [] {});
    return to;
  }
  static std::vector<T> vector(int which, Index rows) { return random_vector<T>(usize(rows), 10 + which); }
  static Number* at(std::vector<T>& v) { return reinterpret_cast<Number*>(v.data()); }
  static const Number* at(const std::vector<T>& v) { return reinterpret_cast<const Number*>(v.data()); }
  static Number number(T value) { return *reinterpret_cast<Number*>(&value); }

  T first = T(1.5), second = T(-0.75);
};
TYPED_TEST_SUITE(VectorStepTest, testing_support::Scalars);

// Of no row block, of one that ends anywhere, and of several.
constexpr Index some_rows[] = {0, 1, 15, 16, 33, 512, 513, 3000};

TYPED_TEST(VectorStepTest, UpdatesEveryRowOnAnyNumberOfThreads) {
  using T = TypeParam;
  const T first = this->first, second = this->second, scale(0.5);
  for (const Index rows : some_rows) {
    const auto a = this->vector(1, rows), b = this->vector(2, rows), c = this->vector(3, rows);
    const auto expect = [&](Form form, const auto& formula) {
      std::vector<T> expected;
      for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(formula(a[i], b[i], c[i]));
      for (const int threads : {1, 3})
        EXPECT_LE(largest_difference(this->updated(form, rows, threads), expected),
                  20 * std::numeric_limits<RealOf<T>>::epsilon())
            << rows << " " << int(form);
    };
    expect(Form::zero, [](T, T, T) { return T(0); });
    expect(Form::scaled, [&](T x, T, T) { return scale * x; });
    expect(Form::sum, [&](T x, T y, T) { return scale * (x + first * y); });
    expect(Form::sums, [&](T x, T y, T z) { return x + first * y + second * z; });
    expect(Form::nested, [&](T x, T y, T z) { return x + first * (y + second * z); });
  }
}

// Sums see what the updates before them have made, and updates each other.
TYPED_TEST(VectorStepTest, SumsAreThoseOfUpdatedRowsAndBitwiseEqualOnAnyNumberOfThreads) {
  using T = TypeParam;
  using Sum = typename StepRunner<T>::Sum;
  for (const Index rows : some_rows) {
    const auto a = this->vector(1, rows), b = this->vector(2, rows);
    std::complex<double> expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      expected += std::conj(std::complex<double>(T(0.25) * a[i])) * std::complex<double>(b[i]);
    std::vector<Sum> found;
    for (const int threads : {1, 2, 4}) {
      ThreadPool pool(threads);
      StepRunner<T> runner(Device::native, pool);
      std::vector<T> x(usize(rows));
      VectorStep<NumberOf<T>> step{.rows = rows, .updates = 2, .products = 2};
      step.update[0] = {Form::scaled, this->at(x), this->at(a), nullptr, nullptr, {}, {}, RealOf<T>(0.5)};
      step.update[1] = {Form::scaled, this->at(x), this->at(x), nullptr, nullptr, {}, {}, RealOf<T>(0.5)};
      step.product[0] = {this->at(b), this->at(b)};
      step.product[1] = {this->at(x), this->at(b)};
      int polls = 0;
      const auto sums = runner.run({&step, 1}, [&] { ++polls; });
      EXPECT_GE(polls, 1);
      ASSERT_EQ(sums.size(), 2u);
      std::complex<double> second;
      if constexpr (is_complex<T>) {
        second = {sums[1].re, sums[1].im};
      } else {
        second = sums[1];
      }
      EXPECT_LE(std::abs(second - expected), 1e-12 * (1 + rows));
      if (threads == 1) found.assign(sums.begin(), sums.end());
      EXPECT_EQ(std::memcmp(found.data(), sums.data(), sums.size_bytes()), 0) << rows << " " << threads;
      EXPECT_EQ(runner.counts().steps, 1);
      EXPECT_EQ(runner.counts().updates, 2);
      EXPECT_EQ(runner.counts().products, 2);
    }
  }
}

}  // namespace
}  // namespace trisweep::device
