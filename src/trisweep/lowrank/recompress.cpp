#include "trisweep/lowrank/recompress.hpp"

#include <cmath>

#include "trisweep/lowrank/lapack.hpp"
#include "trisweep/numeric/modulus.hpp"

namespace trisweep::lowrank {
namespace {

// The least number of leading values such that the squares of the others sum up to at most allowed^2.
template <class R>
Index kept(const std::vector<R>& values, const Accuracy& accuracy) {
  const double norm = numeric::norm_two<R>(values), unit = norm > 0 ? 1 / norm : 1;
  const double allowed = accuracy.allowed(norm) * unit;
  double tail = 0;
  auto rank = static_cast<Index>(values.size());
  while (rank > 0) {
    tail += squared_modulus(values[usize(rank - 1)], unit);
    if (!(tail <= allowed * allowed)) break;
    --rank;
  }
  return rank;
}

template <Scalar T>
numeric::View<T> view(std::vector<T>& block, Index rows, Index cols) {
  return {block.data(), rows, cols, std::max(rows, Index{1})};
}

}  // namespace

template <Scalar T>
LowRank<T> recompress(LowRank<T> block, const Accuracy& accuracy) {
  using numeric::View;
  const Index r = block.rank;
  const std::size_t room = usize(r) * usize(r) + read_over;
  block.u.reserve(block.u.size() + read_over);
  block.v.reserve(block.v.size() + read_over);
  std::vector<T> ru(room), rv(room), core(room), vh(room);
  qr(view(block.u, block.rows, r), view(ru, r, r));
  qr(view(block.v, block.cols, r), view(rv, r, r));
  // -R_u R_v^T = W diag(values) Z^H; products below change the sign once more.
  subtract_product(view(core, r, r), view(ru, r, r), Op::transpose, view(rv, r, r),
                   numeric::Target::overwrite);
  const auto values = svd(view(core, r, r), view(vh, r, r));
  const Index rank = kept(values, accuracy);

  LowRank<T> out{.rows = block.rows, .cols = block.cols, .rank = rank, .u = {}, .v = {}};
  out.u.resize(usize(out.rows) * usize(rank));
  out.v.resize(usize(out.cols) * usize(rank));
  for (Index k = 0; k < rank; ++k) {
    for (Index i = 0; i < r; ++i) core[usize(i) + usize(k) * usize(r)] *= values[usize(k)];
  }
  for (T& value : vh) value = -value;
  // U = -Q_u W diag(values), V = Q_v (Z^H)^T.
  subtract_product(view(out.u, out.rows, rank), view(block.u, block.rows, r), Op::none, view(core, r, rank),
                   numeric::Target::overwrite);
  subtract_product(view(out.v, out.cols, rank), view(block.v, block.cols, r), Op::transpose,
                   View<T>{vh.data(), rank, r, std::max(r, Index{1})}, numeric::Target::overwrite);
  return out;
}

#define INSTANTIATE(T) template LowRank<T> recompress(LowRank<T>, const Accuracy&);
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::lowrank
