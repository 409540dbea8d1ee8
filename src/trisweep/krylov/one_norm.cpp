#include "trisweep/krylov/one_norm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trisweep::krylov {
namespace {

constexpr int most_unit_vectors = 4;

template <Scalar T>
class NormEstimator {
 public:
  NormEstimator(const mpi::Communicator& comm, const distribution::RowPartition& partition)
      : comm_(comm), first_(partition.first(comm.rank())), n_(partition.rows()) {
    mpi::agree_on_error(comm, [&] {
      for (auto* v : {&x_, &product_, &sign_}) v->resize(usize(partition.count(comm.rank())));
    });
  }

  double estimate(const Operator<T>& multiply, const Operator<T>& multiply_adjoint) {
    std::ranges::fill(x_, T(static_cast<RealOf<T>>(1.0 / n_)));
    double best = product_norm(multiply);
    if (n_ == 1) return best;
    take_signs();
    Offset last = -1;
    for (int products = 0; products < most_unit_vectors; ++products) {
      x_ = sign_;
      multiply_adjoint(x_, product_);
      const auto [at, is_last] = largest_entry(last);
      if (is_last) break;
      last = at;
      set_unit_vector(at);
      const double norm = product_norm(multiply);
      const bool grows = norm > best;
      best = std::max(best, norm);
      if (!take_signs() || !grows) break;
    }
    set_alternating_vector();
    return std::max(best, 2 * product_norm(multiply) / (3.0 * n_));
  }

 private:
  // product_ = B x_; returns its 1-norm.
  double product_norm(const Operator<T>& multiply) {
    multiply(x_, product_);
    double sum = 0;
    for (const T& v : product_) sum += std::abs(v);
    const double all = comm_.sum(sum);
    return std::isfinite(all) ? all : std::numeric_limits<double>::infinity();
  }

  // sign_ = product_ / |product_|; returns true if any sign changed.
  bool take_signs() {
    Offset changed = 0;
    for (std::size_t i = 0; i < product_.size(); ++i) {
      const auto size = std::abs(product_[i]);
      const T sign = size > std::numeric_limits<RealOf<T>>::min() ? product_[i] / size : T(1);
      changed += sign != sign_[i];
      sign_[i] = sign;
    }
    return comm_.max(changed) > 0;
  }

  struct Place {
    Offset row;
    bool is_last;  // `last` itself, or an entry no larger than the one at `last`
  };
  // Returns the first entry of product_ of largest modulus.
  Place largest_entry(Offset last) {
    double own = -1, of_last = -1;
    Offset at = 0;
    for (std::size_t i = 0; i < product_.size(); ++i) {
      const double size = std::abs(product_[i]);
      if (first_ + static_cast<Offset>(i) == last) of_last = size;
      if (!(size > own)) continue;
      own = size;
      at = static_cast<Offset>(i);
    }
    std::array<double, 2> most{own, of_last};
    comm_.max(most);
    const Offset row = n_ - comm_.max(own == most[0] ? n_ - first_ - at : Offset{0});
    return {.row = std::min(row, n_ - 1), .is_last = !(most[0] > most[1])};
  }

  void set_unit_vector(Offset row) {
    std::ranges::fill(x_, T{});
    if (row >= first_ && row < first_ + std::ssize(x_)) x_[usize(row - first_)] = T(1);
  }

  // Test vector against cancellation in the estimate: (-1)^i (1 + i / (n - 1)).
  void set_alternating_vector() {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const Offset row = first_ + static_cast<Offset>(i);
      x_[i] = T(static_cast<RealOf<T>>((row % 2 == 0 ? 1 : -1) * (1 + double(row) / double(n_ - 1))));
    }
  }

  const mpi::Communicator& comm_;
  Offset first_, n_;
  std::vector<T> x_, product_, sign_;
};

}  // namespace

template <Scalar T>
double estimate_one_norm(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                         const Operator<T>& multiply, const Operator<T>& multiply_adjoint) {
  return NormEstimator<T>(comm, partition).estimate(multiply, multiply_adjoint);
}

#define INSTANTIATE(T)                                                                           \
  template double estimate_one_norm(const mpi::Communicator&, const distribution::RowPartition&, \
                                    const Operator<T>&, const Operator<T>&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
