#include "trisweep/matrix/harwell_boeing_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::matrix {
namespace {

std::string_view next_header_line(LineReader& lines) {
  std::string_view line;
  if (lines.next(line)) return line;
  throw lines.error("the file ends within its header", "write the whole file again");
}

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

// Line 3 begins with a type such as "rua", which tells the format from any other text.
void check_is_harwell_boeing(const LineReader& lines, const std::string& type) {
  const bool known = type.size() == 3 && is_one_of(type[0], "rcpiq") && is_one_of(type[1], "suhzr") &&
                     is_one_of(type[2], "ae");
  if (!known) {
    throw InputError(lines.source().file(), 1, "not a matrix file of a known format",
                     "give a Matrix Market file (it begins with %%MatrixMarket), a Harwell-Boeing or "
                     "Rutherford-Boeing file, or a PETSc binary file; each may be gzipped");
  }
  if (type[2] == 'e') {
    throw lines.error(fmt::format("an elemental (unassembled) matrix, type {}", in_quotes(type)),
                      "assemble it first: add up the element matrices and write type RUA or RSA");
  }
}

HarwellBoeingHeader::Field field_of(char type) {
  if (type == 'c') return HarwellBoeingHeader::Field::complex;
  // Q: the values are in another file.
  return type == 'p' || type == 'q' ? HarwellBoeingHeader::Field::pattern : HarwellBoeingHeader::Field::real;
}

Symmetry symmetry_of(char type) {
  if (type == 's') return Symmetry::symmetric;
  if (type == 'z') return Symmetry::skew_symmetric;
  return type == 'h' ? Symmetry::hermitian : Symmetry::general;  // u, and r for rectangular
}

// Line 3: type, rows, columns, entries.
void read_type_and_sizes(const LineReader& lines, std::string_view line, HarwellBoeingHeader& header) {
  Words words(line);
  const std::string type = lower_case(words.next());
  check_is_harwell_boeing(lines, type);
  header.field = field_of(type[0]);
  header.symmetry = symmetry_of(type[1]);
  header.rows =
      static_cast<Index>(expect_integer(lines, words.next(), "the number of rows", 1, largest_index));
  header.cols =
      static_cast<Index>(expect_integer(lines, words.next(), "the number of columns", 1, largest_index));
  const Offset places = Offset{header.rows} * header.cols;
  header.entries = expect_integer(lines, words.next(), "the number of entries", 0, places);
  if (header.symmetry != Symmetry::general && header.rows != header.cols) {
    throw lines.error(fmt::format("a symmetric matrix must be square, not {} x {}", header.rows, header.cols),
                      "check the program that wrote the file: the sizes, or the matrix type, are wrong");
  }
  if (header.symmetry == Symmetry::hermitian && header.field == HarwellBoeingHeader::Field::real) {
    throw lines.error("a Hermitian matrix must have complex values",
                      "write type RSA: for real values that is the same");
  }
  if (header.symmetry == Symmetry::skew_symmetric && header.field == HarwellBoeingHeader::Field::pattern) {
    throw lines.error("a pattern cannot be skew-symmetric",
                      "write the values, as type RZA: without them the signs are not known");
  }
}

using Cards = std::array<std::int64_t, 5>;  // total, pointers, indices, values, right-hand sides

constexpr std::int64_t bad_card_count = -1;

// Line 2. Bad counts are marked, not refused: only line 3 tells whether this is the format at all.
Cards read_cards(std::string_view line) {
  Cards cards{};
  Words words(line);
  for (std::size_t k = 0; k < cards.size(); ++k) {
    const auto word = words.next();
    if (k == 4 && word.empty()) break;  // Rutherford-Boeing
    const bool good = parse_integer(word, cards[k]) == NumberDefect::none && cards[k] >= 0;
    if (!good) cards[k] = bad_card_count;
  }
  return cards;
}

void check_cards_are_counts(const LineReader& lines, const Cards& cards) {
  if (std::find(cards.begin(), cards.end(), bad_card_count) == cards.end()) return;
  throw InputError(lines.source().file(), 2, "expected 4 or 5 line counts",
                   "write the lines in total, of pointers, of indices, of values (and of right-hand sides)");
}

// The parenthesized formats of line 4: of pointers, indices, values (may be absent from a pattern),
// right-hand sides (Harwell-Boeing only).
std::vector<FortranFormat> read_formats(const LineReader& lines, std::string_view line) {
  std::vector<FortranFormat> formats;
  std::size_t begin = line.find('(');
  while (begin != std::string_view::npos) {
    int depth = 0;
    std::size_t end = begin;
    do {
      if (line[end] == '(') ++depth;
      if (line[end] == ')') --depth;
    } while (++end < line.size() && depth > 0);
    const auto text = line.substr(begin, end - begin);
    const auto format = parse_fortran_format(text);
    if (!format) {
      throw lines.error(fmt::format("cannot understand the format {}", in_quotes(text)),
                        "use a Fortran format such as (10I8) or (5E16.8)");
    }
    formats.push_back(*format);
    begin = line.find('(', end);
  }
  return formats;
}

void expect_formats(const LineReader& lines, std::size_t found, std::size_t needed) {
  if (found >= needed) return;
  throw lines.error(fmt::format("has {} formats, but the header promises {} sections", found, needed),
                    "write a Fortran format such as (10I8) or (5E16.8) for each section");
}

void check_cards(const LineReader& lines, const char* what, std::int64_t cards, std::int64_t numbers,
                 const FortranFormat& format) {
  const auto per_line = static_cast<std::int64_t>(format.size());
  const std::int64_t needed = numbers / per_line + (numbers % per_line != 0 ? 1 : 0);
  if (cards == needed) return;
  throw InputError(lines.source().file(), 2,
                   fmt::format("declares {} lines of {}, but {} numbers at {} a line take {}", cards, what,
                               numbers, per_line, needed),
                   "correct the line counts, the sizes or the formats of the header");
}

// Line 5, of Harwell-Boeing files with right-hand sides.
HarwellBoeingHeader::RightHandSides read_right_hand_side_line(LineReader& lines, std::int64_t cards,
                                                              FortranFormat format) {
  Words words(next_header_line(lines));
  const std::string type = lower_case(words.next());
  if (type.empty() || !is_one_of(type[0], "fm")) {
    throw lines.error(fmt::format("unknown type of right-hand sides {}", in_quotes(type)),
                      "write F, FG, FX or FGX");
  }
  HarwellBoeingHeader::RightHandSides sides;
  sides.storage = type[0] == 'm' ? 'M' : 'F';
  // FGX may be written with blanks in it: F X.
  std::string_view word = words.next();
  while (!word.empty() && is_one_of(lower_case(word)[0], "gx")) word = words.next();
  sides.count =
      static_cast<Index>(expect_integer(lines, word, "the number of right-hand sides", 1, largest_index));
  sides.cards = cards;
  sides.format = std::move(format);
  return sides;
}

}  // namespace

HarwellBoeingHeader read_harwell_boeing_header(LineReader& lines) {
  HarwellBoeingHeader header;
  std::string_view line;
  lines.next(line);  // title and key
  const Cards cards = read_cards(lines.next(line) ? line : std::string_view());
  read_type_and_sizes(lines, lines.next(line) ? line : std::string_view(), header);
  check_cards_are_counts(lines, cards);
  header.pointer_cards = cards[1];
  header.index_cards = cards[2];
  header.value_cards = cards[3];

  const auto formats = read_formats(lines, next_header_line(lines));
  const bool pattern = header.field == HarwellBoeingHeader::Field::pattern;
  const std::size_t sections = pattern ? 2 : 3;
  expect_formats(lines, formats.size(), cards[4] > 0 ? sections + 1 : sections);
  header.pointer_format = formats[0];
  header.index_format = formats[1];
  check_cards(lines, "column pointers", header.pointer_cards, std::int64_t{header.cols} + 1, formats[0]);
  check_cards(lines, "row indices", header.index_cards, header.entries, formats[1]);
  if (!pattern) {
    header.value_format = formats[2];
    const std::int64_t parts = header.field == HarwellBoeingHeader::Field::complex ? 2 : 1;
    check_cards(lines, "values", header.value_cards, parts * header.entries, formats[2]);
  }
  if (cards[4] > 0) header.right_hand_sides = read_right_hand_side_line(lines, cards[4], formats.back());
  return header;
}

}  // namespace trisweep::matrix
