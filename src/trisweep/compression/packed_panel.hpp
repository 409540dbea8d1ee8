#pragma once
// Dense and low-rank blocks in adaptive precision: packed into bytes, at the place where a product will read
// them (panel_products.hpp).

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/compression/entries.hpp"
#include "trisweep/compression/number_format.hpp"

namespace trisweep::compression {

enum class Precision {
  adaptive,  // as few bytes as the error may be
  full,      // the numbers themselves
};
struct NamedPrecision {
  std::string_view name;
  Precision precision;
};
std::span<const NamedPrecision> precisions();

// Appends the block to `bytes`, which ends at a multiple of 8; each column is off by at most allowed[j] in
// the Euclidean norm.
template <Scalar T>
void pack_columns(numeric::View<const T> block, std::span<const double> allowed, Precision precision,
                  std::vector<std::byte>& bytes);

// The same with one step and as many bits for all columns; the block is off by at most `allowed` in the
// Frobenius norm.
template <Scalar T>
void pack_block(numeric::View<const T> block, double allowed, Precision precision,
                std::vector<std::byte>& bytes);

// What the columns of U and V of a recompressed block may be off for U V^T to be off by `allowed`, to first
// order. Because the columns of V are orthonormal, sum_k ||du_k||^2 and sum_k ||u_k||^2 ||dv_k||^2 are the
// squares of the errors from either side (in exact arithmetic); each column gets as much as any other.
struct ColumnErrors {
  std::vector<double> u;
  std::vector<double> v;
};
template <Scalar T>
ColumnErrors share_error(const LowRank<T>& block, double allowed);

}  // namespace trisweep::compression
