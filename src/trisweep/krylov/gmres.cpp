#include "trisweep/krylov/gmres.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "trisweep/krylov/inner_products.hpp"
#include "trisweep/krylov/least_squares.hpp"

namespace trisweep::krylov {
namespace {

template <Scalar T>
class Gmres {
 public:
  using Real = RealOf<T>;

  Gmres(const mpi::ParallelContext& context, Vectors<const T> r)
      : context_(context),
        rows_(r.rows),
        cols_(r.cols),
        beta_(norms(context, r)),
        small_(usize(r.cols)),
        left_(usize(r.cols)) {
    for (Index c = 0; c < cols_; ++c) {
      small_[usize(c)].emplace(static_cast<Real>(beta_[usize(c)]));
      if (usable(beta_[usize(c)])) active_.push_back(c);
    }
    next_ = vectors();
    extend_basis(r, beta_);
  }

  bool done() const { return active_.empty(); }

  // z_k = M^-1 v_k, w = A z_k; v_k+1 is w orthogonalized against the basis.
  void step(const Preconditioned<T>& system, double reduction) {
    mpi::agree_on_error(context_.comm, [&] {
      direction_.push_back(vectors());
      next_ = vectors();
      basis_.reserve(basis_.size() + 1);
    });
    const Vectors<T> z = view(direction_.back()), w = view(next_);
    system.preconditioner(view(basis_.back()), z);
    system.a(z, w);
    std::vector<std::vector<T>> h(usize(cols_), std::vector<T>(basis_.size() + 1));
    const std::vector<double> before = orthogonalize(w, h);
    orthogonalize(w, h);
    const std::vector<double> length = norms<T>(context_, w);
    std::erase_if(active_, [&](Index c) {
      if (!std::isfinite(length[usize(c)])) return true;  // the step is discarded
      h[usize(c)].back() = static_cast<T>(length[usize(c)]);
      small_[usize(c)]->append(std::move(h[usize(c)]));
      left_[usize(c)].push_back(small_[usize(c)]->residual_norm() / beta_[usize(c)]);
      // The Krylov space is exhausted if nothing of w is left: the minimum is then exact.
      return !usable(length[usize(c)]) ||
             !(length[usize(c)] > before[usize(c)] * std::numeric_limits<Real>::epsilon()) ||
             left_[usize(c)].back() <= reduction;
    });
    extend_basis(w, length);
  }

  std::vector<std::vector<double>> left() && { return std::move(left_); }

  // d = sum_k y_k z_k, the combination that minimizes the residual.
  void minimizer(Vectors<T> d) const {
    for (Index c = 0; c < cols_; ++c) {
      const std::vector<T> y = small_[usize(c)]->minimizer();
      for_each_part(context_.pool, rows_, std::views::single(c), [&](int, Index, ThreadPool::Part part) {
        T* const sum = d.column(c);
        std::fill(sum + part.begin, sum + part.end, T{});
        for (std::size_t k = 0; k < y.size(); ++k) {
          const T* const z = view(direction_[k]).column(c);
          for (std::size_t i = part.begin; i < part.end; ++i) sum[i] += y[k] * z[i];
        }
      });
    }
  }

 private:
  static bool usable(double norm) { return std::isfinite(norm) && norm > 0; }

  std::vector<T> vectors() const { return std::vector<T>(usize(rows_) * usize(cols_)); }
  Vectors<T> view(std::vector<T>& v) const { return {v.data(), rows_, cols_}; }
  Vectors<const T> view(const std::vector<T>& v) const { return {v.data(), rows_, cols_}; }

  // v_k+1 = w / length in active columns, and zero in the others.
  void extend_basis(Vectors<const T> w, const std::vector<double>& length) {
    std::vector<Real> factor(usize(cols_));
    for (const Index c : active_) factor[usize(c)] = static_cast<Real>(1 / length[usize(c)]);
    assign(
        context_.pool, columns_of(w), view(next_),
        [&](Index c, const T& entry) { return factor[usize(c)] > 0 ? entry * factor[usize(c)] : T{}; }, w);
    basis_.push_back(std::move(next_));
  }

  // w -= V V^H w, and h += V^H w. Returns ||w||_2 from before.
  std::vector<double> orthogonalize(Vectors<T> w, std::vector<std::vector<T>>& h) const {
    std::vector<Pair<T>> pairs;
    for (const auto& v : basis_) pairs.push_back({view(v), w});
    pairs.push_back({w, w});
    const std::vector<Sum<T>> sums = inner_products<T>(context_, pairs);
    const auto product = [&](std::size_t k, Index c) { return sums[k * usize(cols_) + usize(c)]; };
    for_each_part(context_.pool, rows_, active_, [&](int, Index c, ThreadPool::Part part) {
      T* const out = w.column(c);
      for (std::size_t k = 0; k < basis_.size(); ++k) {
        const T coefficient(product(k, c));
        const T* const v = view(basis_[k]).column(c);
        for (std::size_t i = part.begin; i < part.end; ++i) out[i] -= coefficient * v[i];
      }
    });
    std::vector<double> before(usize(cols_));
    for (Index c = 0; c < cols_; ++c) {
      for (std::size_t k = 0; k < basis_.size(); ++k) h[usize(c)][k] += static_cast<T>(product(k, c));
      before[usize(c)] = std::sqrt(std::real(product(basis_.size(), c)));
    }
    return before;
  }

  const mpi::ParallelContext& context_;
  Index rows_;
  Index cols_;
  std::vector<double> beta_;   // ||r||_2, by column
  std::vector<Index> active_;  // columns that continue
  std::vector<std::vector<T>> basis_;
  std::vector<std::vector<T>> direction_;
  std::vector<T> next_;                                          // w, then the next basis vectors
  std::vector<std::optional<HessenbergLeastSquares<T>>> small_;  // by column
  std::vector<std::vector<double>> left_;                        // relative residual norms, by column
};

}  // namespace

template <Scalar T>
std::vector<std::vector<double>> gmres(const mpi::ParallelContext& context, const Preconditioned<T>& system,
                                       Vectors<const T> r, Vectors<T> d, const GmresOptions& options) {
  return mpi::revoke_on_error(context.comm, [&] {
    Gmres<T> space(context, r);
    for (int step = 0; step < options.steps && !space.done(); ++step) space.step(system, options.reduction);
    space.minimizer(d);
    return std::move(space).left();
  });
}

#define INSTANTIATE(T)                                                                                   \
  template std::vector<std::vector<double>> gmres(const mpi::ParallelContext&, const Preconditioned<T>&, \
                                                  Vectors<const T>, Vectors<T>, const GmresOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
