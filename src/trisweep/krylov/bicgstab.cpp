#include "trisweep/krylov/run.hpp"

namespace trisweep::krylov {
namespace {

template <Scalar T>
class Bicgstab final : public KrylovRun<T> {
 public:
  Bicgstab(const mpi::ParallelContext& context, const Preconditioned<T>& system, Vectors<const T> b,
           Vectors<T> x, const KrylovOptions& options)
      : KrylovRun<T>(context, system, b, x, options, 3) {
    this->make({&shadow_, &p_, &v_, &s_, &t_, &p_hat_, &s_hat_});
  }

 private:
  using typename KrylovRun<T>::Scalars;
  using KrylovRun<T>::x_, KrylovRun<T>::r_, KrylovRun<T>::active_;
  using KrylovRun<T>::step, KrylovRun<T>::products, KrylovRun<T>::product, KrylovRun<T>::for_each;
  using KrylovRun<T>::end_where_done, KrylovRun<T>::end_where_orthogonal;
  using KrylovRun<T>::in_units_of_x, KrylovRun<T>::minus;

  void iterate() override {
    Scalars alpha = this->ones(), omega = alpha, rho = alpha, beta = alpha;
    Scalars shadow_r = step({copied(shadow_, r_), zero(p_), zero(v_)}, {{shadow_, r_}})[0];
    const Scalars shadow_squared = shadow_r;
    while (!active_.empty()) {
      for_each([&](std::size_t c) { beta[c] = shadow_r[c] / rho[c] * (alpha[c] / omega[c]); });
      rho = shadow_r;

      // p = r + beta (p - omega v)
      step({nested(p_, r_, beta, p_, minus(omega), v_)});
      // v = A M^-1 p
      const auto p_hat = product(p_, p_hat_, v_);
      // alpha = rho / (shadow, v)
      const auto shadow_v = products({{shadow_, v_}, {v_, v_}});
      end_where_orthogonal(shadow_v[0], shadow_squared, shadow_v[1]);
      for_each([&](std::size_t c) { alpha[c] = rho[c] / shadow_v[0][c]; });

      // s = r - alpha v
      step({sum(s_, r_, minus(alpha), v_)});
      // t = A M^-1 s
      const auto s_hat = product(s_, s_hat_, t_);
      // omega = (t, s) / (t, t)
      const auto t_s = products({{t_, s_}, {t_, t_}, {s_, s_}});
      for_each([&](std::size_t c) { omega[c] = t_s[1][c] == 0.0 ? 0.0 : t_s[0][c] / t_s[1][c]; });

      // x = x + alpha M^-1 p + omega M^-1 s,  r = s - omega t
      const auto r = step({sums(x_, x_, in_units_of_x(alpha), p_hat, in_units_of_x(omega), s_hat),
                           sum(r_, s_, minus(omega), t_)},
                          {{shadow_, r_}, {r_, r_}});
      shadow_r = r[0];
      end_where_done(r[1]);
      end_where_orthogonal(t_s[0], t_s[1], t_s[2]);
      end_where_orthogonal(shadow_r, shadow_squared, r[1]);
    }
  }

  Vectors<T> shadow_, p_, v_, s_, t_, p_hat_, s_hat_;
};

}  // namespace

template <Scalar T>
std::vector<KrylovResult> bicgstab(const mpi::ParallelContext& context, const Preconditioned<T>& system,
                                   Vectors<const T> b, Vectors<T> x, const KrylovOptions& options) {
  return run_method<Bicgstab<T>>(context, system, b, x, options);
}

#define INSTANTIATE(T)                                                                               \
  template std::vector<KrylovResult> bicgstab(const mpi::ParallelContext&, const Preconditioned<T>&, \
                                              Vectors<const T>, Vectors<T>, const KrylovOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
