#include <algorithm>
#include <cmath>
#include <vector>

#include "trisweep/core/parallel_for.hpp"
#include "trisweep/core/split_mix.hpp"
#include "trisweep/hmatrix/hmatrix.hpp"
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::hmatrix {
namespace {

template <Scalar T>
T sign_of(Index row) {
  return (split_mix(std::uint64_t(row)) & 1) == 0 ? T(1) : T(-1);
}

}  // namespace

template <Scalar T>
double sampled_error(HMatrix<T>& matrix, const IntegralKernel<T>& kernel, Index rows) {
  const ClusterTree& tree = matrix.tree();
  const Index n = tree.size(), first = matrix.partition().first(matrix.comm().rank());
  const Index step = std::max(n / std::max(rows, Index{1}), Index{1});
  std::vector<T> x, y(usize(matrix.local_rows()));
  std::vector<Index> sample;  // of this rank's rows
  mpi::agree_on_error(matrix.comm(), [&] {
    for (Index i = 0; i < matrix.local_rows(); ++i) {
      x.push_back(sign_of<T>(first + i));
      if ((first + i) % step == step / 2) sample.push_back(i);
    }
  });
  matrix(x, y);
  std::vector<double> of_row(2 * sample.size());
  mpi::agree_on_error(matrix.comm(), [&] {
    parallel_for(matrix.pool(), sample.size(), [&](int, std::size_t s) {
      std::vector<T> row(usize(n));
      kernel.row(tree.order[usize(first + sample[s])], tree.order, row.data());
      T exact{};
      for (Index j = 0; j < n; ++j) exact += row[usize(j)] * sign_of<T>(j);
      of_row[2 * s] = std::abs(exact - y[usize(sample[s])]);
      of_row[2 * s + 1] = numeric::norm_two<T>(row);
    });
  });
  // Relative to the largest, whose square may overflow.
  const double largest = matrix.comm().max(of_row.empty() ? 0 : std::ranges::max(of_row));
  std::vector<double> sums(2);
  for (std::size_t i = 0; i < of_row.size() && largest != 0; ++i)
    sums[i % 2] += of_row[i] / largest * (of_row[i] / largest);
  matrix.comm().sum(sums);
  return sums[0] == 0 ? 0 : std::sqrt(sums[0] / sums[1]);  // 0 for a zero matrix
}

#define INSTANTIATE(T) template double sampled_error(HMatrix<T>&, const IntegralKernel<T>&, Index);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::hmatrix
