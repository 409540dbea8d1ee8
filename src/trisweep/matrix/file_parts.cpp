#include "trisweep/matrix/file_parts.hpp"

#include "trisweep/core/error.hpp"
#include "trisweep/matrix/format.hpp"
#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/matrix_market.hpp"
#include "trisweep/matrix/petsc_binary.hpp"

namespace trisweep::matrix {
namespace {

// Opening a pipe takes its content from who reads it next.
bool is_regular(const std::filesystem::path& file) {
  std::error_code none;
  return std::filesystem::is_regular_file(file, none);
}

FileInParts described(const ByteReader& source) {
  return {.is_text = true, .header = {}, .begin = 0, .size = source.size(), .changed = source.changed()};
}

std::optional<FileInParts> text_in_parts(ByteReader& source) {
  FileInParts file = described(source);
  LineReader lines(source);
  file.header = read_matrix_market_header(lines);
  if (file.header.layout != MatrixMarketHeader::Layout::coordinate) return std::nullopt;
  file.begin = lines.position();
  return file;
}

std::optional<FileInParts> petsc_in_parts(ByteReader& source) {
  FileInParts file = described(source);
  const auto sizes = petsc_sizes(source);
  if (!sizes) return std::nullopt;
  file.is_text = false;
  file.header.rows = sizes->rows;
  file.header.cols = sizes->cols;
  file.header.entries = sizes->nonzeros;
  if (sizes->complex) file.header.field = MatrixMarketHeader::Field::complex;
  return file;
}

// The first byte or row of part number `part`.
std::uint64_t first_of_part(std::uint64_t all, Index part, Index parts) {
  return all * usize(part) / usize(parts);
}

}  // namespace

std::optional<FileInParts> in_parts(const std::filesystem::path& file) try {
  if (!is_regular(file)) return std::nullopt;
  ByteReader source(file, silent_observer());
  const FileFormat format = detect_format(source);
  if (!source.is_seekable()) return std::nullopt;
  if (format == FileFormat::matrix_market) return text_in_parts(source);
  return format == FileFormat::petsc_binary ? petsc_in_parts(source) : std::nullopt;
} catch (const InputError&) {
  return std::nullopt;
}

template <Scalar T>
Triplets<T> read_part(const std::filesystem::path& file, const FileInParts& all, Index part, Index parts,
                      Observer& observer) {
  const auto require_same = [&](bool same) {
    if (!same)
      throw InputError(file, 0, "is not the same file for all processes, or has changed",
                       "read it from a folder that all processes share");
  };
  require_same(is_regular(file));
  ByteReader source(file, observer);
  require_same(source.size() == all.size && source.changed() == all.changed);
  const auto first = [&](std::uint64_t size, Index p) { return first_of_part(size, p, parts); };
  if (!all.is_text) {
    const auto row = [&](Index p) { return static_cast<Index>(first(usize(all.header.rows), p)); };
    return read_petsc_rows<T>(source, row(part), row(part + 1));
  }
  return read_matrix_market_part<T>(source, all.header, all.begin + first(all.bytes(), part),
                                    all.begin + first(all.bytes(), part + 1));
}

template Triplets<double> read_part(const std::filesystem::path&, const FileInParts&, Index, Index,
                                    Observer&);
template Triplets<std::complex<double>> read_part(const std::filesystem::path&, const FileInParts&, Index,
                                                  Index, Observer&);

}  // namespace trisweep::matrix
