#pragma once
// The dense building blocks of the factorization: the BLAS and LAPACK routines it uses, with one name for the
// four scalar types and matrices as views instead of loose pointers. Only the routines in use are wrapped.

#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// A column-major block in memory of the caller: entry (i, j) is data[i + j * ld].
template <class T>
struct View {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index ld = 0;

  T& operator()(Index i, Index j) const { return data[usize(i) + usize(j) * usize(ld)]; }
  T* column(Index j) const { return data + usize(j) * usize(ld); }
  View block(Index i, Index j, Index block_rows, Index block_cols) const {
    return {data + usize(i) + usize(j) * usize(ld), block_rows, block_cols, ld};
  }
  bool empty() const { return rows == 0 || cols == 0; }
};

enum class Triangle : char { lower = 'L', upper = 'U' };
enum class Diagonal : char { unit = 'U', stored = 'N' };
enum class Target { overwrite, accumulate };  // whether a product replaces its target or adds to it

// C := [C] - A op(B).
template <Scalar T>
void subtract_product(View<T> c, View<T> a, Op op, View<T> b, Target target = Target::accumulate);

// Lower triangle of C := [C] - A op(B), which is symmetric or Hermitian; the upper triangle is left
// undefined.
template <Scalar T>
void subtract_lower_product(View<T> c, View<T> a, Op op, View<T> b, Target target = Target::accumulate);

// B := B op(R)^-1 with R triangular.
template <Scalar T>
void solve_right(View<T> b, View<T> r, Triangle triangle, Op op, Diagonal diagonal);

// B := L^-1 B with L unit lower triangular.
template <Scalar T>
void solve_unit_lower(View<T> l, View<T> b);

// Cholesky factor of the lower triangle in place. Returns false if a pivot is not positive.
template <Scalar T>
bool cholesky_lower(View<T> a);

}  // namespace trisweep::numeric
