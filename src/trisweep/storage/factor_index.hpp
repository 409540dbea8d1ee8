#pragma once
// The index of a folder of factors, index.h5: the matrix, its order, the structure of its factors, and what
// is known of them besides.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trisweep/core/output_file.hpp"
#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/solve/analysis.hpp"

namespace trisweep::storage {

// The name of a file in the folder that is none of factors; empty when there is none. Throws
// Error(environment) when the folder cannot be read.
std::string foreign_to_factors(const std::filesystem::path& folder);

struct FactorHead {
  std::string identity;  // as PanelFiles have it
  std::string scalar;    // "real" or "complex"
  std::string precision;
  std::string diagonal;
  std::string kind;
  numeric::PivotSummary pivots;
  Index perturbed_pivots = 0;
  Index delayed_pivots = 0;
  double scaled_norm_one = 0;
  std::vector<double> phase;  // of the determinant: real and imaginary part
  bool holds_matrix = true;   // as FactorSource has it
  std::vector<Index> file;    // PanelFiles::number
};

struct FactorIndex {
  FactorHead head;
  std::shared_ptr<const solve::Analysis> analysis;
};

// Both are for one process. Throws Error(environment) when it cannot be written.
void write_index(const OutputFolder& folder, const matrix::AnyCsr& a, const FactorIndex& index);
// Of factors for a matrix in T. Throws InputError on a folder that is missing, damaged, of another kind or
// version, and when the factors are of another scalar type.
template <Scalar T>
FactorIndex read_index(const std::filesystem::path& folder);

// The precision of the system saved in `folder`, by name. It and the next are for one process, and throw
// InputError on a folder that is missing, damaged, of another kind or version.
std::string saved_precision(const std::filesystem::path& folder);
// The same of the matrix as it was saved.
matrix::AnyCsr load_matrix(const std::filesystem::path& folder);

}  // namespace trisweep::storage
