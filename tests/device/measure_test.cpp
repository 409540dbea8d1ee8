// Answers measured by the kernel's source, by one PE or several, against sums written out.

#include <gtest/gtest.h>

#include <bit>

#include "device/measured_parts.hpp"
#include "device/virtual_pes.hpp"
#include "support/largest.hpp"
#include "support/scalars.hpp"
#include "support/watchdog.hpp"

namespace trisweep::device {
namespace {

using testing_support::LateBlock;
using testing_support::MeasuredParts;
using testing_support::random_matrix;
using testing_support::random_vector;
using testing_support::show_life;

// What `pes` PEs with `workers` each find, and the residuals, of a few solves in a row.
template <Scalar T>
std::pair<std::vector<double>, std::vector<T>> found_by(MeasuredParts<T>& parts, int workers,
                                                        const std::vector<T>& x, const std::vector<T>& b,
                                                        Index nrhs) {
  using Number = NumberOf<T>;
  const auto pes = static_cast<Index>(parts.programs.size());
  std::vector<Buffer<std::byte>> shared;
  std::deque<testing_support::TestPe<T>> pe;
  std::vector<PeMemory<Number>> memory;
  for (Index p = 0; p < pes; ++p) {
    const Program& program = parts.programs[usize(p)];
    shared.push_back(zeros<std::byte>(shared_layout(program, pes).template bytes<T>(nrhs), "a test"));
    pe.emplace_back(program, pes, workers, nrhs, shared.back().data(),
                    PeData<T>{.measuring = parts.measuring(p)});
    memory.push_back(pe.back().shared());
  }
  ThreadPool pool(static_cast<int>(pes) * workers);
  for (std::uint64_t repeat = 0; repeat < 3; ++repeat) {
    std::vector<Solve<Number>> solves;
    const Offset n = parts.a.rows();
    for (Index p = 0; p < pes; ++p) {
      const Index first = parts.partition.first(p), rows = parts.partition.count(p);
      solves.push_back(pe[usize(p)].next(nrhs, 0));
      solves.back().caller = callers_rows<T>({x.data() + first, rows, nrhs, n}, nullptr, {}, nullptr,
                                             {b.data() + first, rows, nrhs, n});
    }
    pool.run([&](int thread) {
      const int p = thread / workers, worker = thread % workers;
      pe[usize(p)].work(memory, PanelsBySide<NoPanels>{}, solves[usize(p)], worker,
                        LateBlock(repeat, thread));
    });
  }
  std::vector<double> found;
  for (Index c = 0; c < nrhs; ++c) {
    for (Index kind = 0; kind < Norm::count; ++kind) {
      const auto at = [&](Index p) {
        const Index row = parts.programs[usize(p)].verdict + kind;
        return pe[usize(p)].rows()[usize(row) * usize(nrhs) + usize(c)];
      };
      for (Index p = 1; p < pes; ++p) EXPECT_EQ(at(p), at(0)) << "all PEs know the same";
      found.push_back(double(std::real(at(0))));
    }
  }
  std::vector<T> residuals;
  for (Index c = 0; c < nrhs; ++c) {
    for (Index p = 0; p < pes; ++p) {
      const auto& r = parts.part[usize(p)].residual;
      const auto rows = parts.partition.count(p);
      residuals.insert(residuals.end(), r.begin() + Offset{c} * rows, r.begin() + Offset{c + 1} * rows);
    }
  }
  return {found, residuals};
}

template <class T>
class DeviceMeasureThreads : public testing::Test {};
TYPED_TEST_SUITE(DeviceMeasureThreads, testing_support::Scalars);

// The residual of any x, which no rounding hides; an unknown that is tiny beside the others has an equation
// of its own. The same with any number of workers, and of PEs.
TYPED_TEST(DeviceMeasureThreads, FindsWhatTheEquationsSay) {
  using T = TypeParam;
  auto a = random_matrix<T>({.n = 700, .per_row = 3, .seed = 3});
  for (Offset e = a.pattern.row_ptr[5]; e < a.pattern.row_ptr[6]; ++e)
    a.value[usize(e)] *= a.pattern.col[usize(e)] == 5 ? 1 : 0;
  for (const Index nrhs : {3, 1}) {
    auto x = random_vector<T>(700 * usize(nrhs), 1), b = random_vector<T>(x.size(), 2);
    for (std::size_t c = 0; c < usize(nrhs); ++c) {
      x[700 * c + 5] = T(RealOf<T>(1e-20));
      std::vector<T> product(700);
      matrix::multiply<T>(
          a, Op::none, std::vector<T>(x.begin() + 700 * Offset(c), x.begin() + 700 * Offset(c + 1)), product);
      for (std::size_t i = 0; i < 700; ++i)
        b[700 * c + i] = product[i] * (T(1) + RealOf<T>(0.1) * b[700 * c + i]);
      b[700 * c + 5] = {};
    }
    std::vector<T> first;
    for (const Index pes : {1, 2, 3, 4, 6}) {
      for (const int workers : {1, 2, 3}) {
        show_life();
        MeasuredParts<T> parts(a, pes, nrhs);
        const auto [found, residuals] = found_by(parts, workers, x, b, nrhs);
        const auto expected = parts.expected(x, b, nrhs);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_NEAR(found[i] / expected[i], 1, 1000 * std::numeric_limits<RealOf<T>>::epsilon())
              << "number " << i << " of " << pes << " PEs, " << workers << " workers";
        if (first.empty()) first = residuals;
        EXPECT_EQ(residuals, first) << pes << " PEs, " << workers << " workers";
        EXPECT_LT(found[5], found[0]) << "a small unknown's equation is measured by a typical one";
      }
    }
  }
}

// However many PEs there are: each exchanges with log2 of them, twice.
TEST(DeviceMeasure, TakesLogarithmicallyManyMessages) {
  for (const Index pes : {1, 2, 3, 64, 1000}) {
    const auto messages = 2 * usize(static_cast<Index>(std::bit_width(static_cast<unsigned>(pes) - 1)));
    const Program puts = make_residual_program(pes / 2, pes, {}, 10);
    EXPECT_EQ(puts.outbound.size(), messages);
    EXPECT_EQ(puts.inbound.size(), messages);
    EXPECT_LE(peers_of(puts).size(), messages + 1);
    const Program staged = make_residual_program(pes / 2, pes, {}, 10, ExchangeBackend::mpi);
    EXPECT_EQ(staged.staged_message.size(), 2 * messages);
  }
}

// Nothing that is no number is lost among the largest.
TEST(DeviceMeasure, NoNumberIsInfinite) {
  const auto a = random_matrix<double>({.n = 40, .per_row = 3, .seed = 3});
  auto x = random_vector<double>(40, 1);
  const auto b = random_vector<double>(40, 2);
  x[30] = std::numeric_limits<double>::quiet_NaN();
  MeasuredParts<double> parts(a, 2, 1);
  const auto found = found_by(parts, 2, x, b, 1).first;
  EXPECT_EQ(found[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(found[1], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(found[4]));
}

}  // namespace
}  // namespace trisweep::device
