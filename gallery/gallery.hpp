#pragma once
// Generators of test matrices of any size. Each kind is one recipe; docs/gallery.md has one row per kind: the
// meaning of N, n and the number of nonzeros, symmetry and definiteness, and the matrix that it imitates.
// Every matrix is nonsingular.

#include <cstdint>
#include <string>
#include <vector>

#include "trisweep/matrix/any_matrix.hpp"

namespace trisweep::gallery {

struct Kind {
  std::string name;          // as on the command line
  std::string description;   // one line, including the meaning of N
  Index min_n = 1;           // range of RecipeOptions::n: smallest meaningful value,
  Index max_n = 0;           // largest value for which rows fit an Index
  bool has_complex = false;  // RecipeOptions::complex is allowed
  bool uses_seed = false;    // RecipeOptions::seed matters
};

// Every kind, in the order of the documentation.
const std::vector<Kind>& kinds();

struct RecipeOptions {
  Index n = 10;  // the kind's size parameter
  // For random values or structure: the same seed gives the same matrix on every machine, up to rounding.
  std::uint64_t seed = 1;
  bool complex = false;  // the complex variant of the kinds that have one
};

// Throws Error(usage) when `kind` is unknown (naming the known ones), `n` is out of its range (naming it), or
// the kind has no complex variant; Error(environment) when memory does not suffice.
matrix::AnyCsr make_matrix(const std::string& kind, const RecipeOptions& options);

}  // namespace trisweep::gallery
