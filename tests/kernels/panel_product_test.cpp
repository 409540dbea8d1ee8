#include "trisweep/kernels/panel_product.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "kernels/every_isa.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/core/buffer.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/kernels/stored.hpp"

namespace trisweep::kernels {
namespace {

using testing_support::random_vector;

template <class S, class T>
struct Pair {
  using Storage = S;
  using Vectors = T;
};
template <class P>
class PanelProductTest : public testing::Test {};
#define TRISWEEP_PAIR_OF(S, T) , Pair<S, T>
using Pairs = testing_support::TypesButFirst<void TRISWEEP_FOR_EACH_STORAGE(TRISWEEP_PAIR_OF)>;
#undef TRISWEEP_PAIR_OF
TYPED_TEST_SUITE(PanelProductTest, Pairs);

struct Shape {
  Index height, width, nrhs;
  Index begin = 0;  // rows of other row blocks, above
  Index below = 0;

  Index panel_height() const { return begin + height + below; }
};

// Within a slab and over several, a row block of each, and every way to cover the right-hand sides.
std::vector<Shape> shapes() {
  std::vector<Shape> list = {{0, 3, 1}, {1, 1, 1}, {1, 1, 3}, {9, 1, 50}, {64, 8, 50}};
  for (const Index nrhs : {1, 2, 3, 4, 5, 7, 8, 16, 23, 50}) {
    list.push_back({13, 6, nrhs});
    list.push_back({32, 17, nrhs});
    list.push_back({77, 9, nrhs});
    list.push_back({7, 9, nrhs, 3, 5});
    list.push_back({40, 5, nrhs, 30, 31});
  }
  return list;
}

// A work vector with the panel's own rows first and the rows it is joined to after them, in reverse.
template <class S, Scalar T>
struct Sample {
  explicit Sample(const Shape& s)
      : shape(s),
        entries(random_vector<S>(usize(s.panel_height()) * usize(s.width), 1)),
        panel(entries.size(), "a panel"),
        work(random_vector<T>(usize(s.height + s.width) * usize(s.nrhs), 2)),
        scratch(scratch_size(s.width, s.nrhs)) {
    std::ranges::copy(entries, panel.data());
    std::vector<S> room(entries.size());
    cut_into_slabs(panel.data(), s.panel_height(), s.width, room.data());
    for (Index i = s.height; i-- > 0;) position.push_back(s.width + i);
  }
  S entry(Index i, Index j, bool conjugated) const {
    const S v = entries[usize(shape.begin + i) + usize(j) * usize(shape.panel_height())];
    return conjugated ? conjugate(v) : v;
  }
  T at(Index row, Index r) const { return work[index(row, r)]; }
  std::size_t index(Index row, Index r) const { return usize(row) * usize(shape.nrhs) + usize(r); }
  Panel<T> view(bool conjugated) const {
    return {.value = panel.data(),
            .position = position.data(),
            .height = shape.panel_height(),
            .width = shape.width,
            .begin = shape.begin,
            .end = shape.begin + shape.height,
            .conjugate = conjugated};
  }
  Work<T> work_view() { return {work.data(), scratch.data(), shape.nrhs}; }

  Shape shape;
  std::vector<S> entries;  // column-major
  Buffer<S> panel;
  std::vector<T> work;
  std::vector<T> scratch;
  std::vector<Index> position;
};

// A work vector in exact arithmetic, more or less, and what every number's rounding errors are measured by.
template <Scalar T>
class Expected {
 public:
  explicit Expected(const std::vector<T>& work) : terms_(work.size(), 1) {
    for (const T& w : work) {
      value_.emplace_back(std::real(w), std::imag(w));
      size_.push_back(size_of(w));
    }
  }
  void clear(std::size_t i) { value_[i] = size_[i] = terms_[i] = 0; }
  template <class S>
  void add(std::size_t i, double sign, const S& p, const T& s) {
    value_[i] += Exact(sign) * Exact(std::real(p), std::imag(p)) * Exact(std::real(s), std::imag(s));
    size_[i] += size_of(p) * size_of(s);
    ++terms_[i];
  }
  // A sum of n terms, in any order, is off by n roundings of their magnitudes at most, up to second order.
  void expect(const std::vector<T>& result) const {
    ASSERT_EQ(result.size(), value_.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Exact off = Exact(std::real(result[i]), std::imag(result[i])) - value_[i];
      ASSERT_LE(std::abs(off), terms_[i] * epsilon * size_[i]) << "number " << i;
    }
  }

 private:
  using Exact = std::complex<long double>;
  static constexpr long double epsilon = std::numeric_limits<RealOf<T>>::epsilon();
  template <class V>
  static long double size_of(const V& v) {
    return std::abs(static_cast<long double>(std::real(v))) +
           std::abs(static_cast<long double>(std::imag(v)));
  }

  std::vector<Exact> value_;
  std::vector<long double> size_;
  std::vector<long double> terms_;
};

TYPED_TEST(PanelProductTest, ScatterSubtractsThePanelTimesItsSource) {
  using S = typename TypeParam::Storage;
  using T = typename TypeParam::Vectors;
  for (const Shape& shape : shapes()) {
    for (const bool conjugated : {false, true}) {
      Sample<S, T> sample(shape);
      Expected<T> expected(sample.work);
      for (Index i = 0; i < shape.height; ++i) {
        for (Index j = 0; j < shape.width; ++j) {
          for (Index r = 0; r < shape.nrhs; ++r) {
            expected.add(sample.index(sample.position[usize(i)], r), -1, sample.entry(i, j, conjugated),
                         sample.at(j, r));
          }
        }
      }
      const auto panel = sample.view(conjugated);
      for_each_panel_isa<S, T>([&](const char* isa, const PanelKernels<T>& kernels) {
        SCOPED_TRACE(isa);
        auto work = sample.work;
        kernels.scatter({panel, work.data(), work.data(), sample.scratch.data(), shape.nrhs});
        expected.expect(work);
      });
      scatter_product(panel, 0, sample.work_view());
      expected.expect(sample.work);
    }
  }
}

TYPED_TEST(PanelProductTest, GatherSubtractsTheTransposedPanelTimesItsRows) {
  using S = typename TypeParam::Storage;
  using T = typename TypeParam::Vectors;
  for (const Shape& shape : shapes()) {
    for (const bool conjugated : {false, true}) {
      Sample<S, T> sample(shape);
      Expected<T> expected(sample.work);
      for (Index i = 0; i < shape.height; ++i) {
        for (Index j = 0; j < shape.width; ++j) {
          for (Index r = 0; r < shape.nrhs; ++r) {
            expected.add(sample.index(j, r), -1, sample.entry(i, j, conjugated),
                         sample.at(sample.position[usize(i)], r));
          }
        }
      }
      const auto panel = sample.view(conjugated);
      for_each_panel_isa<S, T>([&](const char* isa, const PanelKernels<T>& kernels) {
        SCOPED_TRACE(isa);
        auto work = sample.work;
        kernels.gather({panel, work.data(), work.data(), sample.scratch.data(), shape.nrhs});
        expected.expect(work);
      });
      gather_product(panel, 0, sample.work_view());
      expected.expect(sample.work);
    }
  }
}

TYPED_TEST(PanelProductTest, DiagonalAppliesEveryOp) {
  using S = typename TypeParam::Storage;
  using T = typename TypeParam::Vectors;
  for (const Shape& shape :
       {Shape{1, 1, 1}, {6, 6, 1}, {13, 13, 1}, {45, 45, 1}, {6, 6, 4}, {45, 45, 6}, {1, 1, 9}}) {
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      Sample<S, T> sample(shape);
      Expected<T> expected(sample.work);
      for (Index i = 0; i < shape.width; ++i) {
        for (Index r = 0; r < shape.nrhs; ++r) {
          expected.clear(sample.index(i, r));
          for (Index j = 0; j < shape.width; ++j) {
            const S d = op == Op::none ? sample.entry(i, j, false)
                                       : sample.entry(j, i, op == Op::conjugate_transpose);
            expected.add(sample.index(i, r), 1, d, sample.at(j, r));
          }
        }
      }
      std::iota(sample.position.begin(), sample.position.end(), 0);
      const std::vector<T> before = sample.work;
      for_each_panel_isa<S, T>([&](const char* isa, const PanelKernels<T>& kernels) {
        SCOPED_TRACE(isa);
        sample.work = before;
        diagonal_product_by(kernels, sample.view(false), op, 0, sample.work_view());
        expected.expect(sample.work);
      });
      sample.work = before;
      diagonal_product(sample.view(false), op, 0, sample.work_view());
      expected.expect(sample.work);
    }
  }
}

}  // namespace
}  // namespace trisweep::kernels
