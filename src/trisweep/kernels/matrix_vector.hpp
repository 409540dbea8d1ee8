#pragma once
// Products of a panel with one vector. They stream the panel once and are bound by memory, as long as the
// arithmetic keeps up: on x86-64 each is compiled for several instruction sets, and the loader takes the best
// one.

#include "trisweep/core/types.hpp"

namespace trisweep::kernels {

// height x width, column-major with `ld` between columns.
template <Scalar T>
struct Block {
  const T* value;
  Index height;
  Index width;
  Index ld;
  bool conjugate;  // use conj(value)
};

// y(height) -= P s(width).
template <Scalar T>
void subtract_panel(const Block<T>& p, const T* s, T* y);

// y(width) -= P^T s(height).
template <Scalar T>
void subtract_transposed_panel(const Block<T>& p, const T* s, T* y);

#define TRISWEEP_DECLARE(T)                                    \
  template <>                                                  \
  void subtract_panel<T>(const Block<T>& p, const T* s, T* y); \
  template <>                                                  \
  void subtract_transposed_panel<T>(const Block<T>& p, const T* s, T* y);
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::kernels
