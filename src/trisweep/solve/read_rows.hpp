#pragma once
// Reads a matrix file by all ranks together: each parses an equal part of the file and sends the entries to
// the ranks that have their rows, so that no rank holds the whole matrix.

#include <filesystem>
#include <variant>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/solve/block_rows.hpp"

namespace trisweep::solve {

// This rank's rows of a real or a complex system of equations.
using AnyBlockRows = std::variant<BlockRows<double>, BlockRows<std::complex<double>>>;

// Collective. Distributes a matrix from rank 0: see dealt_out() of a matrix of one type. Throws on every rank
// also what matrix::require_scalar() throws.
AnyBlockRows dealt_out(MPI_Comm comm, matrix::AnyCsr a);

// Returns even blocks of the rows of the matrix in `file`: see matrix::read_matrix() for formats, progress
// and errors, which are those of a single reader. Files that are not divisible (compressed ones, other
// formats than Matrix Market coordinate and PETSc binary), small ones, and those that not all ranks can read
// are read by rank 0 alone and dealt out. Collective. Throws on every rank, also Error(input) when the matrix
// is not square.
AnyBlockRows read_rows(MPI_Comm comm, const std::filesystem::path& file,
                       Observer& observer = silent_observer());

}  // namespace trisweep::solve

namespace trisweep {

using solve::AnyBlockRows;
using solve::read_rows;

}  // namespace trisweep
