#pragma once
// The analysis of a matrix as far as plans and predictions need it, which may be kept in a file: an analysis
// takes far longer than the prediction of a plan.

#include <memory>
#include <string>

#include "trisweep/model/answer.hpp"
#include "trisweep/symbolic/structure.hpp"

namespace trisweep::model {

struct SavedAnalysis {
  std::string matrix;    // its name
  std::string ordering;  // "metis", "scotch" or "natural"
  std::string diagonal;  // "supernodes" or "separators": whether separators are kept whole
  Offset nonzeros = 0;
  bool complex = false;
  std::string kind = "lu";              // of the factorization, a name in numeric::kinds()
  double seconds = 0;                   // that the analysis took
  std::vector<ProductShare> product{};  // with the matrix (product_shares())
  std::shared_ptr<const symbolic::Structure> structure;
};

}  // namespace trisweep::model
