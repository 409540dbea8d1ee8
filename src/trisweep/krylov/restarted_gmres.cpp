#include "trisweep/krylov/gmres.hpp"
#include "trisweep/krylov/run.hpp"

namespace trisweep::krylov {
namespace {

template <Scalar T>
class RestartedGmres final : public KrylovRun<T> {
 public:
  RestartedGmres(const mpi::ParallelContext& context, const Preconditioned<T>& system, Vectors<const T> b,
                 Vectors<T> x, const KrylovOptions& options)
      // Without a step runner: the basis is in host memory.
      : KrylovRun<T>(context, {system.a, system.preconditioner}, b, x, options) {
    this->make({&d_});
  }

 private:
  using KrylovRun<T>::context_, KrylovRun<T>::x_, KrylovRun<T>::r_, KrylovRun<T>::options_;
  using KrylovRun<T>::active_, KrylovRun<T>::so_far;

  double most_left() const override { return slowest_cycle; }

  // One cycle of all columns together; a column that needs fewer steps makes those of the others, too, but
  // they are not counted.
  void iterate() override {
    GmresOptions options{.steps = options_.restart, .reduction = 1};
    for (const Index c : active_) {
      options.steps = std::min(options.steps, options_.max_iterations - so_far(c).iterations);
      options.reduction = std::min(options.reduction, options_.tolerance / so_far(c).residual);
    }
    for (Index c = 0; c < r_.cols; ++c)
      if (std::ranges::find(active_, c) == active_.end()) std::fill_n(r_.column(c), r_.rows, T{});
    Vectors<const T> last;
    const auto precondition = [&](Vectors<const T> v, Vectors<T> z) { this->m_(last = v, z); };
    const auto multiply = [&](Vectors<const T> z, Vectors<T> w) { this->multiply(last, z, w); };
    const auto left = gmres<T>(context_, {multiply, precondition}, r_, d_, options);
    for (const Index c : active_) {
      const double before = so_far(c).residual;
      if (left[usize(c)].empty()) this->break_down(c);
      for (const double share : left[usize(c)])
        if (this->ends_with(c, share * before)) break;
    }
    this->step({sum(x_, x_, this->in_units_of_x(this->ones()), d_)});
  }

  Vectors<T> d_;
};

}  // namespace

template <Scalar T>
std::vector<KrylovResult> restarted_gmres(const mpi::ParallelContext& context,
                                          const Preconditioned<T>& system, Vectors<const T> b, Vectors<T> x,
                                          const KrylovOptions& options) {
  return run_method<RestartedGmres<T>>(context, system, b, x, options);
}

#define INSTANTIATE(T)                                                                                      \
  template std::vector<KrylovResult> restarted_gmres(const mpi::ParallelContext&, const Preconditioned<T>&, \
                                                     Vectors<const T>, Vectors<T>, const KrylovOptions&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::krylov
