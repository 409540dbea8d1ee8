#pragma once
// The linear system of a run: its files, and its values in the scalar type of the solve.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/any_matrix.hpp"

namespace trisweep::cli {

// The files that a command that solves reads and writes.
struct SystemFiles {
  std::string matrix;
  std::string factors;  // a folder of trisweep factor, in place of the matrix or beside it
  std::string rhs;      // empty: nrhs right-hand sides are generated
  std::string rows;     // a list of rows of the solution; empty: all rows
  std::string output;
  std::string json;
  Index nrhs = 1;

  const std::string& given() const { return matrix.empty() ? factors : matrix; }
};
void add_system_files(CLI::App& sub, SystemFiles& files);
constexpr const char* matrix_formats =
    "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped";

// A system as it was read, in any scalar type.
struct AnySystem {
  matrix::AnyCsr a;
  std::optional<matrix::AnyDense> b;
  std::vector<Index> rows;  // wanted rows of x, counted from 0
};
// Throws Error(input) if right-hand side and matrix differ in the number of rows, Error(usage) if the factors
// are those of another matrix.
AnySystem read_system(const SystemFiles& files, Observer& observer);
bool is_complex_system(const AnySystem& system);

template <Scalar T>
struct System {
  matrix::Csr<T> a;
  matrix::Dense<T> b;
  std::vector<Index> rows;  // wanted rows of x; empty: all
};
// Converts the system to T, which is complex if the system is; without right-hand sides, generates nrhs of
// them for op(A) x = b.
template <Scalar T>
System<T> take_system(AnySystem&& read, Op op, Index nrhs);

// Converts a matrix to T. Throws Error(usage) if it is complex and T real, Error(input) if values are out of
// T's range.
template <Scalar T>
matrix::Csr<T> take_matrix(matrix::AnyCsr&& any);

}  // namespace trisweep::cli
