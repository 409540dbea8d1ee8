#pragma once
// Factors in a folder: index.h5 has the matrix, its order and the structure of its factors, panels-0.h5 the
// values. Any grid, mapping and number of ranks solves with them. The writer needs the memory of the panels
// once more.

#include <filesystem>
#include <string>

#include "trisweep/core/output_file.hpp"
#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/solve/given_factors.hpp"

namespace trisweep::storage {

// Every such folder has a file of this name.
inline constexpr const char* factor_index = "index.h5";

// Writes `factors` into `folder`, which appears. `a`: the matrix as it was read; `precision`: of the system
// and its factors, by name (model/precision.hpp). Throws Error(environment) when it cannot be written.
template <Scalar T>
void save_factors(OutputFolder& folder, const matrix::AnyCsr& a, const std::string& precision,
                  const solve::GivenFactors<T>& factors);

// The precision of the system saved in `folder`, by name. It and those below are for one process, and throw
// InputError on a folder that is missing, damaged, of another kind or version.
std::string saved_precision(const std::filesystem::path& folder);
// The same of the matrix as it was saved.
matrix::AnyCsr load_matrix(const std::filesystem::path& folder);
// The same of its factors. Throws InputError also when they are of another scalar type.
template <Scalar T>
solve::GivenFactors<T> load_factors(const std::filesystem::path& folder);

}  // namespace trisweep::storage
