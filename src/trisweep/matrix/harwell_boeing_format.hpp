#pragma once
// The Fortran formats in the header of Harwell-Boeing files: where the numbers stand on a line.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace trisweep::matrix {

struct FortranField {
  std::size_t column;  // from 0
  std::size_t width;
  int decimals;       // the d of Ew.d; 0 for integers
  int scale;          // the k of kP
  bool has_exponent;  // E, D and G
};

// The fields of one line, at least one, ascending.
using FortranFormat = std::vector<FortranField>;

// Understands I, E, ES, EN, D, F and G fields, X, kP, repeat counts and groups, such as (10I8), (1P,4D20.12)
// or (3(E25.17,1X)). Unset when `text` is another format.
std::optional<FortranFormat> parse_fortran_format(std::string_view text);

}  // namespace trisweep::matrix
