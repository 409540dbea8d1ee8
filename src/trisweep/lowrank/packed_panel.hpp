#pragma once
// Dense and low-rank blocks in adaptive precision: packed into bytes as products read them.

#include <span>
#include <string_view>
#include <vector>

#include "trisweep/lowrank/entries.hpp"
#include "trisweep/lowrank/number_format.hpp"

namespace trisweep::lowrank {

enum class Precision {
  adaptive,  // as few bytes as the allowed error permits
  full,      // unpacked numbers
};
struct NamedPrecision {
  std::string_view name;
  Precision precision;
};
std::span<const NamedPrecision> precisions();

// Appends the block to `bytes`, whose size stays a multiple of 8; column j is off by at most allowed[j] in
// the Euclidean norm.
template <Scalar T>
void pack_columns(numeric::View<const T> block, std::span<const double> allowed, Precision precision,
                  std::vector<std::byte>& bytes);

// The format of numbers: the bits of each and the step between neighbouring numbers.
struct Format {
  Bits bits = whole;
  double step = 1;
};
// The shortest format for all numbers of a block with which it is off by at most `allowed` in the Frobenius
// norm.
template <Scalar T>
Format format_of(numeric::View<const T> block, double allowed, Precision precision);
// The bytes of a block in one format.
template <Scalar T>
std::size_t packed_size(Index rows, Index cols, const Format& format);

// As pack_columns(), with one format for all columns.
template <Scalar T>
void pack_block(numeric::View<const T> block, const Format& format, std::vector<std::byte>& bytes);
template <Scalar T>
void pack_block(numeric::View<const T> block, double allowed, Precision precision,
                std::vector<std::byte>& bytes) {
  pack_block(block, format_of(block, allowed, precision), bytes);
}

// The errors that the columns of U and V of a recompressed block may have for U V^T to be off by `allowed`,
// to first order. Because the columns of V are orthonormal, sum_k ||du_k||^2 and sum_k ||u_k||^2 ||dv_k||^2
// are the squares of the errors from either side (in exact arithmetic); each column gets an equal share.
struct ColumnErrors {
  std::vector<double> u;
  std::vector<double> v;
};
template <Scalar T>
ColumnErrors share_error(const LowRank<T>& block, double allowed);

}  // namespace trisweep::lowrank
