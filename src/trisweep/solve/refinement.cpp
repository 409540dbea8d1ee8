#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/krylov/inner_products.hpp"
#include "trisweep/solve/condition.hpp"

namespace trisweep::solve {
namespace {

// A step that leaves more than this share of the error is the last of its kind: of the cheap one early,
// because GMRES takes over.
constexpr double slowest_plain = 0.1;
constexpr double slowest_gmres = 0.5;

constexpr auto typical = &ColumnError::arioli_demmel_duff, every = &ColumnError::componentwise;

// Brings the caller's rows to where the columns of this rank's rows are counted: its own, then the halo's.
template <Scalar T>
plan::VectorPhase columns_of(const krylov::DistributedMatrix<T>& rows) {
  plan::VectorPhase phase{.way = plan::VectorWay::in};
  for (Index i = 0; i < rows.local_rows(); ++i) {
    phase.caller.push_back(i);
    phase.work.emplace_back(i);
  }
  for (const auto& n : rows.halo().neighbours()) {
    if (!n.owned.empty()) phase.sent.push_back({plan::RankId(n.rank), n.owned});
    if (n.ghost_begin == n.ghost_end) continue;
    auto& ghosts = phase.received.emplace_back(plan::VectorMessage{plan::RankId(n.rank), {}}).row;
    for (Index g = n.ghost_begin; g < n.ghost_end; ++g) ghosts.push_back(rows.local_rows() + g);
  }
  return phase;
}

}  // namespace

template <Scalar T>
template <class Work>
auto RefinedSolver<T>::together(const Work& work) {
  return transport::together(a_.comm(), [&] { return transport::together(solver_.comm(), work); });
}

template <Scalar T>
void RefinedSolver<T>::make_room(Op op, Index nrhs) {
  require_same_call(a_.comm(), op, nrhs);
  solver_.prepare(op, nrhs);
  a_.prepare(op, nrhs);
  residuals_.prepare(op, nrhs);
  make_room_on_device(op, nrhs);
  const std::size_t size = usize(a_.local_rows()) * usize(nrhs);
  transport::collectively(a_.comm(), [&] {
    if (corrected_.size() < size) corrected_ = zeros<T>(size, "the vectors of refinement");
  });
}

template <Scalar T>
void RefinedSolver<T>::make_room_on_device(Op op, Index nrhs) {
  const auto found = device_.find(op);
  if (solver_.options().device == engine::Device::cpu ||
      (found != device_.end() && found->second.room >= nrhs))
    return;
  const bool transposes = op != Op::none;
  if (transposes && !transposed_) {
    matrix::Csr<T> room, turned;
    const matrix::Csr<T>& whole = a_.whole(room);
    transport::collectively(a_.comm(), [&] {
      if (a_.comm().rank() == 0) turned = matrix::transpose(whole);
    });
    transposed_.emplace(a_.comm().handle(), a_.comm().rank() == 0 ? &turned : nullptr, a_.partition());
  }
  const krylov::DistributedMatrix<T>& rows = transposes ? *transposed_ : a_;
  const auto columns = transport::collectively(a_.comm(), [&] { return columns_of(rows); });
  auto made = solver_.refinement(op, residuals_.measuring(op, rows.local()), columns, nrhs);
  transport::collectively(a_.comm(), [&] { device_[op] = {std::move(made), nrhs}; });
}

template <Scalar T>
auto RefinedSolver<T>::step_here(const System& system, const Correction& correction) -> Step {
  const Vectors<T> x = system.x;
  const Vectors<T> candidate{corrected_.data(), x.rows, x.cols};
  const auto sum = [](Index, const T& before, const T& d) { return before + d; };
  const auto same = [](Index, const T& after) { return after; };
  return {.correct =
              [=, this, &correction] {
                correction(residuals_.residual(x.cols), candidate);
                krylov::assign(solver_.crew(), krylov::columns_of(x), candidate, sum, x, candidate);
                return residuals_.measure(system.op, system.b, candidate);
              },
          .take =
              [=, this](std::span<const Index> columns) {
                krylov::assign(solver_.crew(), columns, x, same, candidate);
              },
          .measure = [=, this] { residuals_.measure(system.op, system.b, x); }};
}

template <Scalar T>
double RefinedSolver<T>::improve(const Step& step, double goal, Kind kind) {
  const auto error = step.correct();
  double best = 1;
  std::vector<Index> taken;
  for (std::size_t c = 0; c < error.size(); ++c) {
    const double before = error_[c].*kind, after = error[c].*kind;
    // The larger unknowns may not suffer for the small ones; never from infinity to infinity.
    if (after < before && !(error[c].arioli_demmel_duff > std::max(error_[c].arioli_demmel_duff, goal))) {
      best = std::min(best, std::isfinite(before) ? after / before : 0);
      error_[c] = error[c];
      taken.push_back(static_cast<Index>(c));
    }
  }
  step.take(taken);
  steps_ += best < 1;
  if (taken.size() < error.size()) step.measure();  // of what was not taken
  return best;
}

template <Scalar T>
void RefinedSolver<T>::repeat(const Step& step, double goal, double slowest, int most) {
  while (steps_ < most && largest(error_, typical) > goal) {
    if (improve(step, goal, typical) > slowest) break;
  }
}

template <Scalar T>
auto RefinedSolver<T>::refine_on(engine::Refinement<T>& device, const System& system, const Limits& limits) ->
    typename Residuals<T>::Norms {
  std::vector<engine::Found> found;
  const auto errors = [&found](std::vector<engine::Found> last) {
    found = std::move(last);
    std::vector<ColumnError> of;
    for (const engine::Found& f : found) of.push_back({f.front(), f.back()});
    return of;
  };
  error_ = errors(device.start(system.b, system.stream));
  const Step step{.correct = [&] { return errors(device.correct()); },
                  .take = [&](std::span<const Index> columns) { device.take(columns); },
                  .measure = [&] { errors(device.measure()); }};
  repeat(step, limits.target, slowest_plain, limits.steps);
  device.read(system.x);
  measured_by_ = &device;
  typename Residuals<T>::Norms norms;
  for (const engine::Found& f : found) {
    norms.x.push_back(f[1]);
    norms.r.push_back(f[3]);
    norms.b.push_back(f[4]);
  }
  return norms;
}

template <Scalar T>
void RefinedSolver<T>::refine_here(const System& system, const Limits& limits) {
  const auto& [op, b, x, stream] = system;
  const Correction by_gmres = [&](Vectors<T> r, Vectors<T> d) {
    std::vector<Index> wanted;
    for (const Index c : krylov::columns_of(r)) {
      if (error_[usize(c)].*typical > limits.acceptable) wanted.push_back(c);
    }
    corrections_.by_gmres(op, wanted, std::as_const(residuals_).magnitude(r.cols), r, d);
  };
  repeat(step_here(system, by_gmres), limits.acceptable, slowest_gmres, limits.steps);
  for (const bool zero_the_undetermined : {false, true}) {
    const Correction small_ones = [&](Vectors<T> r, Vectors<T> d) {
      corrections_.by_factors_repeatedly(op, {b, x}, r, d, zero_the_undetermined);
    };
    if (largest(error_, typical) <= limits.acceptable && largest(error_, every) > limits.acceptable &&
        steps_ < limits.steps)
      improve(step_here(system, small_ones), limits.acceptable, every);
  }
}

template <Scalar T>
Refined RefinedSolver<T>::refine(const System& system, const RefinementOptions& options) {
  const auto& [op, b, x, stream] = system;
  constexpr double epsilon = std::numeric_limits<R>::epsilon();
  const double target = options.target > 0 ? options.target : epsilon;
  const Limits limits{target, std::max(target, options.acceptable > 0 ? options.acceptable : 10 * epsilon),
                      options.max_steps};
  steps_ = 0;
  measured_by_ = nullptr;
  double normwise = 0;
  if (const auto device = device_.find(op); device != device_.end()) {
    const auto norms = refine_on(*device->second.refinement, system, limits);
    const bool is_enough = largest(error_, every) <= limits.acceptable || steps_ >= limits.steps;
    normwise = is_enough ? residuals_.normwise(op, norms) : take_over(system, limits);
  } else {
    corrections_.by_factors(op, b, x);
    error_ = residuals_.measure(op, b, x);
    const Correction by_factors = [&](Vectors<T> r, Vectors<T> d) { corrections_.by_factors(op, r, d); };
    repeat(step_here(system, by_factors), limits.target, slowest_plain, limits.steps);
    refine_here(system, limits);
    normwise = residuals_.normwise(op, b, x);
  }
  const auto worse = [](const ColumnError& e, const ColumnError& f) {
    return e.componentwise < f.componentwise;
  };
  return {.error = summary(normwise),
          .steps = steps_,
          .worst = static_cast<Index>(std::ranges::max_element(error_, worse) - error_.begin())};
}

template <Scalar T>
template <class V>
Vectors<V> RefinedSolver<T>::on_host(Vectors<V> v, Buffer<T>& room) {
  return transport::collectively(a_.comm(), [&]() -> Vectors<V> {
    if (v.space == MemorySpace::host) return v;
    room = zeros<T>(usize(v.rows) * usize(v.cols), "copies of a device's vectors");
    const Vectors<T> copy{room.data(), v.rows, v.cols};
    solver_.copy(copy, v);
    return copy;
  });
}

template <Scalar T>
double RefinedSolver<T>::take_over(const System& system, const Limits& limits) {
  Buffer<T> room_of_b, room_of_x;
  const System here{system.op, on_host(system.b, room_of_b), on_host(system.x, room_of_x), nullptr};
  measured_by_ = nullptr;
  error_ = residuals_.measure(here.op, here.b, here.x);
  refine_here(here, limits);
  if (system.x.space != MemorySpace::host) solver_.copy(system.x, here.x);
  return residuals_.normwise(here.op, here.b, here.x);
}

template <Scalar T>
BackwardError RefinedSolver<T>::summary(double normwise) const {
  return {.componentwise = largest(error_, every),
          .arioli_demmel_duff = largest(error_, typical),
          .normwise = normwise};
}

template <Scalar T>
template <class Fill>
double RefinedSolver<T>::condition_of(Op op, Index column, const Fill& fill) {
  return together([&] {
    std::vector<R> weight;
    transport::collectively(a_.comm(), [&] { weight.resize(usize(a_.local_rows())); });
    fill(weight);
    if (measured_by_ != nullptr) measured_by_->read_magnitude(residuals_.magnitude(column + 1));
    const std::span<const R> magnitude(residuals_.magnitude(column + 1).column(column), weight.size());
    return skeel_condition<T>(solver_, op, weight, magnitude);
  });
}

template <Scalar T>
double RefinedSolver<T>::condition(Op op, Vectors<const T> x, Index column) {
  Buffer<T> room;
  return condition_of(op, column, [&](std::vector<R>& weight) {
    const auto norm = krylov::max_norms<T>({a_.comm(), solver_.crew()}, on_host(x.columns(column, 1), room));
    std::ranges::fill(weight, norm[0] > 0 ? static_cast<R>(1 / norm[0]) : R(0));
  });
}

template <Scalar T>
double RefinedSolver<T>::componentwise_condition(Op op, Vectors<const T> x, Index column) {
  Buffer<T> room;
  return condition_of(op, column, [&](std::vector<R>& weight) {
    const T* const unknown = on_host(x.columns(column, 1), room).data;
    std::transform(unknown, unknown + weight.size(), weight.begin(),
                   [](const T& v) { return v == T{} ? R(0) : R(1) / std::abs(v); });
  });
}

template <Scalar T>
void RefinedSolver<T>::prepare(Op op, Index nrhs) {
  together([&] { make_room(op, nrhs); });
}

template <Scalar T>
Refined RefinedSolver<T>::solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options,
                                void* stream) {
  return together([&] {
    transport::collectively(a_.comm(),
                            [&] { require_apart<T>(b, x, a_.local_rows(), solver_.reaches_device()); });
    make_room(op, b.cols);
    return refine({op, b, x, stream}, options);
  });
}

template <Scalar T>
BackwardError RefinedSolver<T>::backward_error(Op op, Vectors<const T> b, Vectors<const T> x) {
  return together([&] {
    make_room(op, b.cols);
    Buffer<T> room_of_b, room_of_x;
    const Vectors<const T> b_here = on_host(b, room_of_b), x_here = on_host(x, room_of_x);
    error_ = residuals_.measure(op, b_here, x_here);
    measured_by_ = nullptr;
    return summary(residuals_.normwise(op, b_here, x_here));
  });
}

#define INSTANTIATE(T) template class RefinedSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
