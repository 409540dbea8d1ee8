#include "trisweep/matrix/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trisweep/matrix/matrix_market_header.hpp"
#include "trisweep/matrix/text_numbers.hpp"

namespace trisweep::matrix {
namespace {

double read_real(const LineReader& lines, Words& words, const char* what) {
  return expect_real(lines, words.next(), what);
}

// The rest of an entry's line: its value, and nothing more.
template <Scalar T>
T read_value(const LineReader& lines, Words& words, MatrixMarketHeader::Field field) {
  T value(1);
  if constexpr (is_complex<T>) {
    const double real = read_real(lines, words, "the real part");
    value = {real, read_real(lines, words, "the imaginary part")};
  } else if (field != MatrixMarketHeader::Field::pattern) {
    value = read_real(lines, words, "a value");
    if (field == MatrixMarketHeader::Field::integer && value != std::trunc(value)) {
      throw lines.error(fmt::format("{} is not an integer, as the banner promises", value),
                        "write 'real' in the banner");
    }
  }
  expect_end_of_line(lines, words.next());
  return value;
}

template <Scalar T>
void check_symmetry(const LineReader& lines, Symmetry symmetry, Index i, Index j, T value) {
  if (symmetry == Symmetry::general) return;
  if (const auto defect = position_defect(symmetry, i, j); !defect.empty()) {
    throw lines.error(fmt::format("{} (row {}, column {})", defect, i + 1, j + 1),
                      "store each pair of entries once, in the lower triangle; only where all entries of "
                      "both triangles are "
                      "stored, write 'general' in the banner instead");
  }
  if (i != j) return;
  const auto defect = diagonal_defect(symmetry, std::real(value), std::imag(value));
  if (!defect.empty()) {
    throw lines.error(
        fmt::format("{} (row {})", defect, i + 1),
        "check the program that wrote the file: the value, or the symmetry in the banner, is wrong");
  }
}

std::string_view next_entry_line(LineReader& lines, Offset done, Offset declared) {
  std::string_view line;
  if (!next_content_line(lines, line)) {
    throw lines.error(fmt::format("the file ends after {} of {} entries", done, declared),
                      "the file is truncated, or its header promises too much: write it again");
  }
  return line;
}

void expect_end_of_file(LineReader& lines, Offset declared) {
  std::string_view line;
  if (!next_content_line(lines, line)) return;
  throw lines.error(fmt::format("more than the {} declared entries: {}", declared, in_quotes(line)),
                    "check the program that wrote the file: the number of entries, or the rest, is wrong");
}

constexpr std::size_t shortest_line = 4;  // "1 1\n"

// No entries, and room for this many.
template <Scalar T>
Triplets<T> room_for(const MatrixMarketHeader& header, std::size_t entries) {
  Triplets<T> room;
  room.rows = header.rows;
  room.cols = header.cols;
  room.symmetry = header.symmetry;
  room.row.reserve(entries);
  room.col.reserve(entries);
  room.value.reserve(entries);
  return room;
}

// Appends the entry in `line`, which `lines` returned last.
template <Scalar T>
void append_entry(const LineReader& lines, std::string_view line, const MatrixMarketHeader& header,
                  Triplets<T>& entries) {
  Words words(line);
  const auto i = static_cast<Index>(expect_integer(lines, words.next(), "a row index", 1, header.rows) - 1);
  const auto j =
      static_cast<Index>(expect_integer(lines, words.next(), "a column index", 1, header.cols) - 1);
  const T value = read_value<T>(lines, words, header.field);
  check_symmetry(lines, header.symmetry, i, j, value);
  entries.lines.record(std::ssize(entries.row), lines.number());
  entries.row.push_back(i);
  entries.col.push_back(j);
  entries.value.push_back(value);
}

template <Scalar T>
Triplets<T> read_entries(LineReader& lines, const MatrixMarketHeader& header) {
  auto entries = room_for<T>(header, lines.source().plausible_items(usize(header.entries), shortest_line));
  for (Offset k = 0; k < header.entries; ++k)
    append_entry(lines, next_entry_line(lines, k, header.entries), header, entries);
  expect_end_of_file(lines, header.entries);
  return entries;
}

// Calls place(i, j, value) column by column; of symmetric files the lower triangle, of skew-symmetric ones
// below the diagonal.
template <Scalar T, class Place>
void for_each_array_value(LineReader& lines, const MatrixMarketHeader& header, Place place) {
  const bool general = header.symmetry == Symmetry::general;
  const Index below = header.symmetry == Symmetry::skew_symmetric ? 1 : 0;
  Offset done = 0;
  for (Index j = 0; j < header.cols; ++j) {
    for (Index i = general ? 0 : j + below; i < header.rows; ++i) {
      Words words(next_entry_line(lines, done++, header.entries));
      const T value = read_value<T>(lines, words, header.field);
      check_symmetry(lines, header.symmetry, i, j, value);
      place(i, j, value);
    }
  }
  expect_end_of_file(lines, header.entries);
}

template <Scalar T>
Triplets<T> read_array_entries(LineReader& lines, const MatrixMarketHeader& header) {
  auto entries = room_for<T>(header, 0);
  for_each_array_value<T>(lines, header, [&](Index i, Index j, T value) {
    if (value == T(0)) return;
    entries.row.push_back(i);
    entries.col.push_back(j);
    entries.value.push_back(value);
  });
  return entries;
}

template <Scalar T>
Csr<T> read_csr(LineReader& lines, const MatrixMarketHeader& header) {
  const bool array = header.layout == MatrixMarketHeader::Layout::array;
  return assemble(array ? read_array_entries<T>(lines, header) : read_entries<T>(lines, header),
                  lines.source().file());
}

template <Scalar T>
Dense<T> to_dense(const Csr<T>& a, const std::filesystem::path& file) {
  constexpr Offset always_allowed = Offset{1} << 22;
  constexpr Offset values_per_entry = 64;
  const Offset size = Offset{a.rows()} * a.cols();
  if (size > always_allowed && size / values_per_entry > a.nonzeros()) {
    throw InputError(file, 0,
                     fmt::format("a sparse {} x {} matrix where right-hand sides belong", a.rows(), a.cols()),
                     "write the right-hand sides as an array file");
  }
  Dense<T> dense{a.rows(), a.cols(), std::vector<T>(usize(size))};
  for (Index i = 0; i < a.rows(); ++i) {
    const auto begin = usize(a.pattern.row_ptr[usize(i)]);
    const auto columns = a.pattern.row(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      dense.value[usize(columns[k]) * usize(a.rows()) + usize(i)] = a.value[begin + k];
    }
  }
  return dense;
}

}  // namespace

AnyCsr read_matrix_market(LineReader& lines) {
  const MatrixMarketHeader header = read_matrix_market_header(lines);
  if (header.field == MatrixMarketHeader::Field::complex)
    return read_csr<std::complex<double>>(lines, header);
  return read_csr<double>(lines, header);
}

template <Scalar T>
Triplets<T> read_matrix_market_part(ByteReader& source, const MatrixMarketHeader& header, std::size_t begin,
                                    std::size_t end) {
  // A line belongs to the part that its first byte is in.
  source.seek(begin - 1, end);
  LineReader lines(source);
  std::string_view line;
  lines.next(line);
  // Lines of about the same length throughout, plus a few.
  const double expected = 1.02 * double(header.entries) * double(end - begin) / double(source.size());
  const double most = double(end - begin) / shortest_line;
  auto entries = room_for<T>(header, static_cast<std::size_t>(std::min(expected, most)));
  while (next_content_line(lines, line, end)) append_entry(lines, line, header, entries);
  return entries;
}

template Triplets<double> read_matrix_market_part(ByteReader&, const MatrixMarketHeader&, std::size_t,
                                                  std::size_t);
template Triplets<std::complex<double>> read_matrix_market_part(ByteReader&, const MatrixMarketHeader&,
                                                                std::size_t, std::size_t);

AnyDense read_matrix_market_dense(LineReader& lines, const MatrixMarketHeader& header) {
  const auto read = [&]<Scalar T>(T) -> AnyDense {
    return to_dense(read_csr<T>(lines, header), lines.source().file());
  };
  return header.field == MatrixMarketHeader::Field::complex ? read(std::complex<double>()) : read(double());
}

template <Scalar T>
std::vector<T> read_matrix_market_column(LineReader& lines, const MatrixMarketHeader& header, Index column) {
  std::vector<T> values;
  values.reserve(lines.source().plausible_items(usize(header.rows), shortest_array_line));
  for (Index i = 0; i < header.rows; ++i) {
    Words words(next_entry_line(lines, Offset{column} * header.rows + i, header.entries));
    values.push_back(read_value<T>(lines, words, header.field));
  }
  if (column + 1 == header.cols) expect_end_of_file(lines, header.entries);
  return values;
}

template std::vector<double> read_matrix_market_column(LineReader&, const MatrixMarketHeader&, Index);
template std::vector<std::complex<double>> read_matrix_market_column(LineReader&, const MatrixMarketHeader&,
                                                                     Index);

}  // namespace trisweep::matrix
