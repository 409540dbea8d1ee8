#pragma once
// A rank's part of an analysis and of a solver, as solver.py uses them. That passes arrays of the right type,
// shape and layout; only the matrix is copied. Arrays in a device's memory are passed by DLPack.

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "_core/arrays.hpp"
#include "_core/mpi.hpp"
#include "_core/signals.hpp"
#include "_core/turns.hpp"
#include "factorization.hpp"
#include "trisweep/backend/memory.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/solve/analyzed_system.hpp"
#include "trisweep/solve/given_factors.hpp"
#include "trisweep/solve/lu_source.hpp"
#include "trisweep/storage/factor_file.hpp"

namespace trisweep::python {

// DLPack's code for the memory that a device computes in.
inline int memory_kind(engine::Device device) {
  switch (device) {
    case engine::Device::cuda:
      return nb::device::cuda::value;
    case engine::Device::hip:
      return nb::device::rocm::value;
    default:
      return nb::device::cpu::value;
  }
}

// An array of any type, in host or device memory.
using AnyArray = nb::ndarray<nb::ro>;

// Throws unless b has `rows` rows of type T and contiguous columns.
template <Scalar T>
void require_columns(const AnyArray& b, Index rows) {
  if (b.dtype() != nb::dtype<T>()) throw nb::type_error("b is not of the solver's dtype");
  if (b.ndim() < 1 || b.ndim() > 2 || b.shape(0) != usize(rows))
    throw Error(ErrorKind::usage, fmt::format("{} rows are needed, as a vector or a matrix", rows));
  const bool is_matrix = b.ndim() == 2 && b.shape(1) > 1;
  if ((rows > 1 && b.stride(0) != 1) || (is_matrix && b.stride(1) < rows))
    throw Error(ErrorKind::usage, "the entries of a column of b do not follow each other",
                "give a matrix in Fortran order");
}

inline nb::dict as_dict(const solve::FactorReport& f) {
  nb::dict result;
  result["factorization"] = f.factorization.c_str();
  result["kind"] = f.kind.c_str();
  result["nonzeros_l"] = f.nonzeros_l;
  result["nonzeros_u"] = f.nonzeros_u;
  result["bytes"] = f.bytes;
  result["supernodes"] = f.supernodes;
  result["analysis_seconds"] = f.analysis_seconds;
  result["seconds"] = f.seconds;
  result["perturbed_pivots"] = f.perturbed_pivots;
  result["delayed_pivots"] = f.delayed_pivots;
  result["low_precision"] = f.low_precision;
  result["second_try"] = f.second_try;
  result["block_stages"] = f.block_stages;
  result["nonzeros_off_diagonal"] = f.nonzeros_off_diagonal;
  result["inertia"] = nb::none();
  result["determinant"] = nb::none();
  if (f.pivots) {
    if (f.pivots->has_signs)
      result["inertia"] = nb::make_tuple(f.pivots->positive, f.pivots->negative, f.pivots->zero);
    result["determinant"] =
        nb::make_tuple(f.pivots->phase.real(), f.pivots->phase.imag(), f.pivots->log_modulus);
  }
  return result;
}

template <Scalar T>
nb::dict as_dict(const solve::Answer& answer) {
  nb::dict result;
  nb::list solved_columns;
  for (const solve::ColumnError& error : answer.columns)
    solved_columns.append(answer.is_regular() && solve::satisfies<T>(error));
  result["componentwise_backward_error"] = answer.error.componentwise;
  result["arioli_demmel_duff_backward_error"] = answer.error.arioli_demmel_duff;
  result["backward_error"] = answer.error.normwise;
  result["refinement_steps"] = answer.refinement_steps;
  const double condition = answer.condition.condition_estimate;
  result["condition_estimate"] = std::isnan(condition) ? nb::none() : nb::cast(condition);
  result["singular"] = answer.singular;
  result["ill_conditioned"] = answer.ill_conditioned;
  result["solved"] = answer.solved();
  result["solved_columns"] = solved_columns;
  result["small_equations"] = answer.small.equations;
  result["small_size"] = answer.small.size;
  result["seconds"] = answer.seconds;
  result["panel_share"] = answer.panel_share;
  result["of_sample"] = answer.of_sample;
  return result;
}

// Why an answer is not accepted, in words; empty if it is accepted.
template <Scalar T>
std::string complaint(const solve::Answer& answer) {
  if (answer.solved()) return "";
  if (!answer.is_regular()) {
    return fmt::format("the matrix is singular to working precision: its condition number is about {:.1e}{}",
                       answer.condition.condition_estimate,
                       answer.satisfies ? ", and x one of many solutions" : "");
  }
  const auto unsolved = std::ranges::count_if(
      answer.columns, [](const solve::ColumnError& error) { return !solve::satisfies<T>(error); });
  using Limits = std::numeric_limits<RealOf<T>>;
  const bool any_digit = answer.error.arioli_demmel_duff < 0.5;
  return fmt::format(
      "{} of {} solutions do not satisfy their equations: backward error {:.1e}{}", unsolved,
      answer.columns.size(), answer.error.arioli_demmel_duff,
      any_digit ? ""
                : fmt::format(", as where b or x is out of {:.1e} to {:.1e}", Limits::min(), Limits::max()));
}

// A warning about an accepted answer of an ill-conditioned matrix.
inline std::string caution(const solve::Answer& answer) {
  return fmt::format(
      "x satisfies its equations, but the condition number of the matrix is about {:.1e}: a change of the "
      "data in the last digit may change every digit of x",
      answer.condition.condition_estimate);
}

// The options from the dictionary that settings_of() in options.py makes.
inline solve::SolverOptions options_of(const nb::dict& settings, Observer& observer) {
  const auto bit = [&](const char* name) { return nb::cast<bool>(settings[name]); };
  return {
      .ordering = ordering::find_method(nb::cast<std::string>(settings["ordering"])).method,
      .kind = numeric::find_kind_choice(nb::cast<std::string>(settings["kind"])),
      .factorization = cli::find_factorization(nb::cast<std::string>(settings["factorization"])),
      .mixed = bit("mixed"),
      .compress = {.eps = nb::cast<double>(settings["compress_eps"]), .automatic = bit("compress_automatic")},
      .device = engine::find_device(nb::cast<std::string>(settings["device"])),
      .threads = nb::cast<int>(settings["threads"]),
      .deterministic = bit("deterministic"),
      .refinement = {.best = bit("best")},
      .block_triangular = solve::find_block_triangular(nb::cast<std::string>(settings["block_triangular"])),
      .observer = &observer};
}

// An analysis from which any threads can make solvers.
template <Scalar T>
class RankAnalysis {
 public:
  // Collective, like RankSolver's constructors.
  RankAnalysis(const Rows<T>& rows, std::optional<int> comm, const nb::dict& settings) {
    require_mpi();
    Signals signals;
    const solve::SolverOptions options = options_of(settings, signals);
    signals.heed([&] {
      const MpiTurn turn;
      system_.emplace(Parent(comm).get(), block_rows(rows), options);
    });
  }
  const AnalyzedSystem<T>* operator->() const { return &*system_; }

 private:
  std::optional<AnalyzedSystem<T>> system_;
};

// A rank's part of a solver. Calls take turns.
template <Scalar T>
class RankSolver {
 public:
  // Collective over `comm`, a communicator's Fortran handle; nothing: this process alone.
  RankSolver(const Rows<T>& rows, std::optional<int> comm, const nb::dict& settings) {
    make(settings, [&](const solve::SolverOptions& options) {
      solver_.emplace(Parent(comm).get(), block_rows(rows), options);
    });
  }
  // From an analysis that the same ranks have made with the same settings.
  RankSolver(const RankAnalysis<T>& analysis, const List<T>& values, std::optional<int> comm,
             const nb::dict& settings) {
    make(settings, [&](const solve::SolverOptions& options) {
      solver_.emplace(analysis->factorize(Parent(comm).get(), {values.data(), values.size()}, options));
    });
  }
  // With the factors that were saved in a folder.
  RankSolver(const Rows<T>& rows, std::optional<int> comm, const nb::dict& settings,
             const std::string& folder) {
    make(settings, [&](const solve::SolverOptions& options) {
      const Parent parent(comm);
      auto factors = storage::load_factors<T>(mpi::Communicator(parent.get()), folder);
      solver_.emplace(parent.get(), block_rows(rows), options, std::move(factors));
    });
  }
  // With another library's factors, which rank 0 passes; other ranks pass empty lists.
  RankSolver(const Rows<T>& rows, std::optional<int> comm, const nb::dict& settings, const Lu<T>& factors) {
    make(settings, [&](const solve::SolverOptions& options) {
      const auto& [l_transposed, u, row_new, col_new, row_scale, col_scale] = factors;
      solver_.emplace(Parent(comm).get(), block_rows(rows), options,
                      FactorSources<T>{.in_full = lu_source<T>({.l_transposed = block_rows(l_transposed).a,
                                                                .u = block_rows(u).a,
                                                                .row_new = copy(row_new),
                                                                .col_new = copy(col_new),
                                                                .row_scale = copy(row_scale),
                                                                .col_scale = copy(col_scale)})});
    });
  }
  // Local: the garbage collectors of the ranks destroy solvers in different orders.
  ~RankSolver() {
    free_in_turn([&] {
      if (solver_ && solver_->partition().begin.size() > 2) solver_->destroy_locally();
      solver_.reset();
    });
  }
  RankSolver(const RankSolver&) = delete;
  RankSolver& operator=(const RankSolver&) = delete;

  // Collective.
  void close() {
    const auto mine = turns_.take();
    const nb::gil_scoped_release others_run;
    const MpiTurn turn;
    solver_.reset();
  }
  bool is_closed() const { return !solver_; }

  // The matrix and its factors, to be saved immediately. Collective.
  solve::FactoredSystem<T> factored() {
    require_mpi();
    const auto mine = turns_.take();
    solve::FactoredSystem<T> result;
    signals_.heed([&] {
      const MpiTurn turn;
      result = solver().factored_system();
      result.factors.in_full ? result.factors.in_full->expect_last()
                             : result.factors.in_single->expect_last();
    });
    return result;
  }

  // L's columns and U's rows, each as indptr, indices, data; row_new, col_new, row_scale, col_scale; the
  // number of perturbed pivots.
  nb::tuple explicit_factors() {
    require_mpi();
    const auto mine = turns_.take();
    solve::ExplicitFactors<T> f;
    signals_.heed([&] {
      const MpiTurn turn;
      f = solver().explicit_factors();
    });
    return nb::make_tuple(as_arrays(f.l_transposed), as_arrays(f.u), as_array(f.row_new), as_array(f.col_new),
                          as_array(f.row_scale), as_array(f.col_scale), f.perturbed_pivots);
  }

  // Writes x in any case. Returns None, or if there is a doubt about x: (message, report, is x accepted).
  nb::object solve(const Columns<const T>& b, const Columns<T>& x, char op) {
    return answered([&](Solver<T>& s) { return s.solve(view<const T>(b), view(x), static_cast<Op>(op)); });
  }
  // The same for a b with few nonzero rows.
  nb::object solve_sparse(const Columns<const T>& b, const Columns<T>& x, char op) {
    return answered(
        [&](Solver<T>& s) { return s.solve_sparse(view<const T>(b), view(x), static_cast<Op>(op)); });
  }
  // The same for some rows of x; b: indptr, indices, data of its columns.
  nb::object solve_rows(const std::tuple<List<Offset>, List<Index>, List<T>>& b, const List<Index>& rows,
                        const Columns<T>& x, char op) {
    const auto list = [](const auto& array) { return std::span(array.data(), array.size()); };
    const auto& [ptr, row, value] = b;
    const solve::SparseColumns<T> columns{list(ptr), list(row), list(value)};
    return answered(
        [&](Solver<T>& s) { return s.solve_rows(columns, list(rows), view(x), static_cast<Op>(op)); });
  }

  // Solves with b in the memory of the solver's device. Returns x, which is there as well, and what solve()
  // returns.
  nb::tuple solve_there(const AnyArray& b, char op) {
    const Index rows = solver().rows();
    if (b.device_type() != memory_kind(device_) || b.device_id() != place_)
      throw Error(ErrorKind::usage, "b is not in the memory of the solver's device",
                  "give it in the host's memory, or there");
    require_columns<T>(b, rows);
    const std::size_t cols = b.ndim() == 2 ? b.shape(1) : 1;
    using Memory = backend::DeviceArray<T>;
    auto x = std::make_unique<Memory>(device_, usize(rows) * cols);
    const Vectors<T> to{x->data(), rows, static_cast<Index>(cols), rows, MemorySpace::device};
    const Offset between = cols > 1 ? b.stride(1) : rows;
    nb::object doubt = nb::none();
    const Vectors<const T> from{static_cast<const T*>(b.data()), rows, to.cols, between, to.space};
    // Without columns, a single rank skips the call; of several ranks each makes it, since others would wait.
    if (cols > 0 || solver().partition().begin.size() > 2)
      doubt = answered([&](Solver<T>& s) { return s.solve(from, to, static_cast<Op>(op)); });
    const nb::capsule owner(x.get(), [](void* memory) noexcept { delete static_cast<Memory*>(memory); });
    static_cast<void>(x.release());
    const std::array<std::size_t, 2> shape{usize(rows), cols};
    const std::array<std::int64_t, 2> strides{1, rows};
    return nb::make_tuple(
        nb::ndarray<nb::array_api, T>(to.data, b.ndim(), shape.data(), owner, strides.data(), nb::dtype<T>(),
                                      b.device_type(), b.device_id()),
        doubt);
  }

  // If the values are not valid, the solver is unchanged.
  void refactor(const List<T>& values) {
    renew([&] { solver().refactor({values.data(), values.size()}); });
  }
  // Factors as a new solver of this analysis, from which this solver was made, would.
  void refactor_as(const RankAnalysis<T>& analysis, const List<T>& values) {
    renew([&] { analysis->factorize_into(solver(), {values.data(), values.size()}); });
  }

  // The fields of solver.py's ForwardError for a column of b and x.
  std::array<double, 3> forward_error(const Columns<const T>& b, const Columns<const T>& x, char op,
                                      Index column) {
    require_mpi();
    const auto mine = turns_.take();
    if (!answer_)
      throw Error(ErrorKind::usage, "nothing was solved with these factors yet", "call solve() first");
    solve::Answer answer = *answer_;
    answer.worst = column;
    solve::ForwardError error;
    signals_.heed([&] {
      const MpiTurn turn;
      error = solver().forward_error(answer, view<const T>(b), view<const T>(x), static_cast<Op>(op));
    });
    return {error.solution_condition, error.bound, error.componentwise_bound};
  }

  double condition_estimate() {
    require_mpi();
    const auto mine = turns_.take();
    double result = 0;
    signals_.heed([&] {
      const MpiTurn turn;
      result = solver().condition_estimate();
    });
    return result;
  }

  nb::dict report() {
    const auto mine = turns_.take();
    return report_in_turn();
  }

 private:
  template <class Make>
  void make(const nb::dict& settings, const Make& make_solver) {
    require_mpi();
    const solve::SolverOptions options = options_of(settings, signals_);
    device_ = options.device;
    signals_.heed([&] {
      const MpiTurn turn;
      make_solver(options);
    });
    place_ = engine::place_of(device_);
  }

  template <class Factor>
  void renew(const Factor& factor) {
    require_mpi();
    const auto mine = turns_.take();
    signals_.heed([&] {
      const MpiTurn turn;
      factor();
    });
    answer_.reset();
  }

  Solver<T>& solver() {
    if (!solver_) throw Error(ErrorKind::usage, "the solver is closed", "make another one");
    return *solver_;
  }

  nb::dict report_in_turn() {
    nb::dict result;
    result["factor"] = as_dict(solver().report().factor);
    result["threads"] = solver().report().threads;
    if (answer_) result["solve"] = as_dict<T>(*answer_);
    return result;
  }

  // Answer and report are made in the same turn, so that they belong together.
  template <class Solve>
  nb::object answered(const Solve& work) {
    require_mpi();
    const auto mine = turns_.take();
    signals_.heed([&] {
      const MpiTurn turn;
      answer_ = work(solver());
    });
    std::string words = complaint<T>(*answer_);
    if (words.empty() && answer_->ill_conditioned) words = caution(*answer_);
    if (words.empty()) return nb::none();
    return nb::make_tuple(words, report_in_turn(), answer_->solved());
  }

  Turns turns_;
  Signals signals_;
  engine::Device device_ = engine::Device::native;
  int place_ = 0;  // of the solver's device among those of its kind
  std::optional<Solver<T>> solver_;
  std::optional<solve::Answer> answer_;  // of the last solve with these factors
};

}  // namespace trisweep::python
