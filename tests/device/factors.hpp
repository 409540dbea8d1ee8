#pragma once
// Factors L D U with random values on a structure, and the solutions for them: tests of engines need no
// factorization.

#include <cmath>
#include <random>

#include "support/random_matrix.hpp"
#include "trisweep/core/slabs.hpp"
#include "trisweep/distribution/local_blocks.hpp"

namespace trisweep::testing_support {

template <Scalar T>
class MadeUpFactors {
 public:
  // `hermitian`: U = L^H. `smooth`: blocks have rank 2, which those of random numbers have not.
  MadeUpFactors(const symbolic::Structure& structure, bool hermitian, bool smooth = false)
      : structure_(structure), hermitian_(hermitian) {
    const auto n = usize(structure.n);
    for (auto* values : {&lower_, &upper_, &inverse_}) values->assign(n * n, T{});
    std::mt19937_64 random(5);
    const T factor = random_value<T>(random);
    const auto small = [&](Index i, Index j) -> T {
      if (!smooth) return RealOf<T>(0.1) * random_value<T>(random);
      return factor * RealOf<T>(0.03 * std::cos(0.3 * i + 0.2 * j));
    };
    for (Index k = 0; k < structure.supernodes(); ++k) {
      for (Index j = structure.first[usize(k)]; j < structure.first[usize(k) + 1]; ++j) {
        for (const Index i : structure.rows(k)) {
          lower_[at(i, j)] = small(i, j);
          upper_[at(j, i)] = hermitian ? conjugate(lower_[at(i, j)]) : small(j, i);
        }
        const auto [group, last] = structure.group_of(k);
        for (Index i = structure.first[usize(group)]; i < structure.first[usize(last)]; ++i)
          inverse_[at(i, j)] = (i == j && !smooth ? T(1) : T(0)) + small(i, j);
      }
    }
  }

  bool hermitian() const { return hermitian_; }

  // What a rank stores of a side.
  std::vector<T> stored(const distribution::LocalBlocks& local_blocks, distribution::Side side) const {
    const auto& part = local_blocks.side(side);
    std::vector<T> values(usize(part.value_ptr.back()));
    for (Index p = 0; p < part.pieces(); ++p) {
      const Index k = part.supernode[usize(p)], width = structure_.width(k);
      Index row = 0;
      for (const auto& block : part.blocks(p)) {
        for (Index i = block.begin; i < block.end; ++i, ++row) {
          for (Index j = 0; j < width; ++j)
            values[usize(part.value_ptr[usize(p)]) + slab_entry(part.height(p), width, row, j)] =
                entry(side, k, i, j);
        }
      }
    }
    return values;
  }

  // x with op(L D U) x = b.
  std::vector<T> solve(Op op, std::vector<T> x) const {
    const auto& first = op == Op::none ? lower_ : upper_;
    const auto& last = op == Op::none ? upper_ : lower_;
    const Index n = structure_.n;
    const auto of = [&](const std::vector<T>& m, Index i, Index j) {
      return op == Op::none ? m[at(i, j)] : op == Op::transpose ? m[at(j, i)] : conjugate(m[at(j, i)]);
    };
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) x[usize(i)] -= of(first, i, j) * x[usize(j)];
    std::vector<T> y(usize(n));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) y[usize(i)] += of(inverse_, i, j) * x[usize(j)];
    for (Index i = n - 1; i >= 0; --i)
      for (Index j = i + 1; j < n; ++j) y[usize(i)] -= of(last, i, j) * y[usize(j)];
    return y;
  }

 private:
  std::size_t at(Index i, Index j) const { return usize(i) * usize(structure_.n) + usize(j); }

  // Row i of the panel of supernode k, in the structure's count, and column j of the supernode.
  T entry(distribution::Side side, Index k, Index i, Index j) const {
    const Index column = structure_.first[usize(k)] + j;
    if (side == distribution::Side::diagonal)
      return inverse_[at(structure_.first[usize(structure_.group_of(k).first)] + i, column)];
    const Index row = structure_.rows(k)[usize(i)];
    return side == distribution::Side::lower ? lower_[at(row, column)] : upper_[at(column, row)];
  }

  const symbolic::Structure& structure_;
  bool hermitian_;
  std::vector<T> lower_, upper_, inverse_;  // n x n, by rows; inverse_ is D^-1
};

}  // namespace trisweep::testing_support
