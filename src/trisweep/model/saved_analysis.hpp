#pragma once
// The analysis of a matrix as far as plans and predictions need it, in a file of its own: an analysis takes
// far longer than the prediction of a plan.

#include <memory>
#include <string>

#include "trisweep/core/output_file.hpp"
#include "trisweep/model/answer.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::model {

struct SavedAnalysis {
  std::string matrix;    // its name
  std::string ordering;  // "metis", "scotch" or "natural"
  std::string diagonal;  // "supernodes" or "separators": whether separators are kept whole
  Offset nonzeros = 0;
  bool complex = false;
  bool cholesky = false;                // else LU
  double seconds = 0;                   // that the analysis took
  std::vector<ProductShare> product{};  // with the matrix (product_shares())
  std::shared_ptr<const symbolic::Structure> structure;
};

// Appends the analysis to a file: binary, in the byte order of this machine, with a version and a checksum.
void save(const SavedAnalysis& analysis, OutputFile& file);

// Throws InputError on a file that cannot be read, that is none of these, of another version or byte order,
// or that has been damaged.
SavedAnalysis load_analysis(const std::string& path);

}  // namespace trisweep::model
