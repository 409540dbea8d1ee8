#pragma once
// One step of the modified Gram-Schmidt process on all columns of a block, for each instruction set:
// gram_schmidt.cpp is compiled once for each; gram_schmidt() returns the best for this processor.

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/numeric/blas.hpp"

namespace trisweep::lowrank {

// Columns are padded with zeros to a multiple of this many entries.
inline constexpr Index gram_schmidt_rows = 8;
constexpr Index padded_rows(Index rows) {
  return (rows + gram_schmidt_rows - 1) / gram_schmidt_rows * gram_schmidt_rows;
}

// With ||q|| = 1: product[j] = q^H a_j, a_j -= q product[j], squared[j] = ||a_j||^2 of the new a_j, for the
// columns of `block`, whose rows and leading dimension are padded.
template <Scalar T>
struct GramSchmidtStep {
  numeric::View<T> block;
  const T* q;
  T* product;
  double* squared;
};

template <Scalar T>
using GramSchmidt = void (*)(const GramSchmidtStep<T>&);

template <Scalar T>
GramSchmidt<T> gram_schmidt();

#define TRISWEEP_DECLARE(isa)           \
  namespace isa {                       \
  template <Scalar T>                   \
  GramSchmidt<T> gram_schmidt_of_isa(); \
  }
TRISWEEP_FOR_EACH_ISA(TRISWEEP_DECLARE)
#undef TRISWEEP_DECLARE

}  // namespace trisweep::lowrank
