#include "trisweep/solve/panel_store.hpp"

#include <algorithm>

namespace trisweep::solve {
namespace {

using distribution::Mapping;
using distribution::Share;
using distribution::Side;
using symbolic::Structure;

constexpr int tag_panels = 0;

// Copies, of every panel of one side, the rows of the blocks that share.rank owns.
template <Scalar T>
void extract_side(const Structure& s, const Share& share, Side side, const numeric::Factors<T>& factors,
                  T* out) {
  const auto& part = share.side(side);
  for (Index p = 0; p < part.pieces(); ++p) {
    const Index k = part.supernode[usize(p)], height = part.height(p);
    const T* panel = side == Side::lower ? factors.lower_panel(k) : factors.upper_panel(k);
    T* piece = out + part.value_ptr[usize(p)];
    Index row = 0;
    for (const auto& block : part.blocks(p)) {
      for (Index j = 0; j < s.width(k); ++j) {
        std::copy_n(panel + usize(j) * usize(s.height(k)) + block.begin, block.end - block.begin,
                    piece + usize(j) * usize(height) + row);
      }
      row += block.end - block.begin;
    }
  }
}

}  // namespace

template <Scalar T>
auto PanelStore<T>::allocate(const Share& share, bool with_upper) -> Owned {
  constexpr const char* what = "this rank's part of the factors";
  return {.lower = Buffer<T>(usize(share.lower.value_ptr.back()), what),
          .diagonal = Buffer<T>(usize(share.diagonal_ptr.back()), what),
          .upper = Buffer<T>(with_upper ? usize(share.upper.value_ptr.back()) : 0, what)};
}

template <Scalar T>
auto PanelStore<T>::extract(const Structure& structure, const Share& share,
                            const numeric::Factors<T>& factors) -> Owned {
  const bool with_upper = factors.kind == numeric::Kind::lu;
  Owned owned = allocate(share, with_upper);
  extract_side(structure, share, Side::lower, factors, owned.lower.data());
  if (with_upper) extract_side(structure, share, Side::upper, factors, owned.upper.data());
  for (Index s = 0; s < share.segments(); ++s) {
    const Offset at = share.diagonal_ptr[usize(s)];
    std::copy_n(factors.diagonal_block(share.segment[usize(s)]), share.diagonal_ptr[usize(s) + 1] - at,
                owned.diagonal.data() + at);
  }
  return owned;
}

template <Scalar T>
void PanelStore<T>::adopt(Owned&& owned) {
  const auto kept = std::make_shared<const Owned>(std::move(owned));
  lower_ = kept->lower.data();
  diagonal_ = kept->diagonal.data();
  upper_ = kept->upper.data();
  bytes_ = (kept->lower.size() + kept->diagonal.size() + kept->upper.size()) * sizeof(T);
  keep_ = kept;
}

template <Scalar T>
PanelStore<T> PanelStore<T>::distribute(const transport::Communicator& comm, const Structure& structure,
                                        const Mapping& mapping, const Share& share,
                                        std::shared_ptr<const numeric::Factors<T>> factors) {
  PanelStore store;
  if (comm.size() == 1) {
    store.lower_ = factors->lower.data();
    store.diagonal_ = factors->diagonal.data();
    store.upper_ = factors->upper.data();
    store.bytes_ = factors->bytes();
    store.keep_ = factors;
    return store;
  }
  char with_upper = factors && factors->kind == numeric::Kind::lu;
  comm.broadcast(with_upper);
  Owned mine = transport::collectively(comm, [&] { return allocate(share, with_upper != 0); });
  const auto transfer = [&](Owned& owned, auto&& move) {
    for (Buffer<T>* part : {&owned.lower, &owned.diagonal, &owned.upper})
      move(part->data(), part->size() * sizeof(T));
  };
  if (comm.rank() == 0) mine = extract(structure, share, *factors);
  for (Index r = 1; r < comm.size(); ++r) {
    Owned theirs = transport::collectively(comm, [&] {
      if (comm.rank() != 0) return Owned{};
      return extract(structure, distribution::make_share(structure, mapping, r), *factors);
    });
    if (comm.rank() == 0) {
      transfer(theirs, [&](T* data, std::size_t bytes) { comm.send_bytes(data, bytes, r, tag_panels); });
    } else if (comm.rank() == r) {
      transfer(mine, [&](T* data, std::size_t bytes) { comm.receive_bytes(data, bytes, 0, tag_panels); });
    }
  }
  store.adopt(std::move(mine));
  return store;
}

#define INSTANTIATE(T) template class PanelStore<T>;
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)

}  // namespace trisweep::solve
