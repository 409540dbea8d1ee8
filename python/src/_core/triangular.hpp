#pragma once
// Solves with triangular matrices as they are, of SciPy's `spsolve_triangular` and of explicit factors.

#include <nanobind/nanobind.h>

namespace trisweep::python {

// As triangles[dtype](rows, upper, unit, threads, solves), whose solve(b, x, op) solves.
void add_triangles(nanobind::module_& module);

}  // namespace trisweep::python
