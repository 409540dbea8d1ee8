#pragma once
// The entries of a block for compression: single rows and columns, from any source (a kernel of boundary
// elements, a dense matrix, a separator of factors).

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "trisweep/numeric/blas.hpp"

namespace trisweep::lowrank {

// A block of rows() x cols(): row(i, out) writes the cols() entries of row i, row(i, cols, out) those in some
// columns, column(j, out) the rows() of column j. All may be called from several threads at a time, each with
// its own block.
template <class Block, class T>
concept BlockEntries = requires(const Block& block, Index i, std::span<const Index> cols, T* out) {
  { block.rows() } -> std::convertible_to<Index>;
  { block.cols() } -> std::convertible_to<Index>;
  block.row(i, out);
  block.row(i, cols, out);
  block.column(i, out);
};

// A reference to any such block, which must outlive this object.
template <Scalar T>
class Entries {
 public:
  template <BlockEntries<T> Block>
  requires(!std::same_as<Block, Entries>) Entries(const Block& block)
      : object_(std::addressof(block)),
        rows_(block.rows()),
        cols_(block.cols()),
        row_([](const void* o, Index i, T* out) { static_cast<const Block*>(o)->row(i, out); }),
        some_([](const void* o, Index i, std::span<const Index> cols, T* out) {
          static_cast<const Block*>(o)->row(i, cols, out);
        }),
        column_([](const void* o, Index j, T* out) { static_cast<const Block*>(o)->column(j, out); }) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  void row(Index i, T* out) const { row_(object_, i, out); }
  void row(Index i, std::span<const Index> cols, T* out) const { some_(object_, i, cols, out); }
  void column(Index j, T* out) const { column_(object_, j, out); }

 private:
  const void* object_;
  Index rows_, cols_;
  void (*row_)(const void*, Index, T*);
  void (*some_)(const void*, Index, std::span<const Index>, T*);
  void (*column_)(const void*, Index, T*);
};

// A dense block in memory.
template <Scalar T>
struct DenseEntries {
  numeric::View<const T> block;

  Index rows() const { return block.rows; }
  Index cols() const { return block.cols; }
  void row(Index i, T* out) const {
    for (Index j = 0; j < block.cols; ++j) out[j] = block(i, j);
  }
  void row(Index i, std::span<const Index> cols, T* out) const {
    for (const Index j : cols) *out++ = block(i, j);
  }
  void column(Index j, T* out) const { std::copy_n(block.column(j), block.rows, out); }
};

// The allowed error of an approximation in the Frobenius norm: the larger of the two.
struct Accuracy {
  double relative = 0;  // to the block's norm
  double absolute = 0;

  double allowed(double norm) const { return std::max(relative * norm, absolute); }
};

// A = U V^T, without conjugation. U is rows x rank, V is cols x rank, both column-major without gaps.
template <Scalar T>
struct LowRank {
  Index rows = 0;
  Index cols = 0;
  Index rank = 0;
  std::vector<T> u;
  std::vector<T> v;

  T* u_column(Index k) { return u.data() + usize(k) * usize(rows); }
  T* v_column(Index k) { return v.data() + usize(k) * usize(cols); }
  const T* u_column(Index k) const { return u.data() + usize(k) * usize(rows); }
  const T* v_column(Index k) const { return v.data() + usize(k) * usize(cols); }
};

}  // namespace trisweep::lowrank
