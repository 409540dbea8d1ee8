// trisweep._core: a class for each scalar type over trisweep::Solver, on this process alone.
// trisweep/solver.py gives it arrays of the right type, shape and order; of them nothing is copied but the
// matrix. What lies in a device's memory comes by DLPack.

#include <fmt/format.h>
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "_core/mpi.hpp"
#include "trisweep/backend/memory.hpp"
#include "trisweep/core/clock.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/observer.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/numeric/blas_threads.hpp"
#include "trisweep/solve/solver.hpp"

namespace trisweep::python {
namespace {

namespace nb = nanobind;

template <class T>
using List = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
// A vector, or a matrix of contiguous columns.
template <class T>
using Columns = nb::ndarray<T, nb::device::cpu>;

template <class T>
std::vector<T> copy(const List<T>& list) {
  return {list.data(), list.data() + list.size()};
}

template <Scalar T>
matrix::Csr<T> square(const List<Offset>& row_ptr, const List<Index>& col, const List<T>& value) {
  const auto rows = static_cast<Index>(row_ptr.size() - 1);
  return {.pattern = {.rows = rows, .cols = rows, .row_ptr = copy(row_ptr), .col = copy(col)},
          .value = copy(value)};
}

template <class T>
Vectors<T> view(const Columns<T>& array) {
  const auto rows = static_cast<Index>(array.shape(0));
  if (array.ndim() == 1 || array.shape(1) == 1) return {array.data(), rows, 1};
  return {array.data(), rows, static_cast<Index>(array.shape(1)), array.stride(1)};
}

// How DLPack names the memory that a device computes in.
int memory_kind(engine::Device device) {
  switch (device) {
    case engine::Device::cuda:
      return nb::device::cuda::value;
    case engine::Device::hip:
      return nb::device::rocm::value;
    default:
      return nb::device::cpu::value;
  }
}

// Any array, in any memory.
using AnyArray = nb::ndarray<nb::ro>;

// Throws unless it is `rows` rows of T whose columns are contiguous.
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

nb::dict as_dict(const solve::FactorReport& f) {
  nb::dict result;
  result["kind"] = f.kind.c_str();
  result["nonzeros_l"] = f.nonzeros_l;
  result["nonzeros_u"] = f.nonzeros_u;
  result["bytes"] = f.bytes;
  result["supernodes"] = f.supernodes;
  result["analysis_seconds"] = f.analysis_seconds;
  result["seconds"] = f.seconds;
  result["perturbed_pivots"] = f.perturbed_pivots;
  result["delayed_pivots"] = f.delayed_pivots;
  result["second_try"] = f.second_try;
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
  result["condition_estimate"] = answer.condition.condition_estimate;
  result["singular"] = answer.singular;
  result["ill_conditioned"] = answer.ill_conditioned;
  result["solved"] = answer.solved();
  result["solved_columns"] = solved_columns;
  result["small_equations"] = answer.small.equations;
  result["small_size"] = answer.small.size;
  result["seconds"] = answer.seconds;
  return result;
}

// What is to be said against an answer; empty: nothing.
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
  return fmt::format("{} of {} solutions do not satisfy their equations: backward error {:.1e}", unsolved,
                     answer.columns.size(), answer.error.arioli_demmel_duff);
}

// Ends work when the interpreter has a signal to handle, such as Ctrl-C: only the main thread handles any.
class Signals final : public Observer {
 public:
  // Work of the calling thread, without the interpreter's lock.
  template <class Work>
  void heed(const Work& work) {
    caller_ = std::this_thread::get_id();
    raised_ = false;
    try {
      const nb::gil_scoped_release others_run;
      const numeric::OneBlasThread one_blas_thread;
      work();
    } catch (...) {
      if (raised_) throw nb::python_error();
      throw;
    }
  }

  void progress(std::string_view /*stage*/, double /*fraction*/) override { poll(); }
  void poll() override {
    const auto now = Clock::now();
    if (!raised_ && std::this_thread::get_id() == caller_ && now - last_ > std::chrono::milliseconds(50)) {
      last_ = now;
      const nb::gil_scoped_acquire mine;
      raised_ = PyErr_CheckSignals() != 0;
    }
    if (raised_)
      throw Error(ErrorKind::environment, "a signal has ended the work of this solver", "make another one");
  }

 private:
  std::thread::id caller_;
  Clock::time_point last_{};          // of the caller
  std::atomic<bool> raised_ = false;  // the caller has an exception of Python's
};

// Of solver.py's _settings().
solve::SolverOptions options_of(const nb::dict& settings, Observer& observer) {
  const auto bit = [&](const char* name) { return nb::cast<bool>(settings[name]); };
  return {
      .ordering = ordering::find_method(nb::cast<std::string>(settings["ordering"])).method,
      .mixed = bit("mixed"),
      .compress = {.eps = nb::cast<double>(settings["compress_eps"]), .automatic = bit("compress_automatic")},
      .device = engine::find_device(nb::cast<std::string>(settings["device"])),
      .threads = nb::cast<int>(settings["threads"]),
      .deterministic = bit("deterministic"),
      .refinement = {.best = bit("best")},
      .observer = &observer};
}

// Calls take turns: a solver has one memory to work in.
template <Scalar T>
class OneProcess {
 public:
  OneProcess(const List<Offset>& row_ptr, const List<Index>& col, const List<T>& value,
             const nb::dict& settings) {
    require_mpi();
    const solve::SolverOptions options = options_of(settings, signals_);
    device_ = options.device;
    signals_.heed([&] {
      const auto turn = turn_at_mpi();
      solver_.emplace(MPI_COMM_SELF, BlockRows<T>{.a = square(row_ptr, col, value)}, options);
    });
    place_ = engine::place_of(device_);
  }
  ~OneProcess() {
    const nb::gil_scoped_release others_run;
    const auto turn = turn_at_mpi();
    solver_.reset();
  }
  OneProcess(const OneProcess&) = delete;
  OneProcess& operator=(const OneProcess&) = delete;

  // Returns what is to be said against x, which is there in any case; empty: nothing.
  std::string solve(const Columns<const T>& b, const Columns<T>& x, char op) {
    return solve(view<const T>(b), view(x), op);
  }

  // b is in the memory of the solver's device. Returns x, which is there, too, and the complaint.
  nb::tuple solve_there(const AnyArray& b, char op) {
    const Index rows = solver_->rows();
    if (b.device_type() != memory_kind(device_) || b.device_id() != place_)
      throw Error(ErrorKind::usage, "b is not in the memory of the solver's device",
                  "give it in the host's memory, or there");
    require_columns<T>(b, rows);
    const std::size_t cols = b.ndim() == 2 ? b.shape(1) : 1;
    using Memory = backend::DeviceArray<T>;
    auto x = std::make_unique<Memory>(device_, usize(rows) * cols);
    const Vectors<T> to{x->data(), rows, static_cast<Index>(cols), rows, MemorySpace::device};
    const Offset between = cols > 1 ? b.stride(1) : rows;
    std::string words;
    if (cols > 0) words = solve({static_cast<const T*>(b.data()), rows, to.cols, between, to.space}, to, op);
    const nb::capsule owner(x.get(), [](void* memory) noexcept { delete static_cast<Memory*>(memory); });
    static_cast<void>(x.release());
    const std::array<std::size_t, 2> shape{usize(rows), cols};
    const std::array<std::int64_t, 2> strides{1, rows};
    return nb::make_tuple(
        nb::ndarray<nb::array_api, T>(to.data, b.ndim(), shape.data(), owner, strides.data(), nb::dtype<T>(),
                                      b.device_type(), b.device_id()),
        words);
  }

  // The values are checked before anything changes.
  void refactor(const List<T>& values) {
    require_mpi();
    const std::unique_lock mine = turn_of_mine();
    signals_.heed([&] {
      const auto turn = turn_at_mpi();
      solver_->refactor({values.data(), values.size()});
    });
    answer_.reset();
  }

  // The fields of solver.py's ForwardError for a column of b and x.
  std::array<double, 3> forward_error(const Columns<const T>& b, const Columns<const T>& x, char op,
                                      Index column) {
    require_mpi();
    const std::unique_lock mine = turn_of_mine();
    if (!answer_)
      throw Error(ErrorKind::usage, "nothing was solved with these factors yet", "call solve() first");
    solve::Answer answer = *answer_;
    answer.worst = column;
    solve::ForwardError error;
    signals_.heed([&] {
      const auto turn = turn_at_mpi();
      error = solver_->forward_error(answer, view<const T>(b), view<const T>(x), static_cast<Op>(op));
    });
    return {error.solution_condition, error.bound, error.componentwise_bound};
  }

  nb::dict report() {
    nb::dict result;
    const auto [factor, answer] = [&] {
      const nb::gil_scoped_release others_run;
      const std::scoped_lock mine(mutex_);
      return std::pair(solver_->report().factor, answer_);
    }();
    result["factor"] = as_dict(factor);
    if (answer) result["solve"] = as_dict<T>(*answer);
    return result;
  }

 private:
  std::string solve(Vectors<const T> b, Vectors<T> x, char op) {
    require_mpi();
    const std::unique_lock mine = turn_of_mine();
    signals_.heed([&] {
      const auto turn = turn_at_mpi();
      answer_ = solver_->solve(b, x, static_cast<Op>(op));
    });
    return complaint<T>(*answer_);
  }

  // Waits while the interpreter goes on.
  std::unique_lock<std::mutex> turn_of_mine() {
    const nb::gil_scoped_release others_run;
    return std::unique_lock(mutex_);
  }

  std::mutex mutex_;
  Signals signals_;
  engine::Device device_ = engine::Device::native;
  int place_ = 0;  // of the solver's device among those of its kind
  std::optional<Solver<T>> solver_;
  std::optional<solve::Answer> answer_;  // the last
};

PyObject* exception_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return PyExc_ValueError;
    case ErrorKind::environment:
      return PyExc_RuntimeError;
    case ErrorKind::numerical:
      break;
  }
  return nb::module_::import_("trisweep.errors").attr("NumericalError").ptr();
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& e) {
    PyErr_SetString(exception_for(e.kind()), e.what());
  }
}

// As solvers[dtype].
template <Scalar T>
void add_solver(nb::module_& module, nb::dict& solvers, const char* dtype) {
  solvers[dtype] =
      nb::class_<OneProcess<T>>(module, dtype)
          .def(nb::init<const List<Offset>&, const List<Index>&, const List<T>&, const nb::dict&>())
          .def("solve",
               nb::overload_cast<const Columns<const T>&, const Columns<T>&, char>(&OneProcess<T>::solve))
          .def("solve_there", &OneProcess<T>::solve_there)
          .def("refactor", &OneProcess<T>::refactor)
          .def("forward_error", &OneProcess<T>::forward_error)
          .def("report", &OneProcess<T>::report);
}

}  // namespace
}  // namespace trisweep::python

NB_MODULE(_core, module) {
  using namespace trisweep::python;
  nanobind::register_exception_translator(translate);
  nanobind::dict solvers;
  add_solver<float>(module, solvers, "float32");
  add_solver<double>(module, solvers, "float64");
  add_solver<std::complex<float>>(module, solvers, "complex64");
  add_solver<std::complex<double>>(module, solvers, "complex128");
  module.attr("solvers") = solvers;
  module.attr("most_threads") = trisweep::most_threads;
  module.def("device_name", [](const std::string& name) {
    return std::string(trisweep::engine::name_of(trisweep::engine::find_device(name)));
  });
}
