#pragma once
// Solves with given triangular matrices, for `spsolve_triangular` and for explicit factors.

#include <nanobind/nanobind.h>

namespace trisweep::python {

// Adds classes triangles[dtype](rows, upper, unit, threads, solves), with solve(b, x, op).
void add_triangles(nanobind::module_& module);

}  // namespace trisweep::python
