#pragma once
// The header of a Harwell-Boeing or Rutherford-Boeing file.

#include <optional>

#include "trisweep/matrix/harwell_boeing_format.hpp"
#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/read_triplets.hpp"

namespace trisweep::matrix {

struct HarwellBoeingHeader {
  enum class Field { real, complex, pattern };

  // The right-hand sides of a Harwell-Boeing file.
  struct RightHandSides {
    char storage = 'F';  // F full, M like the matrix
    Index count = 0;
    std::int64_t cards = 0;
    FortranFormat format;
  };

  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  Index rows = 0;
  Index cols = 0;
  Offset entries = 0;  // stored in the file
  // Lines ("cards") of each section, and the layout of each.
  std::int64_t pointer_cards = 0;
  std::int64_t index_cards = 0;
  std::int64_t value_cards = 0;
  FortranFormat pointer_format;
  FortranFormat index_format;
  FortranFormat value_format;  // empty for a pattern
  std::optional<RightHandSides> right_hand_sides;
};

// Throws InputError: at line 1 when the file does not look like this format at all; elemental matrices; card
// counts that contradict the sizes and formats.
HarwellBoeingHeader read_harwell_boeing_header(LineReader& lines);

}  // namespace trisweep::matrix
