#pragma once
// The matrix that an H-matrix approximates: anything that can be called with two indices, or that computes
// rows and columns.

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>

#include "trisweep/core/types.hpp"

namespace trisweep::hmatrix {

// kernel(i, j) is the entry of row i and column j; called from several threads at a time.
template <class K, class T>
concept EntryFunction = requires(const K& kernel, Index i) {
  { kernel(i, i) } -> std::convertible_to<T>;
};

// A kernel that evaluates many entries at once, by row(i, cols, out) and column(rows, j, out), as in
// IntegralKernel.
template <class K, class T>
concept RowFunction = requires(const K& kernel, Index i, std::span<const Index> list, T* out) {
  kernel.row(i, list, out);
  kernel.column(list, i, out);
};

// A reference to a kernel of either kind, which must outlive this object.
template <Scalar T>
class IntegralKernel {
 public:
  // Refers to `kernel`.
  template <EntryFunction<T> K>
  requires(!std::same_as<K, IntegralKernel>) IntegralKernel(const K& kernel)
      : object_(std::addressof(kernel)),
        row_([](const void* o, Index i, std::span<const Index> cols, T* out) {
          const K& k = *static_cast<const K*>(o);
          for (std::size_t c = 0; c < cols.size(); ++c) out[c] = k(i, cols[c]);
        }),
        column_([](const void* o, std::span<const Index> rows, Index j, T* out) {
          const K& k = *static_cast<const K*>(o);
          for (std::size_t r = 0; r < rows.size(); ++r) out[r] = k(rows[r], j);
        }) {}
  // The same.
  template <RowFunction<T> K>
  requires(!std::same_as<K, IntegralKernel>) IntegralKernel(const K& kernel)
      : object_(std::addressof(kernel)),
        row_([](const void* o, Index i, std::span<const Index> cols, T* out) {
          static_cast<const K*>(o)->row(i, cols, out);
        }),
        column_([](const void* o, std::span<const Index> rows, Index j, T* out) {
          static_cast<const K*>(o)->column(rows, j, out);
        }) {}

  // out[c] = entry (i, cols[c]), for all columns of `cols`. Throws what the kernel throws.
  void row(Index i, std::span<const Index> cols, T* out) const { row_(object_, i, cols, out); }
  // out[r] = entry (rows[r], j), for all rows of `rows`. Throws what the kernel throws.
  void column(std::span<const Index> rows, Index j, T* out) const { column_(object_, rows, j, out); }

 private:
  const void* object_;
  void (*row_)(const void*, Index, std::span<const Index>, T*);
  void (*column_)(const void*, std::span<const Index>, Index, T*);
};

}  // namespace trisweep::hmatrix
