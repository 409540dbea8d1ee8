#pragma once
// Common base of the forms of BiCGStab and restarted GMRES: the loop over true residuals, the columns that
// continue, and the end of a recurrence.

#include <array>
#include <cmath>
#include <limits>

#include "trisweep/krylov/methods.hpp"
#include "trisweep/krylov/vector_place.hpp"

namespace trisweep::krylov {

// A restart must leave at most this share of the residual, or the column is given up: after a recurrence that
// departed from the true residual; and for the regular cycles of a method, while the residual falls at all.
inline constexpr double slowest_restart = 0.5;
inline constexpr double slowest_cycle = 0.9999;

template <Scalar T>
class KrylovRun {
 public:
  virtual ~KrylovRun() = default;

  // Runs recurrences from one true residual to the next.
  std::vector<KrylovResult> run() {
    const std::vector<double> largest = max_norms<T>(context_, callers_b_);
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
    steps_.run(this->columns_without(largest), one(zero(x_)));
    steps_.run(going_on_, one(scaled(r_, inverses(&Units::b), b_)));
    norm_b_ = this->norms_of_r();
    while (true) {
      measure_residuals();
      if (going_on_.empty()) break;
      active_ = going_on_;
      iterate();
    }
    place_.take_back(x_, callers_x_);
    return std::move(result_);
  }

 protected:
  using Real = RealOf<T>;
  using Scalars = Factors<T>;  // by column

  // `most_pairs`: maximum number of inner products per step. Throws.
  KrylovRun(const mpi::ParallelContext& context, const Preconditioned<T>& system, Vectors<const T> b,
            Vectors<T> x, const KrylovOptions& options, std::size_t most_pairs = 1)
      : context_(context),
        options_(options),
        a_(system.a),
        m_(system.preconditioner),
        callers_b_(b),
        callers_x_(x),
        place_(context, system.vectors, b.rows, b.cols),
        b_(place_.brought(b)),
        x_(place_.brought(x)),
        r_(place_.room()),
        steps_(context.comm, place_.runner(), b.cols, most_pairs),
        unit_(usize(b.cols)),
        result_(usize(b.cols)) {}

  // Improves x until the recurrences of all active columns have ended; initially r = b - A x.
  virtual void iterate() = 0;
  // The largest share of the residual that a start may leave if another is to follow.
  virtual double most_left() const { return slowest_restart; }

  // Allocates vectors of the size of b. Not collective.
  void make(std::initializer_list<Vectors<T>*> vectors) {
    for (Vectors<T>* const v : vectors) *v = place_.room();
  }

  // r = b - A x, in units of b.
  void make_residual() {
    place_.apply(a_, x_, r_);
    steps_.run(going_on_, one(sum(r_, b_, Scalars(result_.size(), -1), r_, inverses(&Units::b))));
  }

  // Returns M^-1 from: in `room`, unless it is `from` itself.
  Vectors<const T> preconditioned(Vectors<const T> from, Vectors<T> room) const {
    if (m_.is_identity()) return from;
    place_.apply(m_, from, room);
    return room;
  }
  // to = A M^-1 from, scaled so that the first such product is about as large as `from`. Returns M^-1 from,
  // which may be stored in `room`.
  Vectors<const T> product(Vectors<const T> from, Vectors<T> room, Vectors<T> to) {
    const Vectors<const T> hat = preconditioned(from, room);
    multiply(from, hat, to);
    return hat;
  }
  // The same for a given hat = M^-1 from.
  void multiply(Vectors<const T> from, Vectors<const T> hat, Vectors<T> to) {
    place_.apply(a_, hat, to);
    if (!products_have_units_) find_units_of_products(from, to);
    scale_product(to);
  }
  // The same, overlapped with `work`; the units must be known.
  void multiply_beside(Vectors<const T> hat, Vectors<T> to, const Meanwhile& work) const {
    place_.apply(a_, hat, to, work);
    scale_product(to);
  }
  // Converts factors of an update from scaled units to units of x.
  Scalars in_units_of_x(Scalars factor) const {
    for (std::size_t c = 0; c < factor.size(); ++c) factor[c] *= double(unit_[c].x);
    return factor;
  }

  // Ends columns whose recursive residual has reached the tolerance, or the last iteration; the true residual
  // is measured afterwards.
  void end_where_done(const Scalars& r_squared) {
    std::erase_if(active_, [&](Index c) {
      return ends_with(c, std::sqrt(std::real(r_squared[usize(c)])) / norm_b_[usize(c)]);
    });
  }
  // Records an iteration of a column with this relative residual; returns true if it was the last.
  bool ends_with(Index c, double residual) {
    KrylovResult& result = at(c);
    ++result.iterations;
    result.history.push_back(larger(0, residual));
    result.outcome = Outcome::stagnated;
    return result.history.back() <= options_.tolerance || result.iterations >= options_.max_iterations;
  }
  void break_down(Index c) { at(c).outcome = Outcome::breakdown; }
  const KrylovResult& so_far(Index c) const { return result_[usize(c)]; }

  // Ends, as breakdowns, columns in which `value` is not finite, or only rounding error of its terms, of
  // magnitude size_of(c).
  template <class Size>
  void end_where_nothing(const Scalars& value, const Size& size_of) {
    std::erase_if(active_, [&](Index column) {
      const auto c = usize(column);
      const double size = std::abs(value[c]);
      if (std::isfinite(size) && size > std::numeric_limits<RealOf<T>>::epsilon() * size_of(c)) return false;
      break_down(column);
      return true;
    });
  }
  // The same for an inner product (x, y), given (x, x) and (y, y).
  void end_where_orthogonal(const Scalars& xy, const Scalars& xx, const Scalars& yy) {
    end_where_nothing(
        xy, [&](std::size_t c) { return std::sqrt(std::real(xx[c])) * std::sqrt(std::real(yy[c])); });
  }

  // Splits inner products by pair; each part has one value per column.
  template <std::size_t count>
  std::array<Scalars, count> by_pair(std::span<const Sum<T>> sums) const {
    std::array<Scalars, count> split;
    for (std::size_t i = 0; i < count; ++i) {
      const auto of_pair = sums.subspan(i * result_.size(), result_.size());
      split[i].assign(of_pair.begin(), of_pair.end());
    }
    return split;
  }
  // In the active columns: performs the updates in order, then computes inner products.
  template <std::size_t updates>
  void step(const Update<T> (&update)[updates]) const {
    steps_.run(active_, update);
  }
  template <std::size_t updates, std::size_t pairs>
  std::array<Scalars, pairs> step(const Update<T> (&update)[updates], const Pair<T> (&pair)[pairs]) {
    steps_.start(active_, update, pair, [] {});
    return by_pair<pairs>(steps_.finish());
  }
  template <std::size_t pairs>
  std::array<Scalars, pairs> products(const Pair<T> (&pair)[pairs]) {
    steps_.start(active_, {}, pair, [] {});
    return by_pair<pairs>(steps_.finish());
  }
  template <class Work>
  void for_each(const Work& work) const {
    for (const Index c : active_) work(usize(c));
  }
  std::vector<Index> all_columns() const {
    const auto columns = columns_of(x_);
    return {columns.begin(), columns.end()};
  }
  Scalars ones() const { return Scalars(result_.size(), 1); }
  static Scalars minus(Scalars factor) {
    for (auto& f : factor) f = -f;
    return factor;
  }

  const mpi::ParallelContext& context_;
  const KrylovOptions& options_;
  const Operator<T> a_, m_;

 private:
  const Vectors<const T> callers_b_;
  const Vectors<T> callers_x_;
  VectorPlace<T> place_;

 protected:
  const Vectors<const T> b_;
  const Vectors<T> x_;
  const Vectors<T> r_;
  VectorSteps<T> steps_;
  std::vector<Index> active_;  // columns whose recurrence continues

 private:
  // Powers of two by which b and products with A M^-1 are scaled, so that their squares do not overflow.
  struct Units {
    Real b = 1, product = 1, x = 1;
  };

  KrylovResult& at(Index c) { return result_[usize(c)]; }

  static std::array<Update<T>, 1> one(Update<T> update) { return {std::move(update)}; }
  std::vector<Real> inverses(Real Units::*unit) const {
    std::vector<Real> inverse;
    for (const Units& of : unit_) inverse.push_back(1 / (of.*unit));
    return inverse;
  }
  std::vector<Index> columns_without(const std::vector<double>& largest) const {
    std::vector<Index> columns = all_columns();
    std::erase_if(columns, [&](Index c) { return largest[usize(c)] != 0; });
    return columns;
  }
  std::vector<double> norms_of_r() {
    steps_.start(all_columns(), {}, std::array{Pair<T>{r_, r_}}, [] {});
    std::vector<double> lengths;
    for (const Sum<T>& square : steps_.finish()) lengths.push_back(std::sqrt(std::real(square)));
    return lengths;
  }

  static int exponent(double magnitude) { return magnitude > 0 ? std::ilogb(magnitude) : 0; }
  // 2^power, clamped to the range of Real.
  static Real power_of_two(int power) {
    constexpr int most = std::numeric_limits<Real>::max_exponent - 2;
    return std::ldexp(Real(1), std::clamp(power, -most, most));
  }
  void scale_product(Vectors<T> to) const {
    if (std::ranges::all_of(active_, [&](Index c) { return unit_[usize(c)].product == 1; })) return;
    steps_.run(active_, one(scaled(to, inverses(&Units::product), to)));
  }
  // Products are not scaled where squares of products of products cannot overflow.
  void find_units_of_products(Vectors<const T> from, Vectors<const T> to) {
    constexpr int usual = std::numeric_limits<Real>::max_exponent / 16;
    const std::vector<double> before = place_.max_norms(from), after = place_.max_norms(to);
    for (const Index c : active_) {
      if (!std::isfinite(after[usize(c)])) continue;
      const int grown = exponent(after[usize(c)]) - exponent(before[usize(c)]);
      if (std::abs(grown) > usual) unit_[usize(c)].product = power_of_two(grown);
      unit_[usize(c)].x = unit_[usize(c)].b / unit_[usize(c)].product;
    }
    products_have_units_ = true;
  }

  // Ends columns that are solved or have failed, or whose last start reduced the residual too little.
  void measure_residuals() {
    make_residual();
    const std::vector<double> norm_r = norms_of_r();
    std::erase_if(going_on_, [&](Index c) {
      KrylovResult& result = at(c);
      const bool first = result.history.empty();
      const double before = first ? HUGE_VAL : result.residual;
      result.residual = larger(0, norm_r[usize(c)] / norm_b_[usize(c)]);
      if (first) result.history.push_back(result.residual);
      if (result.residual <= options_.tolerance) {
        result.outcome = Outcome::converged;
      } else if (std::isinf(result.residual)) {
        result.outcome = Outcome::breakdown;
      } else if (result.iterations >= options_.max_iterations) {
        result.outcome = Outcome::most_iterations;
      } else {
        return !(result.residual <= most_left() * before);
      }
      return true;
    });
  }

  std::vector<Units> unit_;  // by column
  bool products_have_units_ = false;
  std::vector<double> norm_b_;
  std::vector<Index> going_on_;  // columns neither solved nor given up
  std::vector<KrylovResult> result_;
};

// Solves by the method Run. Collective; errors are thrown on every rank.
template <class Run, Scalar T>
std::vector<KrylovResult> run_method(const mpi::ParallelContext& context, const Preconditioned<T>& system,
                                     Vectors<const T> b, Vectors<T> x, const KrylovOptions& options) {
  return mpi::revoke_on_error(context.comm, [&] {
    const auto run = mpi::agree_on_error(context.comm, [&] {
      require_apart<T>(b, x, b.rows);
      return std::make_unique<Run>(context, system, b, x, options);
    });
    return run->run();
  });
}

}  // namespace trisweep::krylov
