#pragma once
// Matrices with their factors, and the folders in which they are saved (storage/factor_file.hpp).

#include <nanobind/nanobind.h>

namespace trisweep::python {

// Adds the classes that RankSolver::factored() returns, FactorFolder (a folder to save them in), and
// load_factored_matrix(folder).
void add_factored(nanobind::module_& module);

}  // namespace trisweep::python
