#pragma once
// The linear system that is given to every peer: one file for all, written by `peer_prepare`.
//
// The matrix has our matching and scaling applied (those of the gallery and definite ones need none), so that
// peers that cannot permute for stability are not at a disadvantage. Rows and columns are in their original
// order; our fill-reducing permutation, the same for both, is included.

#include <filesystem>
#include <span>
#include <vector>

namespace peers {

struct Problem {
  int rows = 0;
  bool definite = false;     // symmetric positive definite
  std::vector<int> row_ptr;  // compressed rows, columns ascending in each
  std::vector<int> col;
  std::vector<double> value;
  std::vector<int> new_of_old;  // row and column i has index new_of_old[i] in our order

  std::vector<int> old_of_new() const;
};

// Little-endian values one after another: rows, nonzeros and definite (32 bits each), then row_ptr, col,
// new_of_old, value. Both throw std::runtime_error, which names the file.
void write_problem(const std::filesystem::path& file, const Problem& p);
Problem read_problem(const std::filesystem::path& file);

// The compressed rows of the transpose, for peers that take compressed columns.
Problem transposed(const Problem& p);

// Only entries (i, j) with j >= i: the upper triangle by rows, and so the lower one by columns.
Problem upper_triangle(const Problem& p);

// y = A x for one column.
void multiply(const Problem& p, const double* x, double* y);

// r = b - A x by columns. Returns for each column the largest |r| / (|A| |x| + |b|) over rows: the
// componentwise backward error of x (Oettli and Prager); infinite for NaN. Reads A once for eight columns.
std::vector<double> residual(const Problem& p, std::span<const double> b, std::span<const double> x,
                             std::span<double> r);

// The largest over columns of ||b - A x|| / (||A|| ||x|| + ||b||) in the infinity norm.
double backward_error(const Problem& p, int nrhs, const std::vector<double>& x, const std::vector<double>& b);

}  // namespace peers
