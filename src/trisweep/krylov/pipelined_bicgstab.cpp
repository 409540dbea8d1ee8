// Pipelined BiCGStab: Cools and Vanroose, "The communication-hiding pipelined BiCGstab method", Parallel
// Comput. 65 (2017), Algorithm 9, which is Fig. 2(b) of Yamazaki, Ida, Yokota, Dongarra (2019) with its f, g
// and y here w, s and y. (That figure writes v for y in line 15 and for w in line 21.)
//
// Recurrences take the place of two products: w = A r, t = A w, s = A p, z = A s, v = A z and y = A q hold
// but for rounding. So each of the two products of an iteration begins as soon as its own vector is there:
// its all-gather is hidden behind the updates of the other vectors and their inner products, and the
// reduction of these behind the product. Rounding errors of the recurrences grow; they are made anew now and
// then (residual replacement), which takes six products.
//
// A is A M^-1: x = x0 + M^-1 u, and u is what is iterated. An iteration takes two products with each, and two
// reductions; memory: eleven vectors a column.

#include "trisweep/krylov/bicgstab_run.hpp"

namespace trisweep::krylov {
namespace {

template <Scalar T>
class PipelinedBicgstab final : public BicgstabRun<T> {
 public:
  PipelinedBicgstab(const transport::Team& team, const Preconditioned<T>& system, Vectors<const T> b,
                    Vectors<T> x, const BicgstabOptions& options)
      : BicgstabRun<T>(team, system, b, x, options), sums_(team.comm, b.rows, b.cols, most_pairs) {
    this->make({&r_, &shadow_, &p_, &s_, &z_, &v_, &q_, &y_, &w_, &t_, &u_, &hat_});
  }

 private:
  static constexpr std::size_t most_pairs = 5;

  using typename BicgstabRun<T>::Scalars;
  using BicgstabRun<T>::team_, BicgstabRun<T>::a_, BicgstabRun<T>::m_, BicgstabRun<T>::x_, BicgstabRun<T>::r_;
  using BicgstabRun<T>::active_, BicgstabRun<T>::options_, BicgstabRun<T>::set, BicgstabRun<T>::for_each;
  using BicgstabRun<T>::end_where_done, BicgstabRun<T>::end_where_orthogonal;
  using BicgstabRun<T>::end_where_nothing, BicgstabRun<T>::product, BicgstabRun<T>::unit_of_x;

  void iterate() override {
    begin();
    for (int done = 1; !active_.empty(); ++done) {
      first_half();
      second_half();
      if (options_.replace_every > 0 && done % options_.replace_every == 0) replace();
    }
    add_to_x();
  }

  // w = A r, t = A w, alpha = (shadow, r) / (shadow, w), and all else zero.
  void begin() {
    set(
        shadow_, [](Index, const T& r) { return r; }, r_);
    for (const Vectors<T>& v : {p_, s_, z_, v_, u_})
      assign(team_.crew, columns_of(v), v, [](Index) { return T{}; });
    product(r_, hat_, w_);
    product(w_, hat_, t_);
    alpha_ = omega_ = this->ones();
    beta_ = Scalars(alpha_.size(), 0);
    const auto sums = this->template by_pair<3>(
        inner_products<T>(team_, std::array<Pair<T>, 3>{{{shadow_, r_}, {shadow_, w_}, {w_, w_}}}));
    shadow_r_ = shadow_squared_ = sums[0];
    end_where_orthogonal(sums[1], sums[0], sums[2]);
    for_each([&](std::size_t c) { alpha_[c] = sums[0][c] / sums[1][c]; });
  }

  void first_half() {
    // p = r + beta (p - omega s),  s = w + beta (s - omega z),  z = t + beta (z - omega v)
    const auto next = [&](Index c, T first, T direction, T image) {
      return first + T(beta_[usize(c)]) * (direction - T(omega_[usize(c)]) * image);
    };
    set(p_, next, r_, p_, s_);
    set(s_, next, w_, s_, z_);
    set(z_, next, t_, z_, v_);
    // v = A z, and meanwhile:  q = r - alpha s,  y = w - alpha z
    const auto sums = product_beside<3>(z_, v_, {{y_, q_}, {y_, y_}, {q_, q_}}, [&](Crew::Part rows) {
      const auto less = [&](Index c, T from, T image) { return from - T(alpha_[usize(c)]) * image; };
      set_rows(rows, q_, less, r_, s_);
      set_rows(rows, y_, less, w_, z_);
    });
    // omega = (y, q) / (y, y)
    for_each([&](std::size_t c) { omega_[c] = sums[1][c] == 0.0 ? 0.0 : sums[0][c] / sums[1][c]; });
    y_q_ = sums;
  }

  void second_half() {
    // w = y - omega (t - alpha v)
    set(
        w_, [&](Index c, T y, T t, T v) { return y - T(omega_[usize(c)]) * (t - T(alpha_[usize(c)]) * v); },
        y_, t_, v_);
    // t = A w, and meanwhile:  u = u + alpha p + omega q,  r = q - omega y
    const auto sums = product_beside<5>(
        w_, t_, {{shadow_, r_}, {shadow_, w_}, {shadow_, s_}, {shadow_, z_}, {r_, r_}}, [&](Crew::Part rows) {
          set_rows(
              rows, u_,
              [&](Index c, T u, T p, T q) { return u + T(alpha_[usize(c)]) * p + T(omega_[usize(c)]) * q; },
              u_, p_, q_);
          set_rows(
              rows, r_, [&](Index c, T q, T y) { return q - T(omega_[usize(c)]) * y; }, q_, y_);
        });
    end_where_done(sums[4]);
    end_where_orthogonal(y_q_[0], y_q_[1], y_q_[2]);
    end_where_orthogonal(sums[0], shadow_squared_, sums[4]);
    // beta = alpha / omega (shadow, r) / (shadow, r before)
    for_each([&](std::size_t c) { beta_[c] = alpha_[c] / omega_[c] * (sums[0][c] / shadow_r_[c]); });
    // alpha = (shadow, r) / (shadow, w + beta (s - omega z))
    Scalars shadow_s = sums[1];
    for_each([&](std::size_t c) { shadow_s[c] += beta_[c] * (sums[2][c] - omega_[c] * sums[3][c]); });
    end_where_nothing(shadow_s, [&](std::size_t c) {
      return std::abs(sums[1][c]) +
             std::abs(beta_[c]) * (std::abs(sums[2][c]) + std::abs(omega_[c] * sums[3][c]));
    });
    for_each([&](std::size_t c) { alpha_[c] = sums[0][c] / shadow_s[c]; });
    shadow_r_ = sums[0];
  }

  // What the recurrences stand for; x takes up u.
  void replace() {
    add_to_x();
    this->make_residual();
    product(r_, hat_, w_);
    product(w_, hat_, t_);
    product(p_, hat_, s_);
    product(s_, hat_, z_);
    product(z_, hat_, v_);
  }

  void add_to_x() {
    m_(u_, hat_);
    assign(
        team_.crew, columns_of(x_), x_, [&](Index c, T x, T d) { return x + unit_of_x(c) * d; }, x_, hat_);
    assign(team_.crew, columns_of(u_), u_, [](Index) { return T{}; });
  }

  // to = A from beside the inner products of `pairs`, which update(rows) makes ready.
  template <std::size_t count, class Update>
  std::array<Scalars, count> product_beside(Vectors<T> from, Vectors<T> to, const Pair<T> (&pairs)[count],
                                            const Update& update) {
    const Meanwhile work = [&](const Poll& poll) {
      team_.crew.run([&](int thread) {
        const Crew::Part mine = team_.crew.part(thread, sums_.strips(), 1);
        for (std::size_t strip = mine.begin; strip < mine.end; ++strip) {
          update(sums_.rows_of(strip));
          sums_.add(strip, pairs);
          if (thread == 0) poll();
        }
      });
      sums_.start(count);
    };
    m_(from, hat_);
    if (options_.overlap == Overlap::gathers) {
      a_(hat_, to, work);
    } else {
      work([] {});
      if (options_.overlap == Overlap::none) sums_.finish();
      a_(hat_, to);
    }
    this->scale_product(to);
    return this->template by_pair<count>(sums_.finish());
  }

  template <class Make, class... From>
  void set_rows(Crew::Part rows, Vectors<T> to, const Make& make, Vectors<From>... from) const {
    for (const Index c : active_) assign_part(rows, c, to, make, from...);
  }

  PendingProducts<T> sums_;
  Vectors<T> shadow_, p_, s_, z_, v_, q_, y_, w_, t_, u_, hat_;
  Scalars alpha_, beta_, omega_, shadow_r_, shadow_squared_;
  std::array<Scalars, 3> y_q_;  // (y, q), (y, y), (q, q)
};

}  // namespace

template <Scalar T>
std::vector<BicgstabResult> pipelined_bicgstab(const transport::Team& team, const Preconditioned<T>& system,
                                               Vectors<const T> b, Vectors<T> x,
                                               const BicgstabOptions& options) {
  return run_bicgstab<PipelinedBicgstab<T>>(team, system, b, x, options);
}

#define INSTANTIATE(T)                                                                                      \
  template std::vector<BicgstabResult> pipelined_bicgstab(const transport::Team&, const Preconditioned<T>&, \
                                                          Vectors<const T>, Vectors<T>,                     \
                                                          const BicgstabOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
