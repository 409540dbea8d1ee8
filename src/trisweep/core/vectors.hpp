#pragma once
// Column-major dense vectors: a non-owning view, nothing is copied.

#include <cstddef>
#include <type_traits>
#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep {

// Where the data are.
enum class MemorySpace { host, device };

// `rows` x `cols`, column-major, column c from data + c * ld on. For a distributed vector: this rank's rows.
// A view does not check its arguments; functions that take one do (require_fit), where all ranks learn of an
// error.
template <class T>
struct Vectors {
  T* data = nullptr;                      // the first entry of the first column
  Index rows = 0;                         // entries of a column
  Index cols = 0;                         // columns
  Offset ld = 0;                          // leading dimension: entries from column to column
  MemorySpace space = MemorySpace::host;  // where `data` points to

  Vectors() = default;
  // `col_count` columns of `row_count` rows from `begin` on, without gaps.
  Vectors(T* begin, Index row_count, Index col_count) : Vectors(begin, row_count, col_count, row_count) {}
  // The same with leading dimension `between`, in the memory space `where`.
  Vectors(T* begin, Index row_count, Index col_count, Offset between, MemorySpace where = MemorySpace::host)
      : data(begin), rows(row_count), cols(col_count), ld(between), space(where) {}
  // One column, all entries of v.
  Vectors(std::vector<std::remove_const_t<T>>& v) : Vectors(v.data(), static_cast<Index>(v.size()), 1) {}
  // The same for reading.
  Vectors(const std::vector<std::remove_const_t<T>>& v) requires std::is_const_v<T>
      : Vectors(v.data(), static_cast<Index>(v.size()), 1) {}
  // A read-only view of the same memory.
  operator Vectors<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, ld, space}; }

  // Where column c begins.
  T* column(Index c) const { return data + c * ld; }
  // `count` columns from `first` on.
  Vectors columns(Index first, Index count) const { return {column(first), rows, count, ld, space}; }
};

// Throws Error(usage) unless b and x have `rows` rows and equally many columns, one or more, and are in host
// memory or, with `on_devices`, in host or device memory.
template <Scalar T>
void require_fit(Vectors<const T> b, Vectors<const T> x, Index rows, bool on_devices = false);
// The same, and throws Error(usage) if b and x overlap in memory.
template <Scalar T>
void require_apart(Vectors<const T> b, Vectors<const T> x, Index rows, bool on_devices = false);

}  // namespace trisweep
