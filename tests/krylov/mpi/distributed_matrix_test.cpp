#include "trisweep/krylov/distributed_matrix.hpp"

#include <gtest/gtest.h>

#include "support/distributed_rows.hpp"
#include "support/largest.hpp"
#include "support/random_matrix.hpp"
#include "support/scalars.hpp"
#include "trisweep/kernels/line.hpp"

namespace trisweep::krylov {
namespace {

using testing_support::own_rows;
using testing_support::random_matrix;
using testing_support::random_vector;

template <class T>
class DistributedMatrixTest : public testing::Test {};
TYPED_TEST_SUITE(DistributedMatrixTest, testing_support::Scalars);

// Vectors that are further apart than a rank's rows; nothing is written in between.
template <Scalar T>
class Spread {
 public:
  Spread(const std::vector<T>& packed, Index rows)
      : rows_(rows), cols_(rows == 0 ? 1 : static_cast<Index>(packed.size()) / rows), ld_(rows + 3) {
    value_.assign(usize(ld_) * usize(cols_), T(77));
    for (Index c = 0; c < cols_; ++c) std::copy_n(packed.begin() + c * rows, rows, value_.begin() + c * ld_);
  }
  Vectors<T> view() { return {value_.data(), rows_, cols_, ld_}; }
  std::vector<T> packed() const {
    std::vector<T> packed;
    for (Index c = 0; c < cols_; ++c) {
      const auto column = value_.begin() + c * ld_;
      packed.insert(packed.end(), column, column + rows_);
      for (Index i = rows_; i < ld_; ++i) EXPECT_EQ(column[i], T(77)) << "between columns";
    }
    return packed;
  }

 private:
  Index rows_, cols_;
  Offset ld_;
  std::vector<T> value_;
};

// b - op(A) x, all rows.
template <Scalar T>
std::vector<T> residuals(const matrix::Csr<T>& a, Op op, const std::vector<T>& x, const std::vector<T>& b) {
  const std::size_t n = usize(a.rows());
  std::vector<T> r(b.size());
  for (std::size_t at = 0; at < x.size(); at += n)
    matrix::multiply<T>(a, op, std::span(x).subspan(at, n), std::span(r).subspan(at, n));
  std::transform(b.begin(), b.end(), r.begin(), r.begin(), std::minus<>{});
  return r;
}

// One column, a part of a bundle, a bundle, and more than one; rows that fill no line; any number of threads.
TYPED_TEST(DistributedMatrixTest, ProductsOnAnyNumberOfThreadsAreThoseOfTheWholeMatrix) {
  using T = TypeParam;
  constexpr Index n = 331, together = kernels::line_rows<T>;
  const auto a = random_matrix<T>({.n = n, .per_row = 4, .seed = 2});
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto partition = distribution::even_partition(n, comm.size());
  DistributedMatrix<T> distributed(MPI_COMM_WORLD, comm.rank() == 0 ? &a : nullptr, partition);
  const Index rows = distributed.local_rows();
  const double tolerance = 200 * std::numeric_limits<RealOf<T>>::epsilon();
  const auto own = [&](const std::vector<T>& whole) { return own_rows(partition, comm.rank(), whole); };
  for (const Index nrhs : {Index{1}, Index{3}, together, together + 1, 2 * together + 3}) {
    const auto x = random_vector<T>(usize(n * nrhs), 5), b = random_vector<T>(usize(n * nrhs), 6);
    const std::vector<T> zero(b.size());
    for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      std::vector<T> first;
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        Spread<T> x_own(own(x), rows), b_own(own(b), rows), r(own(zero), rows), y(own(zero), rows);
        distributed.residual(op, x_own.view(), b_own.view(), r.view(), pool);
        distributed.apply(op, x_own.view(), y.view(), pool);
        auto product = y.packed();
        for (T& value : product) value = -value;
        EXPECT_LT(testing_support::largest_difference(r.packed(), own(residuals(a, op, x, b))), tolerance)
            << nrhs << " columns, op " << static_cast<char>(op);
        EXPECT_LT(testing_support::largest_difference(product, own(residuals(a, op, x, zero))), tolerance)
            << nrhs << " columns, op " << static_cast<char>(op);
        if (threads == 1) first = r.packed();
        EXPECT_EQ(r.packed(), first);
      }
    }
  }
}

// Of every op.
template <Scalar T>
void expect_products_of(DistributedMatrix<T>& distributed, const matrix::Csr<T>& a) {
  const auto x = random_vector<T>(usize(a.rows()), 5);
  const std::vector<T> zero(x.size());
  const auto own = [&](const std::vector<T>& whole) {
    return own_rows(distributed.partition(), distributed.comm().rank(), whole);
  };
  ThreadPool pool(1);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    Spread<T> x_own(own(x), distributed.local_rows()), b(own(zero), distributed.local_rows()), r = b;
    distributed.residual(op, x_own.view(), b.view(), r.view(), pool);
    EXPECT_LT(testing_support::largest_difference(r.packed(), own(residuals(a, op, x, zero))),
              200 * std::numeric_limits<RealOf<T>>::epsilon())
        << "op " << static_cast<char>(op);
  }
}

TYPED_TEST(DistributedMatrixTest, ValuesAreReplacedOnAllRanksOrOnNone) {
  using T = TypeParam;
  const auto a = random_matrix<T>({.n = 60, .per_row = 4, .seed = 2});
  auto other = a;
  for (std::size_t i = 0; i < other.value.size(); ++i) other.value[i] *= RealOf<T>(1 + i % 3);
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto partition = distribution::even_partition(60, comm.size());
  DistributedMatrix<T> distributed(MPI_COMM_WORLD, comm.rank() == 0 ? &a : nullptr, partition);
  expect_products_of(distributed, a);  // has the transpose then
  const auto begin = a.pattern.row_ptr[usize(partition.first(comm.rank()))];
  std::vector<T> values(other.value.begin() + begin,
                        other.value.begin() + begin + distributed.local().nonzeros());
  const bool refused = comm.rank() == comm.size() - 1;
  if (refused) values.push_back(T(1));
  EXPECT_THROW(distributed.replace_values(values), Error);
  expect_products_of(distributed, a);
  if (refused) values.pop_back();
  distributed.replace_values(values);
  expect_products_of(distributed, other);
}

// By products with the matrix of magnitudes.
TYPED_TEST(DistributedMatrixTest, SumsOfMagnitudesAreThoseOfTheWholeMatrix) {
  using T = TypeParam;
  using R = RealOf<T>;
  constexpr Index n = 331;
  const auto a = random_matrix<T>({.n = n, .per_row = 4, .seed = 3});
  auto magnitudes = a;
  for (T& v : magnitudes.value) v = std::abs(std::real(v)) + std::abs(std::imag(v));
  const mpi::Communicator comm(MPI_COMM_WORLD);
  const auto partition = distribution::even_partition(n, comm.size());
  DistributedMatrix<T> distributed(MPI_COMM_WORLD, comm.rank() == 0 ? &a : nullptr, partition);
  std::vector<T> c, ones(usize(n), T(1)), expected(ones);
  for (Index i = 0; i < n; ++i) c.push_back(T(R(1 + i % 7)));
  std::vector<R> weight;
  for (const T& v : own_rows(partition, comm.rank(), c)) weight.push_back(std::real(v));
  const R rounding = 50 * std::numeric_limits<R>::epsilon();
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      std::vector<R> plain(weight.size()), weighted(weight.size());
      distributed.sum_magnitudes(op, weight, plain, weighted, pool);
      for (const auto& [x, sums] : {std::pair(&ones, &plain), std::pair(&c, &weighted)}) {
        matrix::multiply<T>(magnitudes, op, *x, expected);
        const auto own = own_rows(partition, comm.rank(), expected);
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_NEAR((*sums)[i], std::real(own[i]), rounding * std::real(own[i]));
      }
    }
  }
}

}  // namespace
}  // namespace trisweep::krylov
