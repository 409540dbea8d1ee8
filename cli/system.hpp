#pragma once
// The linear system of a run: its files, and its values in the scalar type of the solve.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "trisweep/core/observer.hpp"
#include "trisweep/core/output_file.hpp"
#include "trisweep/matrix/any_matrix.hpp"
#include "trisweep/matrix/dense_reader.hpp"
#include "trisweep/mpi/communicator.hpp"
#include "trisweep/solve/read_rows.hpp"

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

inline bool is_complex_matrix(const solve::AnyBlockRows& rows) {
  return std::holds_alternative<solve::BlockRows<std::complex<double>>>(rows);
}

// A system as it was read, in any scalar type. The same functions, collective, serve one process: with a
// communicator of its own.
struct AnySystem {
  solve::AnyBlockRows a;                 // even blocks of rows
  std::optional<matrix::DenseReader> b;  // on rank 0
  std::vector<Index> rows;               // wanted rows of x, counted from 0; on rank 0
  bool complex = false;                  // A or b
};
// Throws Error(input) if right-hand side and matrix differ in the number of rows, Error(usage) if the factors
// are those of another matrix.
AnySystem read_system(const mpi::Communicator& comm, const SystemFiles& files, Observer& observer);

template <Scalar T>
struct System {
  solve::BlockRows<T> a;
  std::vector<T> b;  // its rows as those of A, by columns
  Index nrhs = 0;
  Offset nonzeros = 0;      // of the whole matrix
  std::vector<Index> rows;  // wanted rows of x, on rank 0; empty: all

  Index size() const { return a.a.cols(); }
};
// Converts the system to T, which is complex if the system is; without right-hand sides, generates nrhs of
// them for op(A) x = b.
template <Scalar T>
System<T> take_system(const mpi::Communicator& comm, AnySystem&& read, Op op, Index nrhs);

// Collective. Writes vectors of which each rank has its rows into `file`, on rank 0, one after the other: no
// rank has a whole one but rank 0 the one that it writes.
template <Scalar T>
void write_vectors(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                   Vectors<const T> rows, std::optional<OutputFile>& file);

// Collective. Converts this rank's rows to T. Throws as take_matrix().
template <Scalar T>
solve::BlockRows<T> take_rows(const mpi::Communicator& comm, solve::AnyBlockRows any);

// Converts a whole matrix to T. Throws Error(usage) if it is complex and T real, Error(input) if values are
// out of T's range.
template <Scalar T>
matrix::Csr<T> take_matrix(matrix::AnyCsr&& any);

}  // namespace trisweep::cli
