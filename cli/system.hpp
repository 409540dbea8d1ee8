#pragma once
// The linear system of a run: where it is read from, and in the scalar type it is solved in.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "trisweep/core/observer.hpp"
#include "trisweep/matrix/any_matrix.hpp"

namespace trisweep::cli {

// What a command that solves reads and writes.
struct SystemFiles {
  std::string matrix;
  std::string factors;  // a folder of trisweep factor, in place of the matrix or beside it
  std::string rhs;      // empty: made up, nrhs of them
  std::string rows;     // a list of rows of the solution; empty: all of it
  std::string output;
  std::string json;
  Index nrhs = 1;

  const std::string& given() const { return matrix.empty() ? factors : matrix; }
};
void add_system_files(CLI::App& sub, SystemFiles& files);
constexpr const char* matrix_formats =
    "Matrix Market, Harwell-Boeing, Rutherford-Boeing or PETSc binary; may be gzipped";

// As it was read.
struct AnySystem {
  matrix::AnyCsr a;
  std::optional<matrix::AnyDense> b;
  std::vector<Index> rows;  // of x that are asked for, from 0
};
// Throws Error(input) when the right-hand side has other rows than the matrix, Error(usage) when the factors
// are of another matrix.
AnySystem read_system(const SystemFiles& files, Observer& observer);
bool is_complex_system(const AnySystem& system);

template <Scalar T>
struct System {
  matrix::Csr<T> a;
  matrix::Dense<T> b;
  std::vector<Index> rows;  // of x that are asked for; none: all
};
// In the precision of T, which is complex when the system is, with a right-hand side of op(A) x = b.
template <Scalar T>
System<T> take_system(AnySystem&& read, Op op, Index nrhs);

// A complex system is never taken as a real one: that throws Error(usage). Error(input) when the values are
// out of T's range.
template <Scalar T>
matrix::Csr<T> take_matrix(matrix::AnyCsr&& any);

}  // namespace trisweep::cli
