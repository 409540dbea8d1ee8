// The module trisweep._core: for each scalar type, classes that wrap trisweep::AnalyzedSystem and
// trisweep::Solver, in one process or on several ranks; and functions.

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <complex>
#include <optional>
#include <string>

#include "_core/factored.hpp"
#include "_core/hmatrix.hpp"
#include "_core/krylov.hpp"
#include "_core/mpi.hpp"
#include "_core/rank_solver.hpp"
#include "_core/triangular.hpp"
#include "trisweep/core/error.hpp"
#include "trisweep/core/thread_pool.hpp"

namespace trisweep::python {
namespace {

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

// Adds the classes solvers[dtype] and analyses[dtype].
template <Scalar T>
void add_solver(nb::module_& module, nb::dict& solvers, nb::dict& analyses, const char* dtype) {
  analyses[dtype] = nb::class_<RankAnalysis<T>>(module, fmt::format("{}_analysis", dtype).c_str())
                        .def(nb::init<const Rows<T>&, std::optional<int>, const nb::dict&>());
  solvers[dtype] =
      nb::class_<RankSolver<T>>(module, dtype)
          .def(nb::init<const Rows<T>&, std::optional<int>, const nb::dict&>())
          .def(nb::init<const RankAnalysis<T>&, const List<T>&, std::optional<int>, const nb::dict&>())
          .def(nb::init<const Rows<T>&, std::optional<int>, const nb::dict&, const std::string&>())
          .def(nb::init<const Rows<T>&, std::optional<int>, const nb::dict&, const Lu<T>&>())
          .def("is_closed", &RankSolver<T>::is_closed)
          .def("factored", &RankSolver<T>::factored)
          .def("explicit_factors", &RankSolver<T>::explicit_factors)
          .def("close", &RankSolver<T>::close)
          .def("solve", &RankSolver<T>::solve)
          .def("solve_sparse", &RankSolver<T>::solve_sparse)
          .def("solve_rows", &RankSolver<T>::solve_rows)
          .def("solve_there", &RankSolver<T>::solve_there)
          .def("refactor_as", &RankSolver<T>::refactor_as)
          .def("refactor", &RankSolver<T>::refactor)
          .def("forward_error", &RankSolver<T>::forward_error)
          .def("condition_estimate", &RankSolver<T>::condition_estimate)
          .def("report", &RankSolver<T>::report);
}

}  // namespace
}  // namespace trisweep::python

NB_MODULE(_core, module) {
  using namespace trisweep::python;
  nanobind::register_exception_translator(translate);
  nanobind::dict solvers, analyses;
  add_solver<float>(module, solvers, analyses, "float32");
  add_solver<double>(module, solvers, analyses, "float64");
  add_solver<std::complex<float>>(module, solvers, analyses, "complex64");
  add_solver<std::complex<double>>(module, solvers, analyses, "complex128");
  module.attr("solvers") = solvers;
  module.attr("analyses") = analyses;
  module.attr("most_threads") = trisweep::most_threads;
  add_factored(module);
  add_hmatrices(module);
  add_krylov(module);
  add_triangles(module);
  module.def("mpi_library", mpi_library);
  module.def("device_name", [](const std::string& name) {
    return std::string(trisweep::engine::name_of(trisweep::engine::find_device(name)));
  });
}
