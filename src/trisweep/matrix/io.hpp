#pragma once
// Matrix and right-hand side files. The format is told from the content (first line or magic number), never
// from the file's name; every format may be gzipped. Readers stream through a few MiB of buffers; on the way
// to the result they hold the stored entries once more (16 bytes each when real, 24 when complex).
//
// Errors: InputError naming file, line (text formats) and remedy for any defect of the file: missing,
// truncated, garbage, NaN or infinite values, wrong counts, index out of range, duplicate entries, numbers
// that overflow, sizes beyond Index, matrices without rows or columns. What a header declares is believed
// only as far as the content goes: memory is reserved for what the file can hold, and matrices of more than 4
// Mi rows with fewer than one entry in 64 rows are refused. Rectangular matrices are fine here.

#include <filesystem>
#include <span>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/output_file.hpp"
#include "trisweep/matrix/any_matrix.hpp"

namespace trisweep::matrix {

// The matrix in `file`: Matrix Market coordinate or array (every field and symmetry), Harwell-Boeing /
// Rutherford-Boeing, PETSc binary. Symmetric files give both triangles. Reports progress("read", fraction)
// after every MiB or so.
AnyCsr read_matrix(const std::filesystem::path& file, Observer& observer = silent_observer());

// Matrix Market: "coordinate real|complex general" for Csr, row by row, and "array real|complex general" for
// Dense. Every number has the fewest digits that read back to the same value of T.
//
// To a path: written beside `file` and renamed, so that it appears whole or not at all. To an OutputFile: the
// caller commits it. Throws Error(environment) naming the file when it cannot be written.
template <Scalar T>
void write_matrix_market(const std::filesystem::path& file, const Csr<T>& a);
// The same for a dense matrix.
template <Scalar T>
void write_matrix_market(const std::filesystem::path& file, const Dense<T>& a);
// The same to a file of the caller's.
template <Scalar T>
void write_matrix_market(OutputFile& file, const Csr<T>& a);
// The same of a dense matrix, to a file of the caller's.
template <Scalar T>
void write_matrix_market(OutputFile& file, const Dense<T>& a);

// Writes a dense matrix that need not be in memory whole. Throws Error(environment) as write_matrix_market()
// does.
template <Scalar T>
class DenseWriter {
 public:
  // A matrix of `rows` rows and `cols` columns; `file` must outlive it.
  DenseWriter(OutputFile& file, Index rows, Index cols);
  // Writes `entries`, one for each row, as the next column.
  void column(std::span<const T> entries);

 private:
  OutputFile* file_;
};

}  // namespace trisweep::matrix
