#include "trisweep/krylov/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trisweep::krylov {
namespace {

template <Scalar T>
class Gmres {
 public:
  using Real = RealOf<T>;

  Gmres(const transport::Communicator& comm, std::vector<T> r) : comm_(comm) {
    basis_.push_back(std::move(r));
    norm_ = norm(basis_[0]);
    if (usable(norm_)) scale(basis_[0], 1 / norm_);
    rhs_ = {T(norm_)};
  }

  static bool usable(Real norm) { return std::isfinite(norm) && norm > 0; }
  Real initial_norm() const { return norm_; }
  Real residual_norm() const { return std::abs(rhs_.back()); }
  const std::vector<T>& newest() const { return basis_.back(); }

  // Takes z = M^-1 v for the newest v, and w = A z. False when the space is exhausted: the minimum is exact
  // then.
  bool extend(std::vector<T> z, std::vector<T> w) {
    direction_.push_back(std::move(z));
    std::vector<T> column(basis_.size() + 1);
    const Real before = norm(w);
    for (int pass = 0; pass < 2; ++pass) orthogonalize(w, column);
    const Real length = norm(w);
    column.back() = length;
    rotate(column);
    hessenberg_.push_back(std::move(column));
    if (!usable(length) || !(length > before * std::numeric_limits<Real>::epsilon())) return false;
    scale(w, 1 / length);
    basis_.push_back(std::move(w));
    return true;
  }

  // The combination of the directions z that minimizes the residual.
  std::vector<T> minimizer() const {
    std::vector<T> y(rhs_.begin(), rhs_.end() - 1), d(basis_[0].size());
    for (std::size_t j = y.size(); j-- > 0;) {
      y[j] = hessenberg_[j][j] == T{} ? T{} : y[j] / hessenberg_[j][j];
      for (std::size_t i = 0; i < j; ++i) y[i] -= hessenberg_[j][i] * y[j];
    }
    for (std::size_t j = 0; j < y.size(); ++j) {
      for (std::size_t i = 0; i < d.size(); ++i) d[i] += y[j] * direction_[j][i];
    }
    return d;
  }

 private:
  struct Rotation {
    Real c;
    T s;
  };

  void reduce(std::vector<T>& sums) const {
    constexpr int reals = is_complex<T> ? 2 : 1;
    const MPI_Datatype type = std::same_as<Real, double> ? MPI_DOUBLE : MPI_FLOAT;
    transport::check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), reals * static_cast<int>(sums.size()), type,
                                   MPI_SUM, comm_.handle()),
                     "MPI_Allreduce");
  }

  Real norm(const std::vector<T>& v) const {
    double sum = 0;
    for (const T& value : v) sum += std::norm(value);
    return static_cast<Real>(std::sqrt(comm_.sum(sum)));
  }

  static void scale(std::vector<T>& v, Real factor) {
    for (T& value : v) value *= factor;
  }

  void orthogonalize(std::vector<T>& w, std::vector<T>& column) const {
    std::vector<T> h(basis_.size());
    for (std::size_t j = 0; j < h.size(); ++j) {
      for (std::size_t i = 0; i < w.size(); ++i) h[j] += conjugate(basis_[j][i]) * w[i];
    }
    reduce(h);
    for (std::size_t j = 0; j < h.size(); ++j) {
      column[j] += h[j];
      for (std::size_t i = 0; i < w.size(); ++i) w[i] -= h[j] * basis_[j][i];
    }
  }

  // Makes the new column of the Hessenberg matrix triangular by Givens rotations, old ones first.
  void rotate(std::vector<T>& column) {
    const auto apply = [](const Rotation& g, T& a, T& b) {
      const T old = a;
      a = g.c * old + g.s * b;
      b = g.c * b - conjugate(g.s) * old;
    };
    for (std::size_t i = 0; i < rotation_.size(); ++i) apply(rotation_[i], column[i], column[i + 1]);
    T &a = column[column.size() - 2], &b = column.back();
    const Real length = std::hypot(std::abs(a), std::abs(b));
    const T phase = std::abs(a) > 0 ? a / std::abs(a) : T(1);
    rotation_.push_back(length > 0 ? Rotation{std::abs(a) / length, phase * conjugate(b) / length}
                                   : Rotation{1, T{}});
    apply(rotation_.back(), a, b);
    rhs_.push_back(T{});
    apply(rotation_.back(), rhs_[rhs_.size() - 2], rhs_.back());
  }

  const transport::Communicator& comm_;
  std::vector<std::vector<T>> basis_;
  std::vector<std::vector<T>> direction_;
  std::vector<std::vector<T>> hessenberg_;  // by column, upper triangular after the rotations
  std::vector<Rotation> rotation_;
  std::vector<T> rhs_;  // the rotated right-hand side of the least-squares problem
  Real norm_ = 0;
};

}  // namespace

template <Scalar T>
std::vector<T> gmres(const transport::Communicator& comm, const InPlaceProduct<T>& a,
                     const InPlaceProduct<T>& preconditioner, std::span<const T> r, int steps,
                     double reduction) {
  std::vector<T> start;
  transport::collectively(comm, [&] { start.assign(r.begin(), r.end()); });
  Gmres<T> space(comm, std::move(start));
  if (!Gmres<T>::usable(space.initial_norm())) return std::vector<T>(r.size());
  for (int step = 0; step < steps; ++step) {
    std::vector<T> z, w;
    transport::collectively(comm, [&] {
      z = space.newest();
      w.reserve(z.size());
    });
    preconditioner(z);
    w.assign(z.begin(), z.end());
    a(w);
    const bool more = space.extend(std::move(z), std::move(w));
    if (!more || space.residual_norm() <= reduction * space.initial_norm()) break;
  }
  return space.minimizer();
}

#define INSTANTIATE(T)                                                                    \
  template std::vector<T> gmres(const transport::Communicator&, const InPlaceProduct<T>&, \
                                const InPlaceProduct<T>&, std::span<const T>, int, double);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
