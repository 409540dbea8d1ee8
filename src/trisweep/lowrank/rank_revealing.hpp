#pragma once
// The low-rank form of a dense block by QR with column pivoting (Businger and Golub 1965), stopped when the
// rest is small: twice the work of the products it saves, where an SVD takes ten times that; ranks are a few
// percent higher.

#include <optional>

#include "trisweep/lowrank/entries.hpp"

namespace trisweep::lowrank {

struct RankLimits {
  double allowed;  // how far U V^T may be from the block in the Frobenius norm
  Index rank;      // more columns are of no use
};

// U's columns are orthonormal, those of V about as long as the singular values and about in their order.
// Returns nothing if more than limits.rank columns are needed, as soon as the decay of the rest shows that.
// `block` has padded_rows() (gram_schmidt.hpp), of which the first `rows` count, and is overwritten.
template <Scalar T>
std::optional<LowRank<T>> rank_revealing(numeric::View<T> block, Index rows, const RankLimits& limits);

}  // namespace trisweep::lowrank
