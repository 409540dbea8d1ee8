#include "trisweep/krylov/bicgstab.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::krylov {
namespace {

// Starting anew is worth it where it leaves at most this share of the residual.
constexpr double slowest_restart = 0.5;

template <Scalar T>
class Bicgstab {
 public:
  Bicgstab(const transport::Team& team, const Preconditioned<T>& system, Vectors<const T> b, Vectors<T> x,
           const BicgstabOptions& options)
      : team_(team), a_(system.a), m_(system.preconditioner), b_(b), x_(x), options_(options) {
    const std::size_t size = usize(b.rows) * usize(b.cols);
    transport::collectively(team.comm, [&] {
      for (auto* v : {&r_, &shadow_, &p_, &v_, &s_, &t_, &p_hat_, &s_hat_}) {
        memory_.emplace_back(size);
        *v = {memory_.back().data(), b.rows, b.cols};
      }
      result_.resize(usize(b.cols));
    });
  }

  // From one true residual to the next.
  std::vector<BicgstabResult> run() {
    norm_b_ = norms(team_, b_);
    for (Index c = 0; c < b_.cols; ++c) {
      const double norm = norm_b_[usize(c)];
      if (std::isfinite(norm) && norm > 0) going_on_.push_back(c);
      if (!std::isfinite(norm)) at(c) = {.outcome = Outcome::breakdown, .residual = HUGE_VAL};
      if (norm == 0) at(c).outcome = Outcome::converged;
    }
    assign(
        team_.crew, columns_of(x_), x_, [&](Index c, const T& x) { return norm_b_[usize(c)] == 0 ? T{} : x; },
        x_);
    while (true) {
      measure_residuals();
      if (going_on_.empty()) return std::move(result_);
      active_ = going_on_;
      iterate();
    }
  }

 private:
  using Scalars = std::vector<Sum<T>>;  // by column

  BicgstabResult& at(Index c) { return result_[usize(c)]; }

  // r = b - A x. Columns go on unless they are solved, or the last start was in vain.
  void measure_residuals() {
    a_(x_, r_);
    assign(
        team_.crew, columns_of(r_), r_, [](Index, const T& b, const T& ax) { return b - ax; }, b_, r_);
    const std::vector<double> norm_r = norms<T>(team_, r_);
    std::erase_if(going_on_, [&](Index c) {
      BicgstabResult& result = at(c);
      const bool first = result.history.empty();
      const double before = first ? HUGE_VAL : result.residual;
      result.residual = larger(0, norm_r[usize(c)] / norm_b_[usize(c)]);
      if (first) result.history.push_back(result.residual);
      if (result.residual <= options_.tolerance) {
        result.outcome = Outcome::converged;
      } else if (result.iterations >= options_.max_iterations) {
        result.outcome = Outcome::most_iterations;
      } else {
        return !(result.residual <= slowest_restart * before) || std::isinf(result.residual);
      }
      return true;
    });
  }

  // Until the recurrence of no column goes on.
  void iterate() {
    set(
        shadow_, [](Index, const T& r) { return r; }, r_);
    set(p_, [](Index) { return T{}; });
    set(v_, [](Index) { return T{}; });
    Scalars alpha(result_.size(), 1), omega = alpha, rho = alpha, beta = alpha;
    Scalars shadow_r = products({{shadow_, r_}})[0];
    const Scalars shadow_squared = shadow_r;
    while (!active_.empty()) {
      for_each([&](std::size_t c) { beta[c] = shadow_r[c] / rho[c] * (alpha[c] / omega[c]); });
      rho = shadow_r;

      // p = r + beta (p - omega v)
      set(
          p_, [&](Index c, T r, T p, T v) { return r + T(beta[usize(c)]) * (p - T(omega[usize(c)]) * v); },
          r_, p_, v_);
      // v = A M^-1 p
      m_(p_, p_hat_);
      a_(p_hat_, v_);
      // alpha = rho / (shadow, v)
      const auto shadow_v = products({{shadow_, v_}, {v_, v_}});
      end_where_orthogonal(shadow_v[0], shadow_squared, shadow_v[1]);
      for_each([&](std::size_t c) { alpha[c] = rho[c] / shadow_v[0][c]; });

      // s = r - alpha v
      set(
          s_, [&](Index c, T r, T v) { return r - T(alpha[usize(c)]) * v; }, r_, v_);
      // t = A M^-1 s
      m_(s_, s_hat_);
      a_(s_hat_, t_);
      // omega = (t, s) / (t, t)
      const auto t_s = products({{t_, s_}, {t_, t_}, {s_, s_}});
      for_each([&](std::size_t c) { omega[c] = t_s[1][c] == 0.0 ? 0.0 : t_s[0][c] / t_s[1][c]; });

      // x = x + alpha M^-1 p + omega M^-1 s
      set(
          x_, [&](Index c, T x, T p, T s) { return x + T(alpha[usize(c)]) * p + T(omega[usize(c)]) * s; }, x_,
          p_hat_, s_hat_);
      // r = s - omega t
      set(
          r_, [&](Index c, T s, T t) { return s - T(omega[usize(c)]) * t; }, s_, t_);
      const auto r = products({{shadow_, r_}, {r_, r_}});
      shadow_r = r[0];
      end_where_done(r[1]);
      end_where_orthogonal(t_s[0], t_s[1], t_s[2]);
      end_where_orthogonal(shadow_r, shadow_squared, r[1]);
    }
  }

  // Columns whose recurrence has reached the goal or the last iteration; whether it tells the truth is
  // measured then.
  void end_where_done(const Scalars& r_squared) {
    std::erase_if(active_, [&](Index c) {
      BicgstabResult& result = at(c);
      ++result.iterations;
      result.history.push_back(larger(0, std::sqrt(std::real(r_squared[usize(c)])) / norm_b_[usize(c)]));
      result.outcome = Outcome::stagnated;
      return result.history.back() <= options_.tolerance || result.iterations >= options_.max_iterations;
    });
  }

  // Columns in which (x, y) is nothing but rounding, given (x, x) and (y, y), or not finite.
  void end_where_orthogonal(const Scalars& xy, const Scalars& xx, const Scalars& yy) {
    std::erase_if(active_, [&](Index column) {
      const auto c = usize(column);
      const double size = std::abs(xy[c]);
      const double longest = std::sqrt(std::real(xx[c])) * std::sqrt(std::real(yy[c]));
      if (std::isfinite(size) && size > std::numeric_limits<RealOf<T>>::epsilon() * longest) return false;
      at(column).outcome = Outcome::breakdown;
      return true;
    });
  }

  // Inner products in all columns, by pair: one reduction.
  template <std::size_t count>
  std::array<Scalars, count> products(const Pair<T> (&pairs)[count]) const {
    const Scalars sums = inner_products<T>(team_, pairs);
    std::array<Scalars, count> by_pair;
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = sums.begin() + static_cast<std::ptrdiff_t>(i * result_.size());
      by_pair[i].assign(first, first + static_cast<std::ptrdiff_t>(result_.size()));
    }
    return by_pair;
  }
  // In the columns whose recurrence goes on:
  template <class Make, class... From>
  void set(Vectors<T> to, const Make& make, Vectors<From>... from) const {
    assign(team_.crew, active_, to, make, from...);
  }
  template <class Work>
  void for_each(const Work& work) const {
    for (const Index c : active_) work(usize(c));
  }

  const transport::Team& team_;
  const Operator<T> a_, m_;
  const Vectors<const T> b_;
  const Vectors<T> x_;
  const BicgstabOptions& options_;
  std::vector<std::vector<T>> memory_;
  Vectors<T> r_, shadow_, p_, v_, s_, t_, p_hat_, s_hat_;
  std::vector<double> norm_b_;
  std::vector<Index> going_on_;  // columns that are not solved or given up
  std::vector<Index> active_;    // of these, whose recurrence has not ended
  std::vector<BicgstabResult> result_;
};

}  // namespace

template <Scalar T>
std::vector<BicgstabResult> bicgstab(const transport::Team& team, const Preconditioned<T>& system,
                                     Vectors<const T> b, Vectors<T> x, const BicgstabOptions& options) {
  return transport::together(team.comm, [&] {
    transport::collectively(team.comm, [&] { require_apart<T>(b, x, b.rows); });
    return Bicgstab<T>(team, system, b, x, options).run();
  });
}

#define INSTANTIATE(T)                                                                            \
  template std::vector<BicgstabResult> bicgstab(const transport::Team&, const Preconditioned<T>&, \
                                                Vectors<const T>, Vectors<T>, const BicgstabOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
