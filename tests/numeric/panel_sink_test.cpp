// Factors whose panels are handed to a sink: the same numbers, in memory for a front at a time.

#include "trisweep/numeric/panel_sink.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>

#include "numeric/support.hpp"
#include "support/hard_to_pivot.hpp"
#include "support/scalars.hpp"
#include "trisweep/numeric/front_panels.hpp"

namespace trisweep::numeric {
namespace {

using testing::DenseMatrix;
using testing::epsilon;

template <class T>
class PanelSinks : public ::testing::Test {};
TYPED_TEST_SUITE(PanelSinks, testing_support::Scalars);

// Copies what it is given, by thread.
template <Scalar T>
class Collector : public PanelSink<T> {
 public:
  struct Taken {
    std::vector<T> diagonal, lower, upper;
  };

  explicit Collector(int threads) : of_thread_(usize(threads)) {}

  void take(int thread, const Panel<T>& panel) override {
    const auto copy = [&](const View<T>& part) {
      if (part.data == nullptr) return std::vector<T>();
      auto& [first, last] = memory_[thread];
      if (first == nullptr || std::less()(part.data, first)) first = part.data;
      const T* const end = part.data + usize(part.rows) * usize(part.cols);
      if (std::less()(last, end)) last = end;
      return std::vector<T>(static_cast<const T*>(part.data), end);
    };
    const Taken taken{copy(panel.diagonal), copy(panel.lower), copy(panel.upper)};
    EXPECT_TRUE(of_thread_[usize(thread)].emplace(panel.supernode, taken).second);
  }
  std::size_t bytes_expected() const override { return 0; }

  std::map<Index, Taken> all() const {
    std::map<Index, Taken> all;
    for (const auto& part : of_thread_) all.insert(part.begin(), part.end());
    return all;
  }
  // From the first to the last number that came from thread 0.
  std::ptrdiff_t entries_in_memory() const { return memory_.at(0).second - memory_.at(0).first; }

 private:
  std::vector<std::map<Index, Taken>> of_thread_;
  std::map<int, std::pair<const T*, const T*>> memory_;  // one thread's alone is read
};

template <Scalar T>
void expect_panels(const std::map<Index, typename Collector<T>::Taken>& taken, const Factors<T>& factors) {
  const symbolic::Structure& s = *factors.structure;
  ASSERT_EQ(std::ssize(taken), s.supernodes());
  for (const auto& [k, panel] : taken) {
    const auto same = [&](const std::vector<T>& part, const T* whole, Index rows) {
      return std::ssize(part) == Offset{rows} * s.width(k) && std::equal(part.begin(), part.end(), whole);
    };
    EXPECT_TRUE(same(panel.diagonal, factors.diagonal_block(k), s.width(k)));
    EXPECT_TRUE(same(panel.lower, factors.lower_panel(k), s.height(k)));
    if (factors.kind == Kind::lu) {
      EXPECT_TRUE(same(panel.upper, factors.upper_panel(k), s.height(k)));
    }
    EXPECT_TRUE(factors.kind == Kind::lu || panel.upper.empty());
  }
}

TYPED_TEST(PanelSinks, TakeTheSamePanelsFromMemoryOfOneFront) {
  const auto a = testing::random_definite_matrix<TypeParam>({.n = 300, .density = 0.006, .seed = 3});
  const auto structure = testing::random_structure(a.pattern, 6);
  for (const Kind kind : {Kind::lu, Kind::cholesky}) {
    const auto whole = factor(a, structure, kind, {});
    Collector<TypeParam> sink(1);
    const auto f = factor(a, structure, kind, {}, silent_observer(), &sink);
    ASSERT_TRUE(f);
    EXPECT_EQ(f->bytes(), 0u);
    EXPECT_EQ(f->structure, structure);
    expect_panels(sink.all(), *whole);
    const auto most = largest_front_entries(build_front_tree(*structure), *structure, kind);
    EXPECT_LE(sink.entries_in_memory(), most);
    EXPECT_LT(most, Offset(whole->bytes() / sizeof(TypeParam)) / 2);
  }
}

TYPED_TEST(PanelSinks, TakeTheSamePanelsFromThreads) {
  const auto a = testing::random_matrix<TypeParam>({.n = 300, .density = 0.004, .seed = 5});
  const auto structure = testing::random_structure(a.pattern, 6);
  const auto whole = factor(a, structure, Kind::lu, {});
  struct Locked : Collector<TypeParam> {
    using Collector<TypeParam>::Collector;
    void take(int thread, const Panel<TypeParam>& panel) override {
      const std::lock_guard lock(mutex);
      Collector<TypeParam>::take(thread, panel);
    }
    std::mutex mutex;
  } sink(3);
  ASSERT_TRUE(factor(a, structure, Kind::lu, {.threads = 3}, silent_observer(), &sink));
  expect_panels(sink.all(), *whole);
}

// Two fronts are eliminated again, with pivots from all of their rows, which stay in their supernodes.
TYPED_TEST(PanelSinks, TakeFrontsThatWereRedoneInPlace) {
  DenseMatrix a = testing::identity(6);
  a(0, 0) = a(1, 1) = 0;
  a(0, 1) = 1;
  a(1, 0) = a(3, 3) = std::pow(epsilon<TypeParam>, 0.6);
  a(1, 5) = a(0, 4) = a(3, 4) = 0.5;
  const auto matrix = testing::sparse<TypeParam>(a);
  const auto structure = testing::structure_of(matrix.pattern, {0, 2, 3, 4, 6});
  const auto whole = factor(matrix, structure, Kind::lu, {});
  EXPECT_EQ(whole->structure, structure);
  EXPECT_EQ(whole->perturbed_pivots, 0);
  EXPECT_LT(testing::max_difference(testing::reconstruct(*whole), a), 8 * epsilon<TypeParam>);
  Collector<TypeParam> sink(1);
  ASSERT_TRUE(factor(matrix, structure, Kind::lu, {}, silent_observer(), &sink));
  expect_panels(sink.all(), *whole);
}

// Columns that go to other supernodes change the rows of panels that are gone: nothing comes out, at once.
TYPED_TEST(PanelSinks, EndAFactorizationThatDelaysPivots) {
  const auto a = testing_support::with_phases<TypeParam>(testing_support::integer_basis(90, 2, 1));
  const auto structure = testing::random_structure(a.pattern, 5);
  ASSERT_GT(factor(a, structure, Kind::lu, {})->delayed_pivots, 0);
  Collector<TypeParam> sink(1);
  EXPECT_FALSE(factor(a, structure, Kind::lu, {}, silent_observer(), &sink));
  EXPECT_LT(std::ssize(sink.all()), structure->supernodes());
}

TEST(PanelSinkErrors, EndTheFactorizationOnAllThreads) {
  struct Full : PanelSink<double> {
    void take(int, const Panel<double>&) override {
      if (++taken == 20) throw std::runtime_error("full");
    }
    std::size_t bytes_expected() const override { return 0; }
    std::atomic<int> taken = 0;
  };
  const auto a = testing::random_matrix<double>({.n = 300, .density = 0.004, .seed = 5});
  const auto structure = testing::random_structure(a.pattern, 6);
  for (const int threads : {1, 3}) {
    Full sink;
    EXPECT_THROW(factor(a, structure, Kind::lu, {.threads = threads}, silent_observer(), &sink),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace trisweep::numeric
