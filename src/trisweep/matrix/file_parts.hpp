#pragma once
// A matrix file in parts, so that several processes can read it together.

#include <cstdint>
#include <filesystem>
#include <optional>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/matrix_market_header.hpp"
#include "trisweep/matrix/read_triplets.hpp"

namespace trisweep::matrix {

// A file whose parts can be read one by one: an uncompressed Matrix Market coordinate file, or a PETSc binary
// file of a single matrix. Trivially copyable, so that one process can describe it to others.
struct FileInParts {
  bool is_text;               // Matrix Market, divided by lines; otherwise by rows
  MatrixMarketHeader header;  // of PETSc's files: the sizes, and whether values are complex
  std::uint64_t begin, size;  // bytes of the file: of what is in front of the entries, and of all
  std::int64_t changed;       // when the file was last changed, ns

  bool is_complex() const { return header.field == MatrixMarketHeader::Field::complex; }
  // A measure for the work of reading it.
  std::uint64_t bytes() const { return size - begin; }
};

// Returns nullopt for other files, and for defects of what stands before the entries: read_matrix() reports
// them.
std::optional<FileInParts> in_parts(const std::filesystem::path& file);

// The stored entries of part number `part` of `parts`; together, the parts have all entries of the file.
// Reports progress("read", fraction of the part; of PETSc's files: of its columns, then of its values).
// Throws InputError if the part has a defect, without its line in the file, or if the file has changed.
template <Scalar T>
Triplets<T> read_part(const std::filesystem::path& file, const FileInParts& all, Index part, Index parts,
                      Observer& observer);

}  // namespace trisweep::matrix
