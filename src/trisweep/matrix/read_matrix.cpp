#include <array>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/format.hpp"
#include "trisweep/matrix/harwell_boeing.hpp"
#include "trisweep/matrix/io.hpp"
#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/matrix_market.hpp"
#include "trisweep/matrix/petsc_binary.hpp"

namespace trisweep::matrix {
namespace {

// Some editors put this mark before the text of a UTF-8 file.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void skip_byte_order_mark(ByteReader& source) {
  std::array<char, byte_order_mark.size()> mark{};
  if (source.peek(mark.size()) == byte_order_mark) source.read(mark);
}

}  // namespace

FileFormat detect_format(ByteReader& source) {
  skip_byte_order_mark(source);
  const auto head = source.peek(1);
  if (head.empty()) throw InputError(source.file(), 0, "the file is empty", "write it again");
  // A misspelt banner is a defect of a Matrix Market file, not another format.
  if (head[0] == '%') return FileFormat::matrix_market;
  return is_petsc_binary(source) ? FileFormat::petsc_binary : FileFormat::harwell_boeing;
}

AnyCsr read_matrix(const std::filesystem::path& file, Observer& observer) {
  ByteReader source(file, observer);
  const FileFormat format = detect_format(source);
  if (format == FileFormat::petsc_binary) return read_petsc_binary(source);
  LineReader lines(source);
  return format == FileFormat::matrix_market ? read_matrix_market(lines) : read_harwell_boeing(lines);
}

AnyDense read_dense(const std::filesystem::path& file) {
  ByteReader source(file, silent_observer());
  const FileFormat format = detect_format(source);
  if (format == FileFormat::petsc_binary) return read_petsc_binary_dense(source);
  LineReader lines(source);
  return format == FileFormat::matrix_market ? read_matrix_market_dense(lines)
                                             : read_harwell_boeing_dense(lines);
}

}  // namespace trisweep::matrix
