#pragma once
// The library's Krylov methods with operators written in Python.

#include <nanobind/nanobind.h>

namespace trisweep::python {

// Adds functions krylov[dtype](method, rows or None, product, precondition, b, x, settings).
void add_krylov(nanobind::module_& module);

}  // namespace trisweep::python
