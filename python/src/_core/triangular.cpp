#include "_core/triangular.hpp"

#include <fmt/format.h>
#include <nanobind/stl/tuple.h>

#include <complex>
#include <optional>

#include "_core/arrays.hpp"
#include "_core/signals.hpp"
#include "_core/turns.hpp"
#include "trisweep/sptrsv/row_solver.hpp"

namespace trisweep::python {
namespace {

// A solver of a triangular matrix. Calls take turns.
template <Scalar T>
class Triangle {
 public:
  // `solves`: the expected number of solves, roughly.
  Triangle(const Rows<T>& rows, bool upper, bool unit, int threads, int solves) {
    Signals().heed([&] {
      solver_.emplace(block_rows(rows).a, sptrsv::Form{.upper = upper, .unit = unit},
                      sptrsv::RowSolverOptions{.threads = threads, .solves = solves});
    });
  }
  // Solves for the columns of x, which has b's shape.
  void solve(const Columns<const T>& b, const Columns<T>& x, char op) {
    const auto mine = turns_.take();
    Signals().heed([&] { solver_->solve(view<const T>(b), view(x), static_cast<Op>(op)); });
  }

 private:
  Turns turns_;
  std::optional<sptrsv::RowSolver<T>> solver_;
};

template <Scalar T>
void add_triangle(nb::module_& module, nb::dict& triangles, const char* dtype) {
  triangles[dtype] = nb::class_<Triangle<T>>(module, fmt::format("{}_triangle", dtype).c_str())
                         .def(nb::init<const Rows<T>&, bool, bool, int, int>())
                         .def("solve", &Triangle<T>::solve);
}

}  // namespace

void add_triangles(nb::module_& module) {
  nb::dict triangles;
  add_triangle<float>(module, triangles, "float32");
  add_triangle<double>(module, triangles, "float64");
  add_triangle<std::complex<float>>(module, triangles, "complex64");
  add_triangle<std::complex<double>>(module, triangles, "complex128");
  module.attr("triangles") = triangles;
}

}  // namespace trisweep::python
