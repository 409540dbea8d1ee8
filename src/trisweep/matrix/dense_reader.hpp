#pragma once
// Right-hand sides of a file, column by column.

#include <filesystem>
#include <memory>
#include <optional>

#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/matrix/line_reader.hpp"
#include "trisweep/matrix/matrix_market_header.hpp"

namespace trisweep::matrix {

// Dense right-hand sides, a column each: Matrix Market array (or coordinate, filled with zeros), PETSc binary
// Vec, or the right-hand side section of a Harwell-Boeing file. Errors are those of matrix/io.hpp. Of a
// general Matrix Market array file, the format of several right-hand sides, one column at a time is in
// memory; of others all.
class DenseReader {
 public:
  // Reads as far as the sizes are known.
  explicit DenseReader(const std::filesystem::path& file);

  Index rows() const { return header_.rows; }
  Index cols() const { return header_.cols; }
  bool is_complex() const;
  // Number of columns to reserve memory for: headers lie, file sizes do not.
  Index plausible_cols() const;

  // Returns the next column; to be called cols() times. With the last, the file has been read to its end.
  AnyDense column();

 private:
  std::unique_ptr<ByteReader> source_;
  std::unique_ptr<LineReader> lines_;
  MatrixMarketHeader header_;  // of other formats: rows and columns alone
  std::optional<AnyDense> whole_;
  Index next_ = 0;
};

}  // namespace trisweep::matrix
