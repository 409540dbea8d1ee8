#pragma once
// A dense block in low rank by QR with column pivoting (Businger and Golub 1965), ended where what is left is
// small: twice the work of the products it saves, where singular values take ten times that, for ranks that
// are a few percent higher.

#include <optional>

#include "trisweep/lowrank/entries.hpp"

namespace trisweep::lowrank {

struct RankLimits {
  double allowed;  // how far U V^T may be from the block in the Frobenius norm
  Index rank;      // of no use with more columns
};

// U's columns are orthonormal, those of V about as long as the singular values and about in their order.
// Nothing where more than limits.rank columns are needed, as soon as that is to be seen from how fast the
// rest falls. `block` has padded_rows() (gram_schmidt.hpp) and is overwritten; `rows` of them count.
template <Scalar T>
std::optional<LowRank<T>> rank_revealing(numeric::View<T> block, Index rows, const RankLimits& limits);

}  // namespace trisweep::lowrank
