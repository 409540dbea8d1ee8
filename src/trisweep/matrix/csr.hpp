#pragma once
// Sparse matrices in compressed-row form and dense column-major blocks of vectors: plain data, value
// semantics.

#include <span>
#include <vector>

#include "trisweep/core/row_numbers.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::matrix {

// The positions of a row's entries, for a range-based loop. (Clang 15, which compiles for AMD's chips, cannot
// take libstdc++'s std::views::iota.)
struct EntryRange {
  struct Iterator {
    Offset at;

    Offset operator*() const { return at; }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };

  Iterator first, last;

  Iterator begin() const { return first; }
  Iterator end() const { return last; }
};

// The positions of the nonzeros. Columns ascend within each row and none repeats.
struct Pattern {
  Index rows = 0;
  Index cols = 0;
  std::vector<Offset> row_ptr{0};  // rows + 1
  std::vector<Index> col;          // row_ptr[rows]

  Offset nonzeros() const { return row_ptr.back(); }
  // Positions of the nonzeros of row i in `col` and in the values.
  EntryRange entries(Index i) const { return {{row_ptr[usize(i)]}, {row_ptr[usize(i) + 1]}}; }
  std::span<const Index> row(Index i) const {
    return {col.data() + row_ptr[usize(i)], col.data() + row_ptr[usize(i) + 1]};
  }
};

template <Scalar T>
struct Csr {
  Pattern pattern;
  std::vector<T> value;  // pattern.nonzeros(), in the order of pattern.col

  Index rows() const { return pattern.rows; }
  Index cols() const { return pattern.cols; }
  Offset nonzeros() const { return pattern.nonzeros(); }
};

// Column-major rows x cols; column j starts at j * rows.
template <Scalar T>
struct Dense {
  Index rows = 0;
  Index cols = 0;
  std::vector<T> value;
};

// Throws Error(usage) unless `a` is consistent: row pointers ascend to the number of column indices and
// values, and the column indices of each row ascend and are in range. Names the first inconsistent row by its
// `number`.
template <Scalar T>
void require_consistent(const Csr<T>& a, const RowNumbers& number = {});

template <Scalar T>
Csr<T> transpose(const Csr<T>& a);
Pattern transpose(const Pattern& a);

// The pattern of A + A^T with a full diagonal, without values; A square.
Pattern symmetrized(const Pattern& a);

// The matrix in another precision, or as complex.
template <Scalar To, Scalar From>
Csr<To> convert(const Csr<From>& a);

// y = op(A) x, one column.
template <Scalar T>
void multiply(const Csr<T>& a, Op op, std::span<const T> x, std::span<T> y);

// Largest absolute row sum.
template <Scalar T>
double norm_inf(const Csr<T>& a);

// Largest absolute column sum.
template <Scalar T>
double norm_one(const Csr<T>& a);

// True if A(i,j) == A(j,i) exactly (conjugated when `hermitian`); entries not stored are zero.
template <Scalar T>
bool is_symmetric(const Csr<T>& a, bool hermitian);

// The same and, if `holds`, whether the diagonal is positive, in the same pass.
struct ValueSymmetry {
  bool holds = false;
  bool has_positive_diagonal = false;
};
template <Scalar T>
ValueSymmetry value_symmetry(const Csr<T>& a, bool hermitian);

// Entry (i, j) becomes entry (row_new[i], col_new[j]).
Pattern permuted(const Pattern& a, std::span<const Index> row_new, std::span<const Index> col_new);

// B(row_new[i], col_new[j]) = row_scale[i] * A(i,j) * col_scale[j].
template <Scalar T>
Csr<T> permuted_and_scaled(const Csr<T>& a, std::span<const Index> row_new, std::span<const Index> col_new,
                           std::span<const double> row_scale, std::span<const double> col_scale);

}  // namespace trisweep::matrix
