#pragma once
// ||B||_1 of a linear map that is known by its products only.

#include <functional>
#include <span>

#include "trisweep/distribution/row_partition.hpp"
#include "trisweep/transport/communicator.hpp"

namespace trisweep::krylov {

// Replaces this rank's rows of a vector by those of a product. Collective.
template <Scalar T>
using InPlaceProduct = std::function<void(std::span<T>)>;

// An estimate (a lower bound, rarely off by more than a factor of 3) of ||B||_1 from products with B and its
// conjugate transpose: LAPACK's xLACN2 (Higham 1988), at most five of each. Infinity when they overflow.
// Collective, the same on every rank; rank 0 needs room for three vectors. Throws on every rank when it has
// not.
template <Scalar T>
double estimate_one_norm(const transport::Communicator& comm, const distribution::RowPartition& partition,
                         const InPlaceProduct<T>& multiply, const InPlaceProduct<T>& multiply_adjoint);

}  // namespace trisweep::krylov
