// trisweep._core: a class for each scalar type over trisweep::Solver, on this process alone.
// trisweep/solver.py gives it arrays of the right type, shape and order; of them nothing is copied but the
// matrix.

#include <fmt/format.h>
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "_core/mpi.hpp"
#include "trisweep/core/error.hpp"
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

nb::dict as_dict(const solve::Answer& answer) {
  nb::dict result;
  result["componentwise_backward_error"] = answer.error.componentwise;
  result["arioli_demmel_duff_backward_error"] = answer.error.arioli_demmel_duff;
  result["backward_error"] = answer.error.normwise;
  result["refinement_steps"] = answer.refinement_steps;
  result["condition_estimate"] = answer.regularity.condition_estimate;
  result["singular"] = answer.singular;
  result["doubtful"] = answer.doubtful;
  result["solved"] = answer.solved();
  result["seconds"] = answer.seconds;
  return result;
}

std::string complaint(const solve::Answer& answer) {
  if (answer.singular) {
    return fmt::format("the matrix is singular to working precision: its condition number is about {:.1e}",
                       answer.regularity.condition_estimate);
  }
  return fmt::format("{}: componentwise backward error {:.1e}",
                     answer.satisfies
                         ? "some unknowns are so small beside others that no digit of them is known"
                         : "no solution was found that satisfies its equations",
                     answer.error.componentwise);
}

// Calls take turns: a solver has one memory to work in.
template <Scalar T>
class OneProcess {
 public:
  OneProcess(const List<Offset>& row_ptr, const List<Index>& col, const List<T>& value, int threads) {
    require_mpi();
    const nb::gil_scoped_release others_run;
    const auto turn = turn_at_mpi();
    solver_.emplace(MPI_COMM_SELF, BlockRows<T>{.a = square(row_ptr, col, value)},
                    solve::Options{.threads = threads});
  }
  ~OneProcess() {
    const nb::gil_scoped_release others_run;
    const auto turn = turn_at_mpi();
    solver_.reset();
  }
  OneProcess(const OneProcess&) = delete;
  OneProcess& operator=(const OneProcess&) = delete;

  void solve(const Columns<const T>& b, const Columns<T>& x, char op) {
    require_mpi();
    const nb::gil_scoped_release others_run;
    const std::scoped_lock mine(mutex_);
    const auto turn = turn_at_mpi();
    answer_ = solver_->solve(view(b), view(x), static_cast<Op>(op));
    if (!answer_->solved()) throw Error(ErrorKind::numerical, complaint(*answer_));
  }

  nb::dict report() {
    nb::dict result;
    const auto [factor, answer] = [&] {
      const nb::gil_scoped_release others_run;
      const std::scoped_lock mine(mutex_);
      return std::pair(solver_->report().factor, answer_);
    }();
    result["factor"] = as_dict(factor);
    if (answer) result["solve"] = as_dict(*answer);
    return result;
  }

 private:
  std::mutex mutex_;
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
  solvers[dtype] = nb::class_<OneProcess<T>>(module, dtype)
                       .def(nb::init<const List<Offset>&, const List<Index>&, const List<T>&, int>())
                       .def("solve", &OneProcess<T>::solve)
                       .def("report", &OneProcess<T>::report);
}

}  // namespace
}  // namespace trisweep::python

NB_MODULE(_core, module) {
  using namespace trisweep::python;
  trisweep::numeric::use_one_blas_thread();
  nanobind::register_exception_translator(translate);
  nanobind::dict solvers;
  add_solver<float>(module, solvers, "float32");
  add_solver<double>(module, solvers, "float64");
  add_solver<std::complex<float>>(module, solvers, "complex64");
  add_solver<std::complex<double>>(module, solvers, "complex128");
  module.attr("solvers") = solvers;
}
