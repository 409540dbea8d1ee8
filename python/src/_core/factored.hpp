#pragma once
// Solvers' matrices with their factors, and the folders that these are saved in (storage/factor_file.hpp).

#include <nanobind/nanobind.h>

namespace trisweep::python {

// load_factored(folder), what it returns, and FactorFolder, a folder to save it in. HDF5 serves one thread at
// a time: these keep the interpreter's lock.
void add_factored(nanobind::module_& module);

}  // namespace trisweep::python
