#pragma once
// Loads factors from folders (storage/factor_file.hpp). These functions throw Error(usage) in a build without
// HDF5 (no_studies.cpp).

#include <string>

#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/solve/factor_source.hpp"

namespace trisweep::cli {

std::string factored_precision(const std::string& folder);
matrix::AnyCsr load_factored_matrix(const std::string& folder);
template <Scalar T>
solve::FactorSources<T> load_given_factors(const mpi::Communicator& comm, const std::string& folder);

}  // namespace trisweep::cli
