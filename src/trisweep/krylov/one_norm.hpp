#pragma once
// Estimate of ||B||_1 for a linear map B known only by its products.

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/krylov/linear_operator.hpp"
#include "trisweep/mpi/communicator.hpp"

namespace trisweep::krylov {

// Returns an estimate (a lower bound, rarely off by more than a factor of 3) of ||B||_1 from products with B
// and its conjugate transpose (Higham 1988, as LAPACK's xLACN2): at most six and four. Infinity if they
// overflow. Collective, the same on every rank; each rank stores its rows of three vectors. Besides the
// products, there are two to four reductions for each. Throws on every rank when memory does not suffice.
template <Scalar T>
double estimate_one_norm(const mpi::Communicator& comm, const distribution::RowPartition& partition,
                         const Operator<T>& multiply, const Operator<T>& multiply_adjoint);

}  // namespace trisweep::krylov
