#pragma once
// Files of a matrix's rows: each rank writes its own, and reads its own of another number of ranks' files.

#include <filesystem>
#include <string>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/matrix/csr.hpp"

namespace trisweep::storage {

struct RowFiles {
  std::filesystem::path folder;
  std::string identity;                  // of this save: its files have it
  distribution::RowPartition partition;  // the rows of each file; there is none without rows
};

// Writes the rows of file `number`, with all columns of the matrix. Throws Error(environment). Not
// collective.
template <Scalar T>
void write_rows(const RowFiles& files, Index number, const matrix::Csr<T>& rows);

// Rows [first, last) of the matrix. Throws InputError if a file is missing, damaged or of another save. Not
// collective.
template <Scalar T>
matrix::Csr<T> read_rows(const RowFiles& files, Index first, Index last);

}  // namespace trisweep::storage
