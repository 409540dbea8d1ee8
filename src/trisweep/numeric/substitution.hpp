#pragma once
// Multiplies rows of a panel by the inverse of a small triangle, by substitution; the BLAS is slow at this if
// the triangle is narrow. substitution.cpp is compiled once for each instruction set; solve_right.cpp calls
// the version for the best one that the processor supports.

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// Columns x_0 .. x_{width-1}, column j at data + j * stride. In this order each becomes
//   x_j := (x_j - sum_{k<j} x_k c[j * width + k]) c[j * width + j].
template <Scalar T>
struct Substitution {
  T* data;
  Offset stride;
  Index rows;
  Index width;
  const T* c;
};

#define TRISWEEP_DECLARE(isa)                \
  namespace isa {                            \
  template <Scalar T>                        \
  void substitute(const Substitution<T>& s); \
  }
TRISWEEP_FOR_EACH_ISA(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::numeric
