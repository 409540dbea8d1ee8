#pragma once
// H-matrices of a kernel that Python evaluates, and products with them.

#include <nanobind/nanobind.h>

namespace trisweep::python {

// As hmatrices[dtype](points, kernel, settings), which has `bytes`, order() and apply(x, y, op), whose rows
// are in that order.
void add_hmatrices(nanobind::module_& module);

}  // namespace trisweep::python
