#pragma once
// H-matrices of a kernel that Python evaluates, and products with them.

#include <nanobind/nanobind.h>

namespace trisweep::python {

// Adds classes hmatrices[dtype](points, kernel, settings), with `bytes`, order(), apply(x, y, op), where rows
// of x and y are in that order, and sampled_error(kernel, rows).
void add_hmatrices(nanobind::module_& module);

}  // namespace trisweep::python
