#pragma once
// Factorization and inversion of one diagonal block, small (at most a supernode's width) and dense.

#include <span>

#include "trisweep/numeric/block_pivots.hpp"

namespace trisweep::numeric {

// P A = L U in place with partial pivoting within the block, L unit lower. Row i was exchanged with row
// pivots[i] >= i, in ascending order of i. A pivot below `bound` (or not a number) is replaced by `bound`
// with the pivot's sign or phase. Returns the number of replaced pivots.
template <Scalar T>
Index lu_in_place(View<T> a, std::span<Index> pivots, RealOf<T> bound);

// A^-1 in place of the factors that lu_in_place left. `scratch` has a.rows * a.rows entries.
template <Scalar T>
void invert_from_lu(View<T> lu, std::span<const Index> pivots, std::span<T> scratch);

// A = L L^H in place, from the lower triangle. Returns false if a pivot is not a positive finite number.
template <Scalar T>
bool cholesky_in_place(View<T> a);

// A^-1, both triangles, in place of L. `scratch` as above.
template <Scalar T>
void invert_from_cholesky(View<T> l, std::span<T> scratch);

// A^-1, both triangles, in place of L and B, where (L B op(L))(i, j) = A(order[i], order[j]). `scratch` as
// above.
template <Scalar T>
void invert_from_ldl(const BlockPivots<T>& factors, std::span<const Index> order, std::span<T> scratch);

// A := P A.
template <Scalar T>
void exchange_rows(View<T> a, std::span<const Index> pivots);

// Column exchanges B := B P^T (`forward`: i ascending) or B := B P (descending).
template <Scalar T>
void exchange_columns(View<T> b, std::span<const Index> pivots, bool forward);

}  // namespace trisweep::numeric
