#include "trisweep/solve/refinement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trisweep/core/clock.hpp"
#include "trisweep/krylov/bundle.hpp"
#include "trisweep/krylov/inner_products.hpp"

namespace trisweep::solve {
namespace {

// Steps of a GMRES correction. Factors that can be replaced by better ones are used for a few sweeps only: if
// a solve takes more, refactoring is cheaper, since all later solves profit.
constexpr int gmres_steps = 60, gmres_steps_of_replaceable = 10;

// Bytes of the work vectors of a group of right-hand sides (larger groups make sweeps faster); and of each of
// the four row-major vectors of a part that is corrected together, which should stay in the cache.
constexpr double bytes_of_group = 48 << 20, bytes_of_part = 8 << 20;

template <Scalar T>
constexpr Index bundle = kernels::line_rows<T>;

// Returns how many of `nrhs` vectors of `rows` rows fit into `bytes`, in whole bundles, at least one.
template <Scalar T>
Index columns_that_fit(double bytes, Index rows, Index nrhs) {
  const double bundles = bytes / (double(rows) * double(bundle<T>) * sizeof(T));
  return std::min(nrhs,
                  bundle<T> * static_cast<Index>(std::clamp(bundles, 1.0, double(nrhs) / bundle<T> + 1)));
}

// Leading dimension of rows of this many columns: whole cache lines, so that rows are aligned to them.
template <Scalar T>
Index row_width(Index columns) {
  return columns == 1 ? 1 : krylov::whole_lines<T>(columns);
}

// Maximum over ranks, so that all ranks have the same groups.
Index most_rows(const distribution::RowPartition& partition) {
  Index most = 1;
  for (std::size_t r = 1; r < partition.begin.size(); ++r)
    most = std::max(most, partition.begin[r] - partition.begin[r - 1]);
  return most;
}

template <Scalar T>
const T& entry(const Vectors<const T>& v, Index i, Index c) {
  return v.column(c)[i];
}
template <Scalar T>
const T& entry(const VectorRows<const T>& v, Index i, Index c) {
  return v.row(usize(i))[c];
}

// Rows in which any right-hand side has a nonzero.
template <Scalar T, template <class> class Layout>
std::vector<Index> nonzero_rows(const Layout<const T>& b) {
  std::vector<Index> rows;
  for (Index i = 0; i < b.rows; ++i) {
    Index c = 0;
    while (c < b.cols && entry<T>(b, i, c) == T{}) ++c;
    if (c < b.cols) rows.push_back(i);
  }
  return rows;
}

}  // namespace

template <Scalar T>
template <class Work>
auto RefinedSolver<T>::revoke_on_error(const Work& work) {
  return mpi::revoke_on_error(a_.comm(), [&] { return mpi::revoke_on_error(solver_.comm(), work); });
}

template <Scalar T>
Index RefinedSolver<T>::group(Index nrhs) const {
  if (on_device_) return nrhs;
  return columns_that_fit<T>(bytes_of_group, most_rows(a_.partition()), nrhs);
}

template <Scalar T>
Index RefinedSolver<T>::part(Index nrhs) const {
  return columns_that_fit<T>(bytes_of_part, most_rows(a_.partition()), nrhs);
}

template <Scalar T>
bool RefinedSolver<T>::has_room(Op op, Index nrhs) const {
  const auto found = room_.find(op);
  return found != room_.end() && found->second >= nrhs;
}

template <Scalar T>
void RefinedSolver<T>::agree(const Call& call, Vectors<const T> b, Vectors<const T> x, bool writes) {
  const auto check = [&] {
    (writes ? require_apart<T> : require_fit<T>)(b, x, a_.local_rows(), solver_.reaches_device());
  };
  const bool lacks_room = agree_on_call(a_.comm(), call, check, !has_room(call.op, call.nrhs));
  if (lacks_room) make_room(call.op, call.nrhs);
}

template <Scalar T>
void RefinedSolver<T>::make_room(Op op, Index nrhs) {
  const Index at_once = group(nrhs);
  solver_.prepare(op, at_once);
  const Index corrected = part(at_once);
  const bool stays = op == Op::none && a_.comm().size() == 1;  // products use row-major vectors in place
  const Index columns = krylov::bundle_width<T>(at_once);
  a_.prepare(op, stays ? columns : std::max(columns, row_width<T>(corrected)));
  residuals_.prepare(op, at_once);
  if (on_device_) on_device_->prepare(op, at_once);
  const std::size_t size = usize(a_.local_rows()) * usize(row_width<T>(corrected));
  mpi::agree_on_error(a_.comm(), [&] {
    std::vector<Buffer<T>*> grown{&corrected_, &residual_};
    if (corrected > 1 && !on_device_) grown.insert(grown.end(), {&b_in_rows_, &x_in_rows_});
    for (Buffer<T>* buffer : grown)
      if (buffer->size() < size) *buffer = zeros<T>(size, "the vectors of refinement");
    room_[op] = std::max(room_[op], nrhs);
  });
}

template <Scalar T>
CorrectionStep RefinedSolver<T>::step_here(const System& system, const RefinementLimits& limits,
                                           const Correction& correction) {
  const Vectors<T> x = system.x;
  const Vectors<T> candidate{corrected_.data(), x.rows, x.cols};
  const auto sum = [](Index, const T& before, const T& d) { return before + d; };
  const auto same = [](Index, const T& after) { return after; };
  return {.correct =
              [=, this, &correction] {
                correction(system.r, candidate);
                krylov::assign(solver_.pool(), krylov::columns_of(x), candidate, sum, x, candidate);
                return residuals_.measure(system.op, system.b, candidate, system.r, limits.acceptable);
              },
          .take =
              [=, this](std::span<const Index> columns) {
                krylov::assign(solver_.pool(), columns, x, same, candidate);
              },
          .measure =
              [=, this] {
                residuals_.measure(system.op, system.b, x, system.r, std::numeric_limits<double>::infinity());
              }};
}

template <Scalar T>
void RefinedSolver<T>::correct_by_factors(const SystemInRows& system, const RefinementLimits& limits,
                                          CorrectedColumns& columns) {
  const auto& [op, b, x, r, before] = system;
  const auto for_each_part = [&](const auto& work) {
    solver_.pool().run(
        [&](int thread) { work(solver_.pool().part(thread, usize(x.rows), usize(bundle<T>))); });
  };
  const auto correct = [&] {
    for_each_part([&](ThreadPool::Part p) { krylov::copy_rows<T>(x, p, before.row(p.begin), before.ld); });
    solver_.solve(op, {.rows = {.b = r, .x = x, .adds = true}});
    return residuals_.measure(op, b, x, r, limits.acceptable);
  };
  const auto take = [&](std::span<const Index> taken) {
    if (std::ssize(taken) == x.cols) return;
    for_each_part([&](ThreadPool::Part p) {
      for (std::size_t i = p.begin; i < p.end; ++i) {
        auto next = taken.begin();
        for (Index c = 0; c < x.cols; ++c) {
          if (next != taken.end() && *next == c)
            ++next;
          else
            x.row(i)[c] = before.row(i)[c];
        }
      }
    });
  };
  const auto measure = [&] { residuals_.measure(op, b, x, r, std::numeric_limits<double>::infinity()); };
  columns.correct_by_factors(
      {std::ref(correct), std::ref(take), std::ref(measure)},  // references allocate nothing
      limits);
}

template <Scalar T>
void RefinedSolver<T>::correct_otherwise(const System& system, const RefinementLimits& limits,
                                         CorrectedColumns& columns) {
  if (columns.are_done(limits)) return;
  const auto& [op, b, x, of_x, stream] = system;
  Buffer<R> measures;
  const Correction by_gmres = [&](Vectors<T> r, Vectors<T> d) {
    std::vector<Index> wanted;
    for (const Index c : krylov::columns_of(r)) {
      if (columns.errors()[usize(c)].arioli_demmel_duff > limits.acceptable) wanted.push_back(c);
    }
    mpi::agree_on_error(a_.comm(), [&] {
      if (measures.size() == 0)
        measures = Buffer<R>(usize(r.rows) * usize(r.cols), "the measures of residuals");
    });
    const Vectors<R> measure{measures.data(), r.rows, r.cols};
    residuals_.magnitudes(op, b, x, measure);
    const int steps = limits.replaceable ? gmres_steps_of_replaceable : gmres_steps;
    corrections_.by_gmres(op, steps, wanted, measure, r, d);
  };
  columns.correct_by_gmres(step_here(system, limits, by_gmres), limits);
  for (const bool zero_the_undetermined : {false, true}) {
    if (columns.are_done(limits)) return;
    const Correction small_ones = [&](Vectors<T> r, Vectors<T> d) {
      corrections_.by_factors_repeatedly(op, {b, x}, r, d, zero_the_undetermined);
    };
    columns.improve(step_here(system, limits, small_ones), componentwise, limits);
  }
}

template <Scalar T>
auto RefinedSolver<T>::in_rows(const System& system) -> SystemInRows {
  const Index n = system.b.rows, count = system.b.cols, ld = row_width<T>(count);
  const auto room = [&](Buffer<T>& buffer) { return VectorRows<T>{buffer.data(), n, count, ld}; };
  if (count == 1)
    return {system.op, {system.b.data, n, 1, 1}, {system.x.data, n, 1, 1}, room(residual_), room(corrected_)};
  const VectorRows<T> b = room(b_in_rows_);
  solver_.pool().run([&](int thread) {
    krylov::to_rows(system.b, solver_.pool().part(thread, usize(n), usize(bundle<T>)), ld, b.data);
  });
  return {system.op, b, room(x_in_rows_), room(residual_), room(corrected_)};
}

template <Scalar T>
void RefinedSolver<T>::bring_x(const System& system, const SystemInRows& rows, bool back) {
  if (rows.x.data == system.x.data) return;
  solver_.pool().run([&](int thread) {
    const ThreadPool::Part part = solver_.pool().part(thread, usize(rows.x.rows), usize(bundle<T>));
    if (back)
      krylov::from_rows<T>({rows.x.row(part.begin), 0, rows.x.cols, rows.x.ld}, part, system.x);
    else
      krylov::to_rows<T>(system.x, part, static_cast<Index>(rows.x.ld), rows.x.data);
  });
}

template <Scalar T>
auto RefinedSolver<T>::parts_to_correct(std::span<const ColumnError> errors,
                                        const RefinementLimits& limits) const -> std::vector<Part> {
  const Index most = part(static_cast<Index>(errors.size()));
  std::vector<Part> parts;
  for (Index c = 0; limits.steps > 0 && c < std::ssize(errors); ++c) {
    if (limits.accepts(errors[usize(c)])) continue;
    if (parts.empty() || c - parts.back().first >= most ||
        c - (parts.back().first + parts.back().count) >= bundle<T>)
      parts.push_back({c, 0});
    parts.back().count = c + 1 - parts.back().first;
  }
  return parts;
}

template <Scalar T>
template <class B>
double RefinedSolver<T>::solve_first(Op op, const B& b, const engine::CallersVectors<T>& vectors,
                                     bool prune) {
  if (!prune) {
    solver_.solve(op, vectors);
    return 1;
  }
  const auto rows = mpi::agree_on_error(a_.comm(), [&] { return nonzero_rows<T>(b); });
  solver_.solve(op, {.forward = solver_.reach_of_equations(op, rows), .backward = {}}, vectors);
  return solver_.pruned_share();
}

// Residuals of the first solution are stored if there are few columns, or if the previous solution had to be
// corrected; otherwise they are recomputed if needed, only for the columns concerned, which may round
// differently.
template <Scalar T>
auto RefinedSolver<T>::refine_here(const System& system, const RefinementOptions& options) -> Group {
  const auto limits = RefinementLimits::of<T>(options);
  const auto some = [&](const Part& p) {
    return System{system.op, system.b.columns(p.first, p.count), system.x.columns(p.first, p.count),
                  system.r.columns(0, p.count)};
  };
  const bool fits = part(system.b.cols) == system.b.cols;
  const bool follows = was_corrected_ && !solver_.options().deterministic;
  const bool keeps = fits && (system.b.cols <= bundle<T> || follows);
  SystemInRows whole;
  Group group;
  if (fits) {
    whole = in_rows(system);
    group.panel_share = solve_first(whole.op, whole.b, {.rows = {.b = whole.b, .x = whole.x}}, options.prune);
    group.errors =
        residuals_.measure(whole.op, whole.b, whole.x, keeps ? whole.r : VectorRows<T>(), limits.acceptable);
  } else {
    group.panel_share = solve_first(system.op, system.b, {.b = system.b, .x = system.x}, options.prune);
    group.errors = residuals_.measure(system.op, system.b, system.x, Vectors<T>(), limits.acceptable);
  }
  const auto parts = parts_to_correct(group.errors, limits);
  was_corrected_ = !parts.empty();
  std::vector<CorrectedColumns> corrected;
  corrected.reserve(parts.size());
  for (const Part& p : parts) {
    const auto first = group.errors.begin() + p.first;
    CorrectedColumns& columns = corrected.emplace_back(std::vector(first, first + p.count), keeps);
    const SystemInRows rows = fits ? whole.columns(p.first, p.count) : in_rows(some(p));
    if (!fits) bring_x(some(p), rows, false);
    correct_by_factors(rows, limits, columns);
    if (!fits) bring_x(some(p), rows, true);
  }
  if (fits) bring_x(system, whole, true);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CorrectedColumns& columns = corrected[i];
    columns.forget_residual();
    correct_otherwise(some(parts[i]), limits, columns);
    std::ranges::copy(columns.errors(), group.errors.begin() + parts[i].first);
    group.steps = std::max(group.steps, columns.steps());
  }
  return group;
}

template <Scalar T>
template <class V>
Vectors<V> RefinedSolver<T>::on_host(Vectors<V> v, Buffer<T>& room) {
  return mpi::agree_on_error(a_.comm(), [&]() -> Vectors<V> {
    if (v.space == MemorySpace::host) return v;
    room = zeros<T>(usize(v.rows) * usize(v.cols), "copies of a device's vectors");
    const Vectors<T> copy{room.data(), v.rows, v.cols};
    solver_.copy(copy, v);
    return copy;
  });
}

template <Scalar T>
auto RefinedSolver<T>::refine_on_device(const System& system, const RefinementLimits& limits) -> Group {
  CorrectedColumns columns = on_device_->solve(system.op, system.b, system.x, limits, system.stream);
  if (!columns.are_done(limits)) return take_over(system, columns.steps(), limits);
  return {columns.take_errors(), columns.steps()};
}

// Works in parts, for which buffers are allocated.
template <Scalar T>
auto RefinedSolver<T>::take_over(const System& system, int steps, const RefinementLimits& limits) -> Group {
  Buffer<T> room_of_b, room_of_x;
  const auto b = on_host(system.b, room_of_b);
  const Vectors<T> x = on_host(system.x, room_of_x);
  Group group{.errors = {}, .steps = steps};
  group.errors.reserve(usize(x.cols));
  const Index at_once = part(x.cols);
  for (Index first = 0; first < x.cols; first += at_once) {
    const Index count = std::min(at_once, x.cols - first);
    const System some{system.op, b.columns(first, count), x.columns(first, count),
                      system.r.columns(0, count)};
    CorrectedColumns columns(residuals_.measure(some.op, some.b, some.x, some.r, limits.acceptable), true,
                             steps);
    correct_otherwise(some, limits, columns);
    group.errors.insert(group.errors.end(), columns.errors().begin(), columns.errors().end());
    group.steps = std::max(group.steps, columns.steps());
  }
  if (system.x.space != MemorySpace::host) solver_.copy(system.x, x);
  return group;
}

// The rounding errors of a residual's terms are taken to add up like a random walk, not like the worst case.
template <Scalar T>
ForwardError RefinedSolver<T>::forward_error(Op op, Vectors<const T> b, Vectors<const T> x, Index terms,
                                             bool corrects) {
  return revoke_on_error([&] {
    agree({.name = "forward_error", .op = op, .nrhs = b.cols}, b, x, false);
    std::vector<R> magnitude, error, of_largest, of_each;
    Buffer<T> room_of_b, room_of_x;
    mpi::agree_on_error(a_.comm(), [&] {
      for (auto* v : {&magnitude, &error, &of_largest, &of_each}) v->resize(usize(a_.local_rows()));
    });
    const Vectors<const T> right = on_host(b, room_of_b), here = on_host(x, room_of_x);
    const Vectors<T> r{residual_.data(), a_.local_rows(), 1};
    const R rounding = static_cast<R>(std::sqrt(double(terms))) * std::numeric_limits<R>::epsilon();
    residuals_.magnitudes(op, right, here, magnitude);
    a_.residual(op, here, right, r, solver_.pool());
    const auto largest = krylov::max_norms<T>({a_.comm(), solver_.pool()}, here)[0];
    for (std::size_t i = 0; i < error.size(); ++i) {
      error[i] = std::abs(r.data[i]) + rounding * magnitude[i];
      of_largest[i] = largest > 0 ? static_cast<R>(1 / largest) : R(1);
      of_each[i] = here.data[i] == T{} ? R(0) : R(1) / std::abs(here.data[i]);
    }
    const Inverse<T> inverse =
        corrects ? corrected_inverse()
                 : [this](Op of, Vectors<const T> v, Vectors<T> y) { solver_.solve(of, v, y); };
    const auto condition = [&](std::span<const R> weight, std::span<const R> of) {
      return skeel_condition<T>(solver_, inverse, op, weight, of);
    };
    const auto beside_largest = [&](std::span<const R> of) {
      const double found = condition(of_largest, of);
      return largest > 0 || found == 0 ? found : std::numeric_limits<double>::infinity();
    };
    return ForwardError{.solution_condition = beside_largest(magnitude),
                        .bound = beside_largest(error),
                        .componentwise_bound = condition(of_each, error)};
  });
}

template <Scalar T>
double RefinedSolver<T>::estimate_condition(bool corrects) {
  return corrects ? solve::estimate_condition(solver_, corrected_inverse())
                  : solve::estimate_condition(solver_);
}

template <Scalar T>
Inverse<T> RefinedSolver<T>::corrected_inverse() {
  return [this, right = std::vector<T>()](Op op, Vectors<const T> b, Vectors<T> x) mutable {
    mpi::agree_on_error(a_.comm(), [&] { right.assign(b.data, b.data + b.rows); });
    solve(op, {right.data(), b.rows, 1}, x, {});
  };
}

template <Scalar T>
void RefinedSolver<T>::prepare(Op op, Index nrhs) {
  revoke_on_error([&] {
    agree_on_call(a_.comm(), {.name = "prepare", .op = op, .nrhs = nrhs});
    make_room(op, nrhs);
  });
}

template <Scalar T>
Refined RefinedSolver<T>::solve(Op op, Vectors<const T> b, Vectors<T> x, const RefinementOptions& options,
                                void* stream) {
  return revoke_on_error([&] {
    const auto start = Clock::now();
    const Offset reduced = reductions();
    agree({.name = "solve", .op = op, .nrhs = b.cols, .refinement = options}, b, x, true);
    Refined refined{.panel_share = 0};
    refined.columns.reserve(usize(b.cols));
    const Index at_once = group(b.cols);
    for (Index first = 0; first < b.cols; first += at_once) {
      const Index count = std::min(at_once, b.cols - first);
      const System system{op,
                          b.columns(first, count),
                          x.columns(first, count),
                          {residual_.data(), a_.local_rows(), count},
                          stream};
      const Group group = on_device_ ? refine_on_device(system, RefinementLimits::of<T>(options))
                                     : refine_here(system, options);
      refined.steps = std::max(refined.steps, group.steps);
      refined.panel_share += group.panel_share * double(count) / double(b.cols);
      refined.columns.insert(refined.columns.end(), group.errors.begin(), group.errors.end());
    }
    refined.error = largest(refined.columns);
    const auto worse = [](const ColumnError& e, const ColumnError& f) {
      return e.arioli_demmel_duff < f.arioli_demmel_duff;
    };
    refined.worst =
        static_cast<Index>(std::ranges::max_element(refined.columns, worse) - refined.columns.begin());
    if (!(refined.error.componentwise <= good_backward_error<T>)) {
      for (const ColumnError& e : refined.columns)
        refined.small = {refined.small.equations + e.small.equations,
                         std::max(refined.small.size, e.small.size),
                         krylov::larger(refined.small.residual, e.small.residual)};
      refined.small.equations = a_.comm().sum(refined.small.equations);
    }
    refined.reductions = reductions() - reduced;
    refined.seconds = seconds_since(start);
    return refined;
  });
}

template <Scalar T>
BackwardError RefinedSolver<T>::backward_error(Op op, Vectors<const T> b, Vectors<const T> x) {
  return revoke_on_error([&] {
    agree({.name = "backward_error", .op = op, .nrhs = b.cols}, b, x, false);
    std::vector<ColumnError> errors;
    errors.reserve(usize(b.cols));
    const Index at_once = group(b.cols);
    for (Index first = 0; first < b.cols; first += at_once) {
      const Index count = std::min(at_once, b.cols - first);
      Buffer<T> room_of_b, room_of_x;
      const auto found = residuals_.measure(op, on_host(b.columns(first, count), room_of_b),
                                            on_host(x.columns(first, count), room_of_x), Vectors<T>(), 0);
      errors.insert(errors.end(), found.begin(), found.end());
    }
    return largest(errors);
  });
}

#define INSTANTIATE(T) template class RefinedSolver<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
