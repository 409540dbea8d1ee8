#pragma once
#include "trisweep/lowrank/entries.hpp"

namespace trisweep::lowrank {

// The same block with the fewest columns that accuracy allows (QR of both sides, SVD of R_u R_v^T). V's
// columns are then orthonormal, and those of U orthogonal, with the singular values as lengths, in descending
// order.
template <Scalar T>
LowRank<T> recompress(LowRank<T> block, const Accuracy& accuracy);

}  // namespace trisweep::lowrank
