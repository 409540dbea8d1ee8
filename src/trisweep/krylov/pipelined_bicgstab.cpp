// Pipelined BiCGStab: Cools and Vanroose, "The communication-hiding pipelined BiCGstab method", Parallel
// Comput. 65 (2017), Algorithm 9, which is Fig. 2(b) of Yamazaki, Ida, Yokota, Dongarra (2019) with its f, g
// and y here w, s and y. (That figure writes v for y in line 15 and for w in line 21.)
//
// Recurrences replace products: w = A r, t = A w, s = A p, z = A s, v = A z and y = A q hold up to rounding.
// So each of the two products of an iteration begins as soon as its vector is known: its all-gather overlaps
// the updates of the other vectors and their inner products, and the reduction of these overlaps the product.
// Rounding errors of the recurrences grow; the vectors are recomputed periodically (residual replacement),
// which takes six products.
//
// Here A stands for A M^-1: x = x0 + M^-1 u, and u is iterated. An iteration takes two products with each of
// A and M^-1, and two reductions; memory: eleven vectors per column.

#include "trisweep/krylov/run.hpp"

namespace trisweep::krylov {
namespace {

template <Scalar T>
class PipelinedBicgstab final : public KrylovRun<T> {
 public:
  PipelinedBicgstab(const mpi::ParallelContext& context, const Preconditioned<T>& system, Vectors<const T> b,
                    Vectors<T> x, const KrylovOptions& options)
      : KrylovRun<T>(context, system, b, x, options, 5) {
    this->make({&shadow_, &p_, &s_, &z_, &v_, &q_, &y_, &w_, &t_, &u_, &hat_});
  }

 private:
  using typename KrylovRun<T>::Scalars;
  using KrylovRun<T>::x_, KrylovRun<T>::r_, KrylovRun<T>::active_, KrylovRun<T>::options_;
  using KrylovRun<T>::steps_, KrylovRun<T>::step, KrylovRun<T>::products, KrylovRun<T>::product;
  using KrylovRun<T>::preconditioned, KrylovRun<T>::for_each, KrylovRun<T>::minus;
  using KrylovRun<T>::end_where_done, KrylovRun<T>::end_where_orthogonal;
  using KrylovRun<T>::end_where_nothing;

  void iterate() override {
    begin();
    moved_ = active_;
    for (int done = 1; !active_.empty(); ++done) {
      first_half();
      second_half();
      if (options_.replace_every > 0 && done % options_.replace_every == 0) replace();
    }
    add_to_x();
  }

  // w = A r, t = A w, alpha = (shadow, r) / (shadow, w), and all other vectors zero.
  void begin() {
    step({copied(shadow_, r_)});
    for (const Vectors<T>& v : {p_, s_, z_, v_, u_}) steps_.run(this->all_columns(), std::array{zero(v)});
    product(r_, hat_, w_);
    product(w_, hat_, t_);
    alpha_ = omega_ = this->ones();
    beta_ = Scalars(alpha_.size(), 0);
    const auto found = products({{shadow_, r_}, {shadow_, w_}, {w_, w_}});
    shadow_r_ = shadow_squared_ = found[0];
    end_where_orthogonal(found[1], found[0], found[2]);
    for_each([&](std::size_t c) { alpha_[c] = found[0][c] / found[1][c]; });
  }

  void first_half() {
    // p = r + beta (p - omega s),  s = w + beta (s - omega z),  z = t + beta (z - omega v)
    step({nested(p_, r_, beta_, p_, minus(omega_), s_), nested(s_, w_, beta_, s_, minus(omega_), z_),
          nested(z_, t_, beta_, z_, minus(omega_), v_)});
    // v = A z, and meanwhile:  q = r - alpha s,  y = w - alpha z
    const auto found =
        product_beside(z_, v_, {sum(q_, r_, minus(alpha_), s_), sum(y_, w_, minus(alpha_), z_)},
                       {{y_, q_}, {y_, y_}, {q_, q_}});
    // omega = (y, q) / (y, y)
    for_each([&](std::size_t c) { omega_[c] = found[1][c] == 0.0 ? 0.0 : found[0][c] / found[1][c]; });
    y_q_ = found;
  }

  void second_half() {
    // w = y - omega (t - alpha v)
    step({nested(w_, y_, minus(omega_), t_, minus(alpha_), v_)});
    // t = A w, and meanwhile:  u = u + alpha p + omega q,  r = q - omega y
    const auto found =
        product_beside(w_, t_, {sums(u_, u_, alpha_, p_, omega_, q_), sum(r_, q_, minus(omega_), y_)},
                       {{shadow_, r_}, {shadow_, w_}, {shadow_, s_}, {shadow_, z_}, {r_, r_}});
    end_where_done(found[4]);
    end_where_orthogonal(y_q_[0], y_q_[1], y_q_[2]);
    end_where_orthogonal(found[0], shadow_squared_, found[4]);
    // beta = alpha / omega (shadow, r) / (shadow, r before)
    for_each([&](std::size_t c) { beta_[c] = alpha_[c] / omega_[c] * (found[0][c] / shadow_r_[c]); });
    // alpha = (shadow, r) / (shadow, w + beta (s - omega z))
    Scalars shadow_s = found[1];
    for_each([&](std::size_t c) { shadow_s[c] += beta_[c] * (found[2][c] - omega_[c] * found[3][c]); });
    end_where_nothing(shadow_s, [&](std::size_t c) {
      return std::abs(found[1][c]) +
             std::abs(beta_[c]) * (std::abs(found[2][c]) + std::abs(omega_[c] * found[3][c]));
    });
    for_each([&](std::size_t c) { alpha_[c] = found[0][c] / shadow_s[c]; });
    shadow_r_ = found[0];
  }

  // Recomputes by products the vectors that the recurrences approximate, after adding M^-1 u to x.
  void replace() {
    add_to_x();
    moved_ = active_;
    this->make_residual();
    product(r_, hat_, w_);
    product(w_, hat_, t_);
    product(p_, hat_, s_);
    product(s_, hat_, z_);
    product(z_, hat_, v_);
  }

  void add_to_x() {
    const auto hat = preconditioned(u_, hat_);
    steps_.run(moved_, std::array{sum(x_, x_, this->in_units_of_x(this->ones()), hat), zero(u_)});
  }

  // to = A from, overlapped with `update` and then the inner products of `pair`.
  template <std::size_t updates, std::size_t pairs>
  std::array<Scalars, pairs> product_beside(Vectors<T> from, Vectors<T> to,
                                            const Update<T> (&update)[updates],
                                            const Pair<T> (&pair)[pairs]) {
    const Meanwhile work = [&](const Poll& poll) { steps_.start(active_, update, pair, poll); };
    const auto hat = preconditioned(from, hat_);
    if (options_.overlap == Overlap::gathers) {
      this->multiply_beside(hat, to, work);
    } else {
      work([] {});
      if (options_.overlap == Overlap::none) steps_.finish();
      this->multiply(from, hat, to);
    }
    return this->template by_pair<pairs>(steps_.finish());
  }

  Vectors<T> shadow_, p_, s_, z_, v_, q_, y_, w_, t_, u_, hat_;
  Scalars alpha_, beta_, omega_, shadow_r_, shadow_squared_;
  std::array<Scalars, 3> y_q_;  // (y, q), (y, y), (q, q)
  std::vector<Index> moved_;    // columns in which u may be nonzero
};

}  // namespace

template <Scalar T>
std::vector<KrylovResult> pipelined_bicgstab(const mpi::ParallelContext& context,
                                             const Preconditioned<T>& system, Vectors<const T> b,
                                             Vectors<T> x, const KrylovOptions& options) {
  return run_method<PipelinedBicgstab<T>>(context, system, b, x, options);
}

#define INSTANTIATE(T)                                                                              \
  template std::vector<KrylovResult> pipelined_bicgstab(const mpi::ParallelContext&,                \
                                                        const Preconditioned<T>&, Vectors<const T>, \
                                                        Vectors<T>, const KrylovOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
