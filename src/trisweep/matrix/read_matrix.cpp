#include <array>

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/dense_reader.hpp"
#include "trisweep/matrix/format.hpp"
#include "trisweep/matrix/harwell_boeing.hpp"
#include "trisweep/matrix/io.hpp"
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

DenseReader::DenseReader(const std::filesystem::path& file)
    : source_(std::make_unique<ByteReader>(file, silent_observer())) {
  const FileFormat format = detect_format(*source_);
  if (format == FileFormat::petsc_binary) {
    whole_ = read_petsc_binary_dense(*source_);
  } else {
    lines_ = std::make_unique<LineReader>(*source_);
    if (format == FileFormat::harwell_boeing) {
      whole_ = read_harwell_boeing_dense(*lines_);
    } else {
      header_ = read_matrix_market_header(*lines_);
      const bool has_columns =
          header_.layout == MatrixMarketHeader::Layout::array && header_.symmetry == Symmetry::general;
      if (!has_columns) whole_ = read_matrix_market_dense(*lines_, header_);
    }
  }
  if (whole_)
    std::visit([&](const auto& dense) { header_.rows = dense.rows, header_.cols = dense.cols; }, *whole_);
}

bool DenseReader::is_complex() const {
  return whole_ ? std::holds_alternative<Dense<std::complex<double>>>(*whole_)
                : header_.field == MatrixMarketHeader::Field::complex;
}

Index DenseReader::plausible_cols() const {
  if (whole_) return cols();
  const auto items = source_->plausible_items(usize(header_.entries), shortest_array_line);
  return static_cast<Index>(items / usize(rows()));
}

AnyDense DenseReader::column() {
  const Index column = next_++;
  const auto in_memory = [&]<Scalar T>(const Dense<T>& dense) -> AnyDense {
    const auto begin = dense.value.begin() + Offset{column} * dense.rows;
    return Dense<T>{dense.rows, 1, {begin, begin + dense.rows}};
  };
  const auto from_file = [&]<Scalar T>(T) -> AnyDense {
    return Dense<T>{header_.rows, 1, read_matrix_market_column<T>(*lines_, header_, column)};
  };
  if (whole_) return std::visit(in_memory, *whole_);
  return is_complex() ? from_file(std::complex<double>()) : from_file(double());
}

}  // namespace trisweep::matrix
