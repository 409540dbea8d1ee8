#pragma once
// The linear system of a run, in the scalar type it is solved in.

#include "trisweep/matrix/csr.hpp"

namespace trisweep::cli {

// A complex system is never taken as a real one: that throws Error(usage). Error(input) when the values are
// out of T's range.
template <Scalar T>
matrix::Csr<T> take_matrix(matrix::AnyCsr&& any);
template <Scalar T>
matrix::Dense<T> take_rhs(const matrix::AnyDense& any);

// op(A) times random solutions with entries in [1, 2): every entry matters, and a singular system is
// consistent.
template <Scalar T>
matrix::Dense<T> made_up_rhs(const matrix::Csr<T>& a, Op op, Index nrhs);

}  // namespace trisweep::cli
