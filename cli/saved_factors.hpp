#pragma once
// Factors in folders (storage/factor_file.hpp). These throw Error(usage) in a build without HDF5
// (no_studies.cpp).

#include <string>

#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/solve/given_factors.hpp"

namespace trisweep::cli {

std::string factored_precision(const std::string& folder);
matrix::AnyCsr load_factored_matrix(const std::string& folder);
template <Scalar T>
solve::GivenFactors<T> load_given_factors(const std::string& folder);

}  // namespace trisweep::cli
