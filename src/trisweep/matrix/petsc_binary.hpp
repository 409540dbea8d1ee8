#pragma once
// PETSc's binary viewer format: big-endian integers and doubles. A Mat is its class id, rows, columns,
// nonzeros, the length of each row, 0-based column indices, values; a Vec is its class id, length, values.
//
// Integers have 32 or, from builds with 64-bit indices, 64 bits: a file of 64-bit integers begins with four
// zero bytes. The format does not say whether its values are complex. They are real when the file ends, or
// its next object begins, after one double per value, and complex otherwise.

#include <optional>

#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/matrix/byte_reader.hpp"
#include "trisweep/matrix/read_triplets.hpp"

namespace trisweep::matrix {

// True if the content begins with a Mat or a Vec. Throws InputError if their class id is little-endian.
bool is_petsc_binary(ByteReader& source);

// The first Mat, which must come first. Throws InputError for dense storage, and values in other precisions.
AnyCsr read_petsc_binary(ByteReader& source);

struct PetscSizes {
  Index rows, cols;
  Offset nonzeros;
  bool complex;
};
// The sizes of the Mat that an uncompressed file consists of; nullopt if it has more than a Mat.
std::optional<PetscSizes> petsc_sizes(ByteReader& source);
// The entries of that Mat in rows [first, last).
template <Scalar T>
Triplets<T> read_petsc_rows(ByteReader& source, Index first, Index last);

// The first Vec, as one column; a Mat before it is skipped (files of a system hold A, then b).
AnyDense read_petsc_binary_dense(ByteReader& source);

}  // namespace trisweep::matrix
