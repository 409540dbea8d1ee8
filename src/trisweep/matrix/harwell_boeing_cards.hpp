#pragma once
// The numbers of one section of a Harwell-Boeing file, at the columns its Fortran format names.

#include <string_view>

#include "trisweep/core/types.hpp"
#include "trisweep/matrix/harwell_boeing_format.hpp"
#include "trisweep/matrix/line_reader.hpp"

namespace trisweep::matrix {

// Both number readers throw InputError when the file ends, a field is blank or not a number, or a line has
// something after its last field.
class CardReader {
 public:
  // `what` names one number of the section ("a row index"). `count` numbers follow. The arguments must
  // outlive the reader.
  CardReader(LineReader& lines, const FortranFormat& format, const char* what, std::int64_t count)
      : lines_(&lines), format_(&format), what_(what), count_(count) {}

  std::int64_t next_integer(std::int64_t low, std::int64_t high);

  // Fortran's rules: digits without a point are refused where the format would place the point for them, a
  // scale factor divides numbers without an exponent, and exponents may have no letter (in fields E, D and
  // G).
  double next_real();

 private:
  std::string_view next_field(FortranField& field);
  void expect_blank_from(std::size_t column) const;

  LineReader* lines_;
  const FortranFormat* format_;
  const char* what_;
  std::int64_t count_;
  std::int64_t done_ = 0;
  std::string_view line_;
};

}  // namespace trisweep::matrix
