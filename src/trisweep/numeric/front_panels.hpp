#pragma once
// Memory for the panels of the front that a thread eliminates: in the factors or, with a sink, in a buffer
// that is reused for one front after another.

#include <span>
#include <vector>

#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/panel_sink.hpp"

namespace trisweep::numeric {

// Buffer entries that the panels of the largest front take.
Offset largest_front_entries(const FrontTree& tree, const symbolic::Structure& structure, Kind kind);

template <Scalar T>
class FrontPanels {
 public:
  // `entries`: of the largest front. The sink may be null.
  FrontPanels(Factors<T>& factors, PanelSink<T>* sink, int thread, Offset entries);

  // Gives the front the panels of supernodes `members`, with undefined entries.
  void lay_out(std::span<const Index> members, Front<T>& front);

  // Blocks of a supernode whose panels begin at `panel` and whose diagonal block begins at `diagonal` in the
  // factors.
  PanelParts<T> parts_at(Offset panel, Offset diagonal) {
    return {first_.diagonal + diagonal, first_.lower + panel, first_.upper ? first_.upper + panel : nullptr};
  }

  // Brings the front's final panels into the form of the solve phase (slabs) while they are in the cache, and
  // passes them to the sink.
  void finish(const Front<T>& front);

 private:
  void cut(const View<T>& part);

  Factors<T>& factors_;
  const PanelParts<T> first_;  // in the factors
  PanelSink<T>* const sink_;
  const int thread_;
  Buffer<T> memory_;  // empty without a sink
  std::vector<T> slab_scratch_;
};

}  // namespace trisweep::numeric
