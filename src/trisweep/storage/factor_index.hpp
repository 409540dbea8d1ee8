#pragma once
// The index of a folder of factors, index.h5: the ordering of the matrix, the structure of its factors, which
// file has what, and other results of the factorization.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trisweep/core/output_file.hpp"
#include "trisweep/solve/analysis.hpp"
#include "trisweep/storage/row_files.hpp"

namespace trisweep::storage {

// The name of a file in `folder` that does not belong to factors; empty when there is none. Throws
// Error(environment) when the folder cannot be read.
std::string foreign_to_factors(const std::filesystem::path& folder);

struct FactorHead {
  std::string identity;  // as in PanelFiles and RowFiles
  std::string scalar;    // "real" or "complex"
  std::string precision;
  std::string diagonal;
  std::string kind;
  numeric::PivotSummary pivots;
  Index perturbed_pivots = 0;
  Index delayed_pivots = 0;
  double scaled_norm_one = 0;
  std::vector<double> phase;     // of the determinant: real and imaginary part
  bool holds_matrix = true;      // as in FactorSource
  std::vector<Index> file;       // PanelFiles::number
  std::vector<Index> row_begin;  // of RowFiles::partition
};

struct FactorIndex {
  FactorHead head;
  std::shared_ptr<const solve::Analysis> analysis;
};

// write_index() and read_index() are for one process. Throws Error(environment) when the index cannot be
// written.
void write_index(const OutputFolder& folder, const FactorIndex& index);
// The index of factors of a matrix in T. Throws InputError if the folder is missing, damaged, or of another
// kind or version, or the factors are of another scalar type.
template <Scalar T>
FactorIndex read_index(const std::filesystem::path& folder);

// What is saved in `folder` of the system. For one process. Throws InputError if the folder is missing,
// damaged, or of another kind or version.
struct SavedSystem {
  std::string precision;  // by name
  bool is_complex;
  RowFiles rows;  // of the matrix, as it was read: in double precision
};
SavedSystem saved_system(const std::filesystem::path& folder);

}  // namespace trisweep::storage
