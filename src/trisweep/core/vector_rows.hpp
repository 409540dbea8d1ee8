#pragma once
// Row-major dense vectors: a non-owning view, like Vectors.

#include "trisweep/core/types.hpp"

namespace trisweep {

// `rows` x `cols`, row-major; row i begins at data + i * ld. With several columns, slack follows the last row
// (core/buffer.hpp): kernels read whole cache lines of a row's entries.
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
