#include "trisweep/solve/panel_store.hpp"

#include <algorithm>

namespace trisweep::solve {
namespace {

using distribution::Mapping;
using distribution::Share;
using distribution::Side;
using symbolic::Structure;

constexpr int tag_panels = 0;

constexpr std::size_t at(Side side) {
  return static_cast<std::size_t>(side);
}

// Where a side's panel of a supernode begins in the factors, and its height there. The factors know whole
// supernodes; tiles are runs of their columns.
template <Scalar T>
std::pair<const T*, Index> panel_of(const Structure& tiles, Side side, Index k,
                                    const numeric::Factors<T>& factors) {
  const Structure& whole = *factors.structure;
  const Index wide = whole.supernode_of[usize(tiles.first[usize(k)])];
  const Index column = tiles.first[usize(k)] - whole.first[usize(wide)];
  const Index height = side == Side::diagonal ? whole.width(wide) : whole.height(wide);
  const T* panel = side == Side::lower   ? factors.lower_panel(wide)
                   : side == Side::upper ? factors.upper_panel(wide)
                                         : factors.diagonal_block(wide);
  return {panel + usize(column) * usize(height), height};
}

// Copies, of every panel of one side, the rows of the blocks that share.rank owns.
template <Scalar T>
void extract_side(const Structure& s, const Share& share, Side side, const numeric::Factors<T>& factors,
                  T* out) {
  const auto& part = share.side(side);
  for (Index p = 0; p < part.pieces(); ++p) {
    const Index k = part.supernode[usize(p)], height = part.height(p);
    const auto [panel, panel_height] = panel_of(s, side, k, factors);
    T* piece = out + part.value_ptr[usize(p)];
    Index row = 0;
    for (const auto& block : part.blocks(p)) {
      for (Index j = 0; j < s.width(k); ++j) {
        std::copy_n(panel + usize(j) * usize(panel_height) + block.begin, block.end - block.begin,
                    piece + usize(j) * usize(height) + row);
      }
      row += block.end - block.begin;
    }
  }
}

}  // namespace

template <Scalar T>
auto PanelStore<T>::allocate(const Share& share, bool with_upper) -> Owned {
  Owned owned;
  for (const Side side : distribution::sides) {
    if (side != Side::upper || with_upper)
      owned[at(side)] =
          Buffer<T>(usize(share.side(side).value_ptr.back()), "this rank's part of the factors");
  }
  return owned;
}

template <Scalar T>
auto PanelStore<T>::extract(const Structure& structure, const Share& share,
                            const numeric::Factors<T>& factors) -> Owned {
  const bool with_upper = factors.kind == numeric::Kind::lu;
  Owned owned = allocate(share, with_upper);
  for (const Side side : distribution::sides) {
    if (side != Side::upper || with_upper)
      extract_side(structure, share, side, factors, owned[at(side)].data());
  }
  return owned;
}

template <Scalar T>
void PanelStore<T>::adopt(Owned&& owned) {
  const auto kept = std::make_shared<const Owned>(std::move(owned));
  bytes_ = 0;
  for (const Side side : distribution::sides) {
    values_[at(side)] = (*kept)[at(side)].data();
    bytes_ += (*kept)[at(side)].size() * sizeof(T);
  }
  keep_ = kept;
}

template <Scalar T>
PanelStore<T> PanelStore<T>::distribute(const transport::Communicator& comm, const Structure& structure,
                                        const Mapping& mapping, const Share& share,
                                        std::shared_ptr<const numeric::Factors<T>> factors) {
  PanelStore store;
  if (comm.size() == 1) {
    store.values_[at(Side::lower)] = factors->lower.data();
    store.values_[at(Side::upper)] = factors->upper.data();
    store.values_[at(Side::diagonal)] = factors->diagonal.data();
    store.bytes_ = factors->bytes();
    store.keep_ = factors;
    return store;
  }
  char with_upper = factors && factors->kind == numeric::Kind::lu;
  comm.broadcast(with_upper);
  Owned mine = transport::collectively(comm, [&] { return allocate(share, with_upper != 0); });
  const auto transfer = [&](Owned& owned, auto&& move) {
    for (Buffer<T>& part : owned) move(part.data(), part.size() * sizeof(T));
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
