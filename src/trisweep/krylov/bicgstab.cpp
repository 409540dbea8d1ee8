#include "trisweep/krylov/bicgstab_run.hpp"

namespace trisweep::krylov {
namespace {

template <Scalar T>
class Bicgstab final : public BicgstabRun<T> {
 public:
  Bicgstab(const transport::Team& team, const Preconditioned<T>& system, Vectors<const T> b, Vectors<T> x,
           const BicgstabOptions& options)
      : BicgstabRun<T>(team, system, b, x, options) {
    this->make({&r_, &shadow_, &p_, &v_, &s_, &t_, &p_hat_, &s_hat_});
  }

 private:
  using typename BicgstabRun<T>::Scalars;
  using BicgstabRun<T>::team_, BicgstabRun<T>::x_, BicgstabRun<T>::r_;
  using BicgstabRun<T>::active_, BicgstabRun<T>::set, BicgstabRun<T>::for_each;
  using BicgstabRun<T>::end_where_done, BicgstabRun<T>::end_where_orthogonal;
  using BicgstabRun<T>::product, BicgstabRun<T>::unit_of_x;

  void iterate() override {
    set(
        shadow_, [](Index, const T& r) { return r; }, r_);
    set(p_, [](Index) { return T{}; });
    set(v_, [](Index) { return T{}; });
    Scalars alpha = this->ones(), omega = alpha, rho = alpha, beta = alpha;
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
      product(p_, p_hat_, v_);
      // alpha = rho / (shadow, v)
      const auto shadow_v = products({{shadow_, v_}, {v_, v_}});
      end_where_orthogonal(shadow_v[0], shadow_squared, shadow_v[1]);
      for_each([&](std::size_t c) { alpha[c] = rho[c] / shadow_v[0][c]; });

      // s = r - alpha v
      set(
          s_, [&](Index c, T r, T v) { return r - T(alpha[usize(c)]) * v; }, r_, v_);
      // t = A M^-1 s
      product(s_, s_hat_, t_);
      // omega = (t, s) / (t, t)
      const auto t_s = products({{t_, s_}, {t_, t_}, {s_, s_}});
      for_each([&](std::size_t c) { omega[c] = t_s[1][c] == 0.0 ? 0.0 : t_s[0][c] / t_s[1][c]; });

      // x = x + alpha M^-1 p + omega M^-1 s
      set(
          x_,
          [&](Index c, T x, T p, T s) {
            const auto unit = unit_of_x(c);
            return x + unit * T(alpha[usize(c)]) * p + unit * T(omega[usize(c)]) * s;
          },
          x_, p_hat_, s_hat_);
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

  // Inner products in all columns, by pair: one reduction.
  template <std::size_t count>
  std::array<Scalars, count> products(const Pair<T> (&pairs)[count]) const {
    return this->template by_pair<count>(inner_products<T>(team_, pairs));
  }

  Vectors<T> shadow_, p_, v_, s_, t_, p_hat_, s_hat_;
};

}  // namespace

template <Scalar T>
std::vector<BicgstabResult> bicgstab(const transport::Team& team, const Preconditioned<T>& system,
                                     Vectors<const T> b, Vectors<T> x, const BicgstabOptions& options) {
  return run_bicgstab<Bicgstab<T>>(team, system, b, x, options);
}

#define INSTANTIATE(T)                                                                            \
  template std::vector<BicgstabResult> bicgstab(const transport::Team&, const Preconditioned<T>&, \
                                                Vectors<const T>, Vectors<T>, const BicgstabOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
