#pragma once
// The pattern of an incomplete LU factorization with threshold.

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

// Limits on the entries of a factorization besides those of A.
struct Fill {
  double drop = 1e-3;  // fill below this multiple of its row's 2-norm in A is dropped
  Index per_row = 10;  // maximum fill of each row of L, and of each row of U
};

// Returns the pattern of an incomplete factorization of `a` with this `fill`: the entries of A and the
// largest other entries of L and U (ILUT: Saad 1994). For IncompleteLu, whose L U then equals A at all its
// entries; other values of A keep the pattern. Errors as of ilu0().
template <Scalar T>
matrix::Pattern ilut_pattern(const matrix::Csr<T>& a, const Fill& fill = {});

}  // namespace trisweep::sptrsv
