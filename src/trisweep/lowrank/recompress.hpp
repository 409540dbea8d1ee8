#pragma once
#include "trisweep/lowrank/entries.hpp"

namespace trisweep::lowrank {

// The same block with the fewest columns that accuracy allows (QR of both sides, SVD of R_u R_v^T). Then V's
// columns are orthonormal, and those of U orthogonal, as long as the singular values and in their order.
template <Scalar T>
LowRank<T> recompress(LowRank<T> block, const Accuracy& accuracy);

}  // namespace trisweep::lowrank
