#pragma once
// The index of a folder of factors, index.h5: the matrix, its ordering, the structure of its factors, and
// other results of the factorization.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trisweep/core/output_file.hpp"
#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::storage {

// The name of a file in `folder` that does not belong to factors; empty when there is none. Throws
// Error(environment) when the folder cannot be read.
std::string foreign_to_factors(const std::filesystem::path& folder);

struct FactorHead {
  std::string identity;  // as in PanelFiles
  std::string scalar;    // "real" or "complex"
  std::string precision;
  std::string diagonal;
  std::string kind;
  numeric::PivotSummary pivots;
  Index perturbed_pivots = 0;
  Index delayed_pivots = 0;
  double scaled_norm_one = 0;
  std::vector<double> phase;  // of the determinant: real and imaginary part
  bool holds_matrix = true;   // as in FactorSource
  std::vector<Index> file;    // PanelFiles::number
};

struct FactorIndex {
  FactorHead head;
  std::shared_ptr<const solve::Analysis> analysis;
};

// write_index() and read_index() are for one process. Throws Error(environment) when the index cannot be
// written.
void write_index(const OutputFolder& folder, const matrix::AnyCsr& a, const FactorIndex& index);
// The index of factors of a matrix in T. Throws InputError if the folder is missing, damaged, or of another
// kind or version, or the factors are of another scalar type.
template <Scalar T>
FactorIndex read_index(const std::filesystem::path& folder);

// The precision of the system saved in `folder`, by name. This and load_matrix() are for one process, and
// throw InputError if the folder is missing, damaged, or of another kind or version.
std::string saved_precision(const std::filesystem::path& folder);
// The same for the matrix as it was saved.
matrix::AnyCsr load_matrix(const std::filesystem::path& folder);

}  // namespace trisweep::storage
