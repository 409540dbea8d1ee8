#pragma once
// What the forms of BiCGStab, and restarted GMRES, have in common: the way from one true residual to the
// next, who of the columns goes on, and when a recurrence has ended.

#include <array>
#include <cmath>
#include <limits>

#include "trisweep/krylov/bicgstab.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::krylov {

// Starting anew is worth it where it leaves at most this share of the residual.
inline constexpr double slowest_restart = 0.5;

template <Scalar T>
class BicgstabRun {
 public:
  virtual ~BicgstabRun() = default;

  // From one true residual to the next.
  std::vector<BicgstabResult> run() {
    const std::vector<double> largest = max_norms<T>(team_, b_);
    for (Index c = 0; c < b_.cols; ++c) {
      if (!std::isfinite(largest[usize(c)])) {
        at(c) = {.outcome = Outcome::breakdown, .residual = HUGE_VAL};
      } else if (largest[usize(c)] > 0) {
        going_on_.push_back(c);
        unit_[usize(c)].b = unit_[usize(c)].x = power_of_two(exponent(largest[usize(c)]));
      } else {
        at(c).outcome = Outcome::converged;
      }
    }
    assign(
        team_.crew, columns_of(x_), x_, [&](Index c, const T& x) { return largest[usize(c)] == 0 ? T{} : x; },
        x_);
    assign(
        team_.crew, going_on_, r_, [&](Index c, const T& b) { return b / unit_[usize(c)].b; }, b_);
    norm_b_ = norms<T>(team_, r_);
    while (true) {
      measure_residuals();
      if (going_on_.empty()) return std::move(result_);
      active_ = going_on_;
      iterate();
    }
  }

 protected:
  using Real = RealOf<T>;
  using Scalars = std::vector<Sum<T>>;  // by column

  BicgstabRun(const transport::Team& team, const Preconditioned<T>& system, Vectors<const T> b, Vectors<T> x,
              const BicgstabOptions& options)
      : team_(team), a_(system.a), m_(system.preconditioner), b_(b), x_(x), options_(options) {}

  // Improves x until the recurrence of no active column goes on; r = b - A x at first.
  virtual void iterate() = 0;

  // Room for vectors of as many rows and columns as b. Not collective.
  void make(std::initializer_list<Vectors<T>*> vectors) {
    const std::size_t size = usize(b_.rows) * usize(b_.cols);
    for (Vectors<T>* const v : vectors) {
      memory_.emplace_back(size);
      *v = {memory_.back().data(), b_.rows, b_.cols};
    }
    result_.resize(usize(b_.cols));
    unit_.resize(usize(b_.cols));
  }

  // r = b - A x, in units of b.
  void make_residual() {
    a_(x_, r_);
    assign(
        team_.crew, going_on_, r_,
        [&](Index c, const T& b, const T& ax) { return (b - ax) / unit_[usize(c)].b; }, b_, r_);
  }

  // to = A M^-1 from, in units in which the first such product is about as large as what it was made of;
  // hat = M^-1 from.
  void product(Vectors<T> from, Vectors<T> hat, Vectors<T> to) {
    m_(from, hat);
    multiply(from, hat, to);
  }
  // The same where hat is known.
  void multiply(Vectors<const T> from, Vectors<const T> hat, Vectors<T> to) {
    a_(hat, to);
    if (!products_have_units_) find_units_of_products(from, to);
    scale_product(to);
  }
  // For who multiplies by a_ after that.
  void scale_product(Vectors<T> to) const {
    if (std::ranges::all_of(active_, [&](Index c) { return unit_[usize(c)].product == 1; })) return;
    set(
        to, [&](Index c, const T& v) { return v / unit_[usize(c)].product; }, to);
  }
  // Of x, for an improvement that was found in the other units.
  Real unit_of_x(Index c) const { return unit_[usize(c)].x; }

  // Columns whose recurrence has reached the goal or the last iteration; whether it tells the truth is
  // measured then.
  void end_where_done(const Scalars& r_squared) {
    std::erase_if(active_, [&](Index c) {
      return ends_with(c, std::sqrt(std::real(r_squared[usize(c)])) / norm_b_[usize(c)]);
    });
  }
  // An iteration of a column that leaves that share of b: whether it was the last.
  bool ends_with(Index c, double residual) {
    BicgstabResult& result = at(c);
    ++result.iterations;
    result.history.push_back(larger(0, residual));
    result.outcome = Outcome::stagnated;
    return result.history.back() <= options_.tolerance || result.iterations >= options_.max_iterations;
  }
  const BicgstabResult& so_far(Index c) const { return result_[usize(c)]; }

  // Columns in which `value` is nothing but the rounding of what it is made of, size(c), or not finite.
  template <class Size>
  void end_where_nothing(const Scalars& value, const Size& size_of) {
    std::erase_if(active_, [&](Index column) {
      const auto c = usize(column);
      const double size = std::abs(value[c]);
      if (std::isfinite(size) && size > std::numeric_limits<RealOf<T>>::epsilon() * size_of(c)) return false;
      at(column).outcome = Outcome::breakdown;
      return true;
    });
  }
  // Where (x, y) is, given (x, x) and (y, y).
  void end_where_orthogonal(const Scalars& xy, const Scalars& xx, const Scalars& yy) {
    end_where_nothing(
        xy, [&](std::size_t c) { return std::sqrt(std::real(xx[c])) * std::sqrt(std::real(yy[c])); });
  }

  // Inner products by pair, column by column, of those of all columns.
  template <std::size_t count>
  std::array<Scalars, count> by_pair(std::span<const Sum<T>> sums) const {
    std::array<Scalars, count> split;
    for (std::size_t i = 0; i < count; ++i) {
      const auto of_pair = sums.subspan(i * result_.size(), result_.size());
      split[i].assign(of_pair.begin(), of_pair.end());
    }
    return split;
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
  Scalars ones() const { return Scalars(result_.size(), 1); }

  const transport::Team& team_;
  const Operator<T> a_, m_;
  const Vectors<const T> b_;
  const Vectors<T> x_;
  const BicgstabOptions& options_;
  Vectors<T> r_;
  std::vector<Index> active_;  // columns whose recurrence has not ended

 private:
  BicgstabResult& at(Index c) { return result_[usize(c)]; }

  static int exponent(double magnitude) { return magnitude > 0 ? std::ilogb(magnitude) : 0; }
  // 2^power, or what is nearest to it in range.
  static Real power_of_two(int power) {
    constexpr int most = std::numeric_limits<Real>::max_exponent - 2;
    return std::ldexp(Real(1), std::clamp(power, -most, most));
  }
  // Left alone where squares of products of products stay in range.
  void find_units_of_products(Vectors<const T> from, Vectors<const T> to) {
    constexpr int usual = std::numeric_limits<Real>::max_exponent / 16;
    const std::vector<double> before = max_norms<T>(team_, from), after = max_norms<T>(team_, to);
    for (const Index c : active_) {
      if (!std::isfinite(after[usize(c)])) continue;
      const int grown = exponent(after[usize(c)]) - exponent(before[usize(c)]);
      if (std::abs(grown) > usual) unit_[usize(c)].product = power_of_two(grown);
      unit_[usize(c)].x = unit_[usize(c)].b / unit_[usize(c)].product;
    }
    products_have_units_ = true;
  }

  // Columns go on unless they are solved, or the last start was in vain.
  void measure_residuals() {
    make_residual();
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

  std::vector<std::vector<T>> memory_;
  // Powers of two in which squares of b and of products with A M^-1 stay in the range of numbers.
  struct Units {
    Real b = 1, product = 1, x = 1;
  };
  std::vector<Units> unit_;  // by column
  bool products_have_units_ = false;
  std::vector<double> norm_b_;
  std::vector<Index> going_on_;  // columns that are not solved or given up
  std::vector<BicgstabResult> result_;
};

// Solves by the form Run, on every rank.
template <class Run, Scalar T>
std::vector<BicgstabResult> run_bicgstab(const transport::Team& team, const Preconditioned<T>& system,
                                         Vectors<const T> b, Vectors<T> x, const BicgstabOptions& options) {
  return transport::together(team.comm, [&] {
    const auto run = transport::collectively(team.comm, [&] {
      require_apart<T>(b, x, b.rows);
      return std::make_unique<Run>(team, system, b, x, options);
    });
    return run->run();
  });
}

}  // namespace trisweep::krylov
