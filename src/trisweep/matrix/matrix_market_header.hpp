#pragma once
// The banner and the size line of a Matrix Market file.

#include <cstdint>
#include <limits>

#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/read_triplets.hpp"

namespace trisweep::matrix {

struct MatrixMarketHeader {
  enum class Layout { coordinate, array };
  enum class Field { real, integer, complex, pattern };

  Layout layout = Layout::coordinate;
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;  // stored in the file
};

// Throws InputError for anything the format does not allow, sizes beyond Index, and empty matrices.
MatrixMarketHeader read_matrix_market_header(LineReader& lines);

// The next line that is neither blank nor a comment; false if no such line begins before byte `end` of the
// file.
bool next_content_line(LineReader& lines, std::string_view& line,
                       std::size_t end = std::numeric_limits<std::size_t>::max());

// Throws InputError at the current line unless `extra_word`, the next on it, is empty.
void expect_end_of_line(const LineReader& lines, std::string_view extra_word);

}  // namespace trisweep::matrix
