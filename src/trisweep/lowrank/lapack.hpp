#pragma once
// The two factorizations of LAPACK that compression uses, with one name for the four scalar types.

#include <vector>

#include "trisweep/numeric/blas.hpp"

namespace trisweep::lowrank {

// Entries allocated behind a block for LAPACK: OpenBLAS's kernels for complex numbers read beyond the end.
inline constexpr std::size_t read_over = 64;

// A = Q R for a block with at least as many rows as columns: `a` becomes Q, `r` (square) R.
template <Scalar T>
void qr(numeric::View<T> a, numeric::View<T> r);

// A = U diag(values) V^H: `a` (square) becomes U, `vh` V^H. Throws Error(numerical) where the iteration does
// not converge (an entry is not finite).
template <Scalar T>
std::vector<RealOf<T>> svd(numeric::View<T> a, numeric::View<T> vh);

}  // namespace trisweep::lowrank
