#pragma once
// Solvers' matrices with their factors, and the folders that these are saved in (storage/factor_file.hpp).

#include <nanobind/nanobind.h>

namespace trisweep::python {

// What RankSolver::factored() returns, FactorFolder, a folder to save it in, and
// load_factored_matrix(folder).
void add_factored(nanobind::module_& module);

}  // namespace trisweep::python
