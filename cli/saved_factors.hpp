#pragma once
// Loads factors from folders (storage/factor_file.hpp). These functions throw Error(usage) in a build without
// HDF5 (no_studies.cpp).

#include <string>

#include "trisweep/solve/factor_source.hpp"
#include "trisweep/solve/read_rows.hpp"

namespace trisweep::cli {

std::string factored_precision(const std::string& folder);
solve::AnyBlockRows load_factored_rows(const mpi::Communicator& comm, const std::string& folder);
template <Scalar T>
solve::FactorSources<T> load_given_factors(const mpi::Communicator& comm, const std::string& folder);

}  // namespace trisweep::cli
