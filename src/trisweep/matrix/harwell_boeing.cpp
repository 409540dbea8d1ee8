#include "trisweep/matrix/harwell_boeing.hpp"

#include <fmt/format.h>

#include "trisweep/matrix/harwell_boeing_cards.hpp"
#include "trisweep/matrix/harwell_boeing_header.hpp"
#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::matrix {
namespace {

using Complex = std::complex<double>;

template <Scalar T>
T next_value(CardReader& cards) {
  const double real = cards.next_real();
  if constexpr (is_complex<T>) {
    return {real, cards.next_real()};
  } else {
    return real;
  }
}

// Column pointers, counted from 0: where each column begins, and the end of the last.
std::vector<Offset> read_pointers(LineReader& lines, const HarwellBoeingHeader& header) {
  CardReader cards(lines, header.pointer_format, "a column pointer", std::int64_t{header.cols} + 1);
  std::vector<Offset> pointers{cards.next_integer(1, 1) - 1};
  for (Index j = 1; j <= header.cols; ++j) {
    const std::int64_t low = j == header.cols ? header.entries : pointers.back();
    pointers.push_back(cards.next_integer(low + 1, header.entries + 1) - 1);
  }
  return pointers;
}

template <Scalar T>
void read_indices(LineReader& lines, const HarwellBoeingHeader& header, Triplets<T>& entries) {
  const auto pointers = read_pointers(lines, header);
  const auto room = lines.source().plausible_items(usize(header.entries), 2);
  entries.row.reserve(room);
  entries.col.reserve(room);
  entries.lines = EntryLines(static_cast<std::int64_t>(header.index_format.size()));
  entries.lines.record(0, lines.number() + 1);
  CardReader cards(lines, header.index_format, "a row index", header.entries);
  for (Index j = 0; j < header.cols; ++j) {
    for (Offset k = pointers[usize(j)]; k < pointers[usize(j) + 1]; ++k) {
      const auto i = static_cast<Index>(cards.next_integer(1, header.rows) - 1);
      if (const auto defect = position_defect(header.symmetry, i, j); !defect.empty()) {
        throw lines.error(fmt::format("{} (row {}, column {})", defect, i + 1, j + 1),
                          "store each pair of entries once, in the lower triangle; only where all entries of "
                          "both triangles "
                          "are stored, write type U instead");
      }
      entries.row.push_back(i);
      entries.col.push_back(j);
    }
  }
}

template <Scalar T>
void read_values(LineReader& lines, const HarwellBoeingHeader& header, Triplets<T>& entries) {
  entries.value.reserve(entries.row.size());
  CardReader cards(lines, header.value_format, "a value", header.entries * (is_complex<T> ? 2 : 1));
  for (std::size_t k = 0; k < entries.row.size(); ++k) {
    const T value = next_value<T>(cards);
    const auto defect = diagonal_defect(header.symmetry, std::real(value), std::imag(value));
    if (entries.row[k] == entries.col[k] && !defect.empty()) {
      throw lines.error(fmt::format("{} (row {})", defect, entries.row[k] + 1),
                        "check the program that wrote the file: the value, or the matrix type, is wrong");
    }
    entries.value.push_back(value);
  }
}

void expect_end_of_file(LineReader& lines) {
  std::string_view line;
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    throw lines.error(
        fmt::format("unexpected {} after the last section", in_quotes(line)),
        "check the program that wrote the file: the counts in the header, or the rest, are wrong");
  }
}

void skip_cards(LineReader& lines, std::int64_t cards, const char* what) {
  std::string_view line;
  for (std::int64_t k = 0; k < cards; ++k) {
    if (lines.next(line)) continue;
    throw lines.error(fmt::format("the file ends after {} of {} lines of {}", k, cards, what),
                      "the file is truncated: write it again");
  }
}

template <Scalar T>
Csr<T> read_csr(LineReader& lines, const HarwellBoeingHeader& header) {
  Triplets<T> entries;
  entries.rows = header.rows;
  entries.cols = header.cols;
  entries.symmetry = header.symmetry;
  read_indices(lines, header, entries);
  if (header.field == HarwellBoeingHeader::Field::pattern) {
    entries.value.assign(entries.row.size(), T(1));
  } else {
    read_values(lines, header, entries);
  }
  // Right-hand sides are not needed here, but their absence shows a truncated file.
  if (header.right_hand_sides) {
    skip_cards(lines, header.right_hand_sides->cards, "right-hand sides");
  } else {
    expect_end_of_file(lines);
  }
  return assemble(entries, lines.source().file());
}

template <Scalar T>
Dense<T> read_right_hand_sides(LineReader& lines, const HarwellBoeingHeader& header) {
  const Offset size = Offset{header.rows} * header.right_hand_sides->count;
  Dense<T> dense{header.rows, header.right_hand_sides->count, {}};
  dense.value.reserve(lines.source().plausible_items(usize(size), 2));
  CardReader cards(lines, header.right_hand_sides->format, "a right-hand side value",
                   size * (is_complex<T> ? 2 : 1));
  for (Offset k = 0; k < size; ++k) dense.value.push_back(next_value<T>(cards));
  return dense;
}

}  // namespace

AnyCsr read_harwell_boeing(LineReader& lines) {
  const HarwellBoeingHeader header = read_harwell_boeing_header(lines);
  if (header.field == HarwellBoeingHeader::Field::complex) return read_csr<Complex>(lines, header);
  return read_csr<double>(lines, header);
}

AnyDense read_harwell_boeing_dense(LineReader& lines) {
  const HarwellBoeingHeader header = read_harwell_boeing_header(lines);
  if (!header.right_hand_sides) {
    throw InputError(lines.source().file(), 0, "has no right-hand sides", "give a Matrix Market array file");
  }
  if (header.right_hand_sides->storage != 'F') {
    throw lines.error("right-hand sides stored like the matrix (type M)", "store them in full (type F)");
  }
  skip_cards(lines, header.pointer_cards + header.index_cards + header.value_cards, "the matrix");
  if (header.field == HarwellBoeingHeader::Field::complex)
    return read_right_hand_sides<Complex>(lines, header);
  return read_right_hand_sides<double>(lines, header);
}

}  // namespace trisweep::matrix
