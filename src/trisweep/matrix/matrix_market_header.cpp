#include "trisweep/matrix/matrix_market_header.hpp"

#include <fmt/format.h>

#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::matrix {
namespace {

constexpr const char* banner_remedy =
    "begin the file with '%%MatrixMarket matrix coordinate|array real|integer|complex|pattern "
    "general|symmetric|skew-symmetric|hermitian'";

[[noreturn]] void fail_on_word(const LineReader& lines, const char* what, std::string_view word) {
  if (word.empty()) throw lines.error(fmt::format("the banner ends before the {}", what), banner_remedy);
  throw lines.error(fmt::format("unknown {} {} in the banner", what, in_quotes(word)), banner_remedy);
}

MatrixMarketHeader::Layout parse_layout(const LineReader& lines, std::string_view word) {
  const std::string name = lower_case(word);
  if (name == "coordinate") return MatrixMarketHeader::Layout::coordinate;
  if (name == "array") return MatrixMarketHeader::Layout::array;
  fail_on_word(lines, "layout", word);
}

MatrixMarketHeader::Field parse_field(const LineReader& lines, std::string_view word) {
  const std::string name = lower_case(word);
  if (name == "real" || name == "double") return MatrixMarketHeader::Field::real;
  if (name == "integer") return MatrixMarketHeader::Field::integer;
  if (name == "complex") return MatrixMarketHeader::Field::complex;
  if (name == "pattern") return MatrixMarketHeader::Field::pattern;
  fail_on_word(lines, "field", word);
}

Symmetry parse_symmetry(const LineReader& lines, std::string_view word) {
  const std::string name = lower_case(word);
  if (name == "general") return Symmetry::general;
  if (name == "symmetric") return Symmetry::symmetric;
  if (name == "skew-symmetric") return Symmetry::skew_symmetric;
  if (name == "hermitian") return Symmetry::hermitian;
  fail_on_word(lines, "symmetry", word);
}

void check_combination(const LineReader& lines, const MatrixMarketHeader& header) {
  const bool pattern = header.field == MatrixMarketHeader::Field::pattern;
  if (pattern && header.layout == MatrixMarketHeader::Layout::array) {
    throw lines.error("an array file cannot be a pattern", "write a coordinate file, or values");
  }
  if (header.symmetry == Symmetry::hermitian && header.field != MatrixMarketHeader::Field::complex) {
    throw lines.error("a hermitian file must have complex values",
                      "write 'symmetric' in the banner: for real values that is the same");
  }
  if (header.symmetry == Symmetry::skew_symmetric && pattern) {
    throw lines.error("a pattern cannot be skew-symmetric",
                      "write the values: without them the signs are not known");
  }
}

MatrixMarketHeader read_banner(LineReader& lines) {
  std::string_view line;
  lines.next(line);
  Words words(line);
  const auto banner = words.next();
  if (lower_case(banner) != "%%matrixmarket") {
    throw lines.error(fmt::format("bad banner {}", in_quotes(line)), banner_remedy);
  }
  const auto object = words.next();
  if (lower_case(object) != "matrix") fail_on_word(lines, "object", object);
  MatrixMarketHeader header;
  header.layout = parse_layout(lines, words.next());
  header.field = parse_field(lines, words.next());
  header.symmetry = parse_symmetry(lines, words.next());
  expect_end_of_line(lines, words.next());
  check_combination(lines, header);
  return header;
}

// How many entries the file can store at most (coordinate) or must store (array).
Offset storable_entries(const MatrixMarketHeader& header) {
  const Offset rows = header.rows;
  if (header.symmetry == Symmetry::general) return rows * header.cols;
  const bool without_diagonal =
      header.symmetry == Symmetry::skew_symmetric && header.layout == MatrixMarketHeader::Layout::array;
  return without_diagonal ? rows * (rows - 1) / 2 : rows * (rows + 1) / 2;
}

void read_sizes(LineReader& lines, MatrixMarketHeader& header) {
  std::string_view line;
  if (!next_content_line(lines, line)) {
    throw lines.error("the file ends before the line of sizes", "write the whole file again");
  }
  Words words(line);
  header.rows =
      static_cast<Index>(expect_integer(lines, words.next(), "the number of rows", 1, largest_index));
  header.cols =
      static_cast<Index>(expect_integer(lines, words.next(), "the number of columns", 1, largest_index));
  if (header.symmetry != Symmetry::general && header.rows != header.cols) {
    throw lines.error(
        fmt::format("a symmetric matrix must be square, not {} x {}", header.rows, header.cols),
        "check the program that wrote the file: the sizes, or the symmetry in the banner, are wrong");
  }
  const Offset storable = storable_entries(header);
  header.entries = storable;
  if (header.layout == MatrixMarketHeader::Layout::coordinate) {
    header.entries = expect_integer(lines, words.next(), "the number of entries", 0, storable);
  }
  expect_end_of_line(lines, words.next());
}

}  // namespace

MatrixMarketHeader read_matrix_market_header(LineReader& lines) {
  MatrixMarketHeader header = read_banner(lines);
  read_sizes(lines, header);
  return header;
}

bool next_content_line(LineReader& lines, std::string_view& line, std::size_t end) {
  while (lines.position() < end && lines.next(line)) {
    const auto first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '%') return true;
  }
  return false;
}

void expect_end_of_line(const LineReader& lines, std::string_view extra_word) {
  if (extra_word.empty()) return;
  throw lines.error(fmt::format("unexpected {} at the end of the line", in_quotes(extra_word)),
                    "remove it, or correct the banner");
}

}  // namespace trisweep::matrix
