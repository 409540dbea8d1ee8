#pragma once
// The numbers of one rank's share of the factors, in any storage that panels for vectors of T may have.

#include <array>
#include <memory>
#include <span>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/crew.hpp"
#include "trisweep/distribution/distribution.hpp"
#include "trisweep/distribution/share.hpp"
#include "trisweep/engine/compressed_side.hpp"
#include "trisweep/kernels/stored.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/plan/plan.hpp"
#include "trisweep/transport/communicator.hpp"

namespace trisweep::engine {

// The values of a rank's pieces, by side.
template <class S>
using SideValues = std::array<Buffer<S>, distribution::sides.size()>;
// Those of one rank, of factors that are all in this process.
template <class S>
SideValues<S> pieces_of(const distribution::Distribution& distribution, const distribution::Share& share,
                        const numeric::Factors<S>& factors);

template <Scalar T>
class PanelStore {
 public:
  // Collective, in one storage S. Before: rank 0 has all of `factors` (null elsewhere). After: every rank has
  // its pieces. A rank that is alone keeps the factors themselves instead of a copy. Cost: each rank's bytes
  // once, from rank 0. Throws on every rank when any runs out of memory.
  template <class S>
  requires kernels::StorageOf<S, T>
  static PanelStore distribute(const transport::Communicator& comm,
                               const distribution::Distribution& distribution,
                               const distribution::Share& share,
                               std::shared_ptr<const numeric::Factors<S>> factors);

  // Pieces that have been compressed.
  static PanelStore of(std::array<CompressedSide<T>, distribution::sides.size()> made);

  // The same pieces in tiles (compressed_side.hpp), of what distribute() made of factors in S. Not
  // collective.
  template <class S>
  requires kernels::StorageOf<S, T> PanelStore compressed(const distribution::Share& share, double eps,
                                                          Crew& crew)
  const;

  // What a strip of a side reads.
  kernels::Stored<T> piece(distribution::Side side, const plan::Strip& strip) const {
    const auto s = static_cast<std::size_t>(side);
    return piece_[s].empty() ? values_[s] + strip.value : piece_[s][usize(strip.piece)];
  }

  std::size_t bytes() const { return bytes_; }
  // By piece of a side; empty where it is not compressed.
  std::span<const std::size_t> piece_bytes(distribution::Side side) const {
    return piece_bytes_[static_cast<std::size_t>(side)];
  }

  // Calls visit(values by side) with the numbers as they are stored: spans of S. False: that they are
  // compressed, or S is none of the table of storages (kernels/stored.hpp).
  template <class Visit>
  bool visit(const Visit& visit) const {
    bool known = false;
    const auto visit_if = [&]<class S, class U>() {
      if constexpr (std::same_as<U, T>) {
        if (known || !values_[0].template is<S>()) return;
        known = true;
        const auto side = [&](std::size_t s) { return std::span(values_[s].template as<S>(), size_[s]); };
        visit(std::array{side(0), side(1), side(2)});
      }
    };
#define TRISWEEP_VISIT_IF(S, U) visit_if.template operator()<S, U>();
    TRISWEEP_FOR_EACH_STORAGE(TRISWEEP_VISIT_IF)
#undef TRISWEEP_VISIT_IF
    return known;
  }

 private:
  template <class V>
  using BySide = std::array<V, distribution::sides.size()>;

  std::shared_ptr<const void> keep_;  // what the pointers point into
  BySide<kernels::Stored<T>> values_{};
  BySide<std::size_t> size_{};
  BySide<std::vector<kernels::Stored<T>>> piece_{};
  BySide<std::vector<std::size_t>> piece_bytes_{};
  std::size_t bytes_ = 0;
};

}  // namespace trisweep::engine
