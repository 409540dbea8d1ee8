#pragma once
// Vectors in memory that somebody else owns: a view, nothing is copied.

#include <cstddef>
#include <type_traits>
#include <vector>

#include "trisweep/core/types.hpp"

namespace trisweep {

// Whose memory.
enum class MemorySpace { host, device };

// `rows` x `cols`, column-major, column c from data + c * ld on. Of a distributed vector: this rank's rows.
// A view does not check its arguments; functions that take one do, where all ranks hear of an error
// (require_fit).
template <class T>
struct Vectors {
  T* data = nullptr;                      // the first entry of the first column
  Index rows = 0;                         // entries of a column
  Index cols = 0;                         // columns
  Offset ld = 0;                          // entries between the beginnings of columns
  MemorySpace space = MemorySpace::host;  // whose memory

  Vectors() = default;
  // `col_count` columns of `row_count` rows from `begin` on, without gaps.
  Vectors(T* begin, Index row_count, Index col_count) : Vectors(begin, row_count, col_count, row_count) {}
  // The same with columns whose beginnings are `between` entries apart, in the memory `where`.
  Vectors(T* begin, Index row_count, Index col_count, Offset between, MemorySpace where = MemorySpace::host)
      : data(begin), rows(row_count), cols(col_count), ld(between), space(where) {}
  // One column, all entries of v.
  Vectors(std::vector<std::remove_const_t<T>>& v) : Vectors(v.data(), static_cast<Index>(v.size()), 1) {}
  // The same for reading.
  Vectors(const std::vector<std::remove_const_t<T>>& v) requires std::is_const_v<T>
      : Vectors(v.data(), static_cast<Index>(v.size()), 1) {}
  // For reading only.
  operator Vectors<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, ld, space}; }

  // Where column c begins.
  T* column(Index c) const { return data + c * ld; }
  // `count` columns from `first` on.
  Vectors columns(Index first, Index count) const { return {column(first), rows, count, ld, space}; }
};

// Throws Error(usage) unless b and x are `rows` rows of as many columns, of which there is one at least, in
// the host's memory, or (`on_devices`) in a device's.
template <Scalar T>
void require_fit(Vectors<const T> b, Vectors<const T> x, Index rows, bool on_devices = false);
// The same, and that they have no memory in common.
template <Scalar T>
void require_apart(Vectors<const T> b, Vectors<const T> x, Index rows, bool on_devices = false);

}  // namespace trisweep
