#pragma once
// The linear system that every peer is given: one file for all of them, written by `peer_prepare`.
//
// The matrix is after our matching and scaling (the gallery's and definite ones need none), so that peers
// that cannot permute for stability are not at a disadvantage; rows and columns are in their first order, and
// our fill-reducing permutation, the same for both, comes with it.

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
  std::vector<int> new_of_old;  // row and column i is number new_of_old[i] in our order

  std::vector<int> old_of_new() const;
};

// Little-endian numbers one after another: rows, nonzeros and definite (32 bits each), then row_ptr, col,
// new_of_old, value. Both throw std::runtime_error naming the file.
void write_problem(const std::filesystem::path& file, const Problem& p);
Problem read_problem(const std::filesystem::path& file);

// The transpose's compressed rows: for peers that want compressed columns.
Problem transposed(const Problem& p);

// Only entries (i, j) with j >= i: the upper triangle by rows, and so the lower one by columns.
Problem upper_triangle(const Problem& p);

// y = A x for one column.
void multiply(const Problem& p, const double* x, double* y);

// r = b - A x by columns. Returns of each the largest |r| / (|A| |x| + |b|) over rows: the componentwise
// backward error of x (Oettli and Prager); infinite where it is no number. Reads A once for eight columns.
std::vector<double> residual(const Problem& p, std::span<const double> b, std::span<const double> x,
                             std::span<double> r);

// The largest over columns of ||b - A x|| / (||A|| ||x|| + ||b||) in the infinity norm.
double backward_error(const Problem& p, int nrhs, const std::vector<double>& x, const std::vector<double>& b);

}  // namespace peers
