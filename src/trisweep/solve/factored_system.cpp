#include "trisweep/solve/factored_system.hpp"

#include <algorithm>
#include <optional>

#include "trisweep/solve/condition.hpp"

namespace trisweep::solve {
namespace {

template <Scalar T, Scalar F>
class FactoredIn final : public FactoredSystem<T> {
 public:
  FactoredIn(krylov::DistributedMatrix<T>& a, std::shared_ptr<const Factorization<F>> factorization,
             const SolverOptions& options)
      : a_(a),
        solver_(a.comm().handle(), std::move(factorization), options),
        refined_(std::in_place, a, solver_) {}

  bool refill(std::shared_ptr<const Factorization<F>> factorization) {
    const bool taken = solver_.refill(std::move(factorization));
    if (taken) refined_.emplace(a_, solver_);  // it keeps sums of A's rows
    return taken;
  }

  void prepare(Op op, Index nrhs) override { refined_->prepare(op, nrhs); }

  Refined solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options) override {
    return refined_->solve(op, b, x, options);
  }

  void sweep(Op op, Vectors<const T> b, Vectors<T> x) override {
    if constexpr (std::same_as<T, F>) {
      solver_.solve(op, b, x);
    } else {
      transport::collectively(a_.comm(), [&] {
        require_fit<T>(b, x, a_.local_rows());
        low_.resize(usize(b.rows) * usize(b.cols));
      });
      const Vectors<F> low(low_.data(), b.rows, b.cols);
      convert(b, low);
      solver_.solve(op, low, low);
      convert(Vectors<const F>(low), x);
    }
  }

  double condition(Op op, Vectors<const T> x, Index column) override {
    return refined_->condition(op, x, column);
  }
  double componentwise_condition(Op op, Vectors<const T> x, Index column) override {
    return refined_->componentwise_condition(op, x, column);
  }
  double condition_estimate() override { return estimate_condition(solver_); }
  Probe probe() override { return probe_singularity(a_, solver_); }
  const engine::SolveProfile& last() const override { return solver_.last(); }
  void record_in(engine::Recorder* recorder) override { solver_.record_in(recorder); }
  std::size_t panel_bytes() const override { return solver_.panel_bytes(); }

 private:
  template <class From, class To>
  static void convert(Vectors<const From> from, Vectors<To> to) {
    for (Index c = 0; c < from.cols; ++c)
      std::transform(from.column(c), from.column(c) + from.rows, to.column(c),
                     [](const From& v) { return static_cast<To>(v); });
  }

  krylov::DistributedMatrix<T>& a_;
  TriangularSolver<F> solver_;
  std::optional<RefinedSolver<T, F>> refined_;
  std::vector<F> low_;
};

}  // namespace

template <Scalar T, Scalar F>
std::unique_ptr<FactoredSystem<T>> make_factored_system(krylov::DistributedMatrix<T>& a,
                                                        std::shared_ptr<const Factorization<F>> factorization,
                                                        const SolverOptions& options) {
  return std::make_unique<FactoredIn<T, F>>(a, std::move(factorization), options);
}

template <Scalar T, Scalar F>
bool refilled(FactoredSystem<T>& system, std::shared_ptr<const Factorization<F>> factorization) {
  auto* const same = dynamic_cast<FactoredIn<T, F>*>(&system);
  return same != nullptr && same->refill(std::move(factorization));
}

#define INSTANTIATE(T, F)                                                                            \
  template std::unique_ptr<FactoredSystem<T>> make_factored_system<T, F>(                            \
      krylov::DistributedMatrix<T>&, std::shared_ptr<const Factorization<F>>, const SolverOptions&); \
  template bool refilled<T, F>(FactoredSystem<T>&, std::shared_ptr<const Factorization<F>>);
#define INSTANTIATE_SAME(T) INSTANTIATE(T, T)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE_SAME)
INSTANTIATE(double, float)
INSTANTIATE(std::complex<double>, std::complex<float>)

}  // namespace trisweep::solve
