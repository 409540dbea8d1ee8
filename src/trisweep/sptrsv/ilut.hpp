#pragma once
// Where an incomplete LU factorization with threshold has entries.

#include "trisweep/matrix/csr.hpp"

namespace trisweep::sptrsv {

// How many entries a factorization has besides A's.
struct Fill {
  double drop = 1e-3;  // entries below this share of their row's 2-norm in A are left out
  Index per_row = 10;  // entries at most that a row of L, and one of U, has more than A's
};

// Where an incomplete factorization of `a` with that much fill has entries: those of A and the largest others
// of L and U (ILUT: Saad 1994). For IncompleteLu, whose values then equal those of A wherever there is an
// entry; other values of A keep the pattern. Errors as of ilu0().
template <Scalar T>
matrix::Pattern ilut_pattern(const matrix::Csr<T>& a, const Fill& fill = {});

}  // namespace trisweep::sptrsv
