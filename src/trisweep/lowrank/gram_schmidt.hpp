#pragma once
// One step of the modified Gram-Schmidt process on all columns of a block, as each instruction set has it.
// gram_schmidt.cpp is compiled once for each; gram_schmidt() takes the best that the processor has.

#include "trisweep/core/instruction_set.hpp"
#include "trisweep/numeric/blas.hpp"

namespace trisweep::lowrank {

// Columns begin at multiples of as many entries, the last of which are zero.
inline constexpr Index gram_schmidt_rows = 8;
constexpr Index padded_rows(Index rows) {
  return (rows + gram_schmidt_rows - 1) / gram_schmidt_rows * gram_schmidt_rows;
}

// With q of length 1: product[j] = q^H a_j, a_j -= q product[j], squared[j] = ||a_j||^2 of what is left, for
// the columns of `block`, whose rows and leading dimension are padded ones.
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
