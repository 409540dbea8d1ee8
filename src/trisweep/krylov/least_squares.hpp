#pragma once
// The least-squares problem of GMRES: min_y || beta e_1 - H y ||_2 with a Hessenberg matrix H that grows by
// columns, reduced to triangular form by Givens rotations (Saad and Schultz 1986).

#include <cmath>
#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep::krylov {

template <Scalar T>
class HessenbergLeastSquares {
 public:
  using Real = RealOf<T>;

  explicit HessenbergLeastSquares(Real beta) : rhs_{T(beta)} {}

  // || beta e_1 - H y ||_2 for the minimizing y.
  Real residual_norm() const { return std::abs(rhs_.back()); }

  // `column`: the next column of H; two entries in the first, one more in each following column.
  void append(std::vector<T> column) {
    for (std::size_t i = 0; i < rotation_.size(); ++i) apply(rotation_[i], column[i], column[i + 1]);
    T &a = column[column.size() - 2], &b = column.back();
    const Real length = std::hypot(std::abs(a), std::abs(b));
    const T phase = std::abs(a) > 0 ? a / std::abs(a) : T(1);
    rotation_.push_back(length > 0 ? Rotation{std::abs(a) / length, phase * conjugate(b) / length}
                                   : Rotation{1, T{}});
    apply(rotation_.back(), a, b);
    rhs_.push_back(T{});
    apply(rotation_.back(), rhs_[rhs_.size() - 2], rhs_.back());
    triangle_.push_back(std::move(column));
  }

  // Returns the minimizing y, one entry per column.
  std::vector<T> minimizer() const {
    std::vector<T> y(rhs_.begin(), rhs_.end() - 1);
    for (std::size_t j = y.size(); j-- > 0;) {
      y[j] = triangle_[j][j] == T{} ? T{} : y[j] / triangle_[j][j];
      for (std::size_t i = 0; i < j; ++i) y[i] -= triangle_[j][i] * y[j];
    }
    return y;
  }

 private:
  struct Rotation {
    Real c;
    T s;
  };
  static void apply(const Rotation& g, T& a, T& b) {
    const T old = a;
    a = g.c * old + g.s * b;
    b = g.c * b - conjugate(g.s) * old;
  }

  std::vector<std::vector<T>> triangle_;  // by column
  std::vector<Rotation> rotation_;
  std::vector<T> rhs_;  // rotated
};

}  // namespace trisweep::krylov
