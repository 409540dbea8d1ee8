#pragma once
// The values of one rank's panels, in any storage that panels for vectors of T may have.

#include <array>
#include <memory>
#include <span>

#include "trisweep/core/buffer.hpp"
#include "trisweep/core/thread_pool.hpp"
#include "trisweep/device/panels.hpp"
#include "trisweep/distribution/local_blocks.hpp"
#include "trisweep/engine/compressed_side.hpp"
#include "trisweep/kernels/stored.hpp"
#include "trisweep/numeric/factors.hpp"
#include "trisweep/plan/plan.hpp"

namespace trisweep::engine {

// The values of a rank's pieces, by side.
template <class S>
using SideValues = std::array<Buffer<S>, distribution::sides.size()>;
// Views of such values, in memory that `keep` owns.
template <class S>
struct PieceValues {
  PieceValues(std::shared_ptr<const void> owner,
              std::array<std::span<const S>, distribution::sides.size()> values)
      : keep(std::move(owner)), side(values) {}
  explicit PieceValues(std::shared_ptr<const SideValues<S>> values)
      : PieceValues(values, {(*values)[0].span(), (*values)[1].span(), (*values)[2].span()}) {}

  std::shared_ptr<const void> keep;
  std::array<std::span<const S>, distribution::sides.size()> side;
};

template <Scalar T>
class PanelStore {
 public:
  PanelStore() = default;
  template <class S>
  requires kernels::StorageOf<S, T>
  explicit PanelStore(PieceValues<S> panels);

  // Makes a store of compressed pieces, whose uncompressed values have type S.
  template <class S>
  requires kernels::StorageOf<S, T>
  static PanelStore of(std::array<CompressedSide<T>, distribution::sides.size()> made);

  // Compresses the pieces into tiles (compressed_side.hpp), from values of S. Not collective.
  template <class S>
  requires kernels::StorageOf<S, T> PanelStore compressed(const distribution::LocalBlocks& local_blocks,
                                                          double eps, ThreadPool& pool)
  const;

  // The values that a row block of a side reads.
  kernels::Stored<T> piece(distribution::Side side, const plan::RowBlock& row_block) const {
    const auto s = static_cast<std::size_t>(side);
    return piece_[s].empty() ? values_[s] + row_block.value : piece_[s][usize(row_block.piece)];
  }

  // The values of a side, if they are uncompressed and of the vectors' type; else null.
  const T* plain(distribution::Side side) const {
    const auto s = static_cast<std::size_t>(side);
    return !compressed_ && values_[s].template is<T>() ? values_[s].template as<T>() : nullptr;
  }

  std::size_t bytes() const { return bytes_; }
  // Bytes by piece of a side; empty if it is not compressed.
  std::span<const std::size_t> piece_bytes(distribution::Side side) const {
    return piece_bytes_[static_cast<std::size_t>(side)];
  }

  // Calls visit(panels by side) with the panels as they are stored: device::PanelsBySide of values, or of
  // pieces.
  template <class Visit>
  void visit(const Visit& visit) const {
    const auto visit_if = [&]<class S, class U>() {
      if constexpr (std::same_as<U, T>) {
        if (!values_[0].template is<S>()) return;
        const auto whole = [&](std::size_t s) { return std::span(values_[s].template as<S>(), size_[s]); };
        const auto pieces = [&](std::size_t s) { return device::PieceSpan<S>{of_device_[s], memory_[s]}; };
        if (compressed_) {
          visit(std::array{pieces(0), pieces(1), pieces(2)});
        } else {
          visit(std::array{whole(0), whole(1), whole(2)});
        }
      }
    };
#define TRISWEEP_VISIT_IF(S, U) visit_if.template operator()<S, U>();
    TRISWEEP_FOR_EACH_STORAGE(TRISWEEP_VISIT_IF)
#undef TRISWEEP_VISIT_IF
  }

 private:
  template <class V>
  using BySide = std::array<V, distribution::sides.size()>;

  std::shared_ptr<const void> keep_;     // owns the memory that the pointers point to
  BySide<kernels::Stored<T>> values_{};  // compressed: null, of the type of uncompressed values
  BySide<std::size_t> size_{};
  bool compressed_ = false;
  BySide<std::vector<kernels::Stored<T>>> piece_{};
  BySide<std::vector<device::Piece>> of_device_{};  // the same pieces
  BySide<std::span<const Buffer<std::byte>>> memory_{};
  BySide<std::vector<std::size_t>> piece_bytes_{};
  std::size_t bytes_ = 0;
};

}  // namespace trisweep::engine
