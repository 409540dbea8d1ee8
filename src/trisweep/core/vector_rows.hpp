#pragma once
// Vectors whose entries of a row are neighbours, in memory that somebody else owns: a view, as Vectors is.

#include "trisweep/core/types.hpp"

namespace trisweep {

// `rows` x `cols`, row-major, row i from data + i * ld on. Behind the last row is slack (core/buffer.hpp), or
// else there is a single column: kernels read whole cache lines of a row's entries.
template <class T>
struct VectorRows {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Offset ld = 0;

  operator VectorRows<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, ld}; }

  T* row(std::size_t i) const { return data + static_cast<Offset>(i) * ld; }
  // `count` columns from `first` on.
  VectorRows columns(Index first, Index count) const { return {data + first, rows, count, ld}; }
};

}  // namespace trisweep
