#pragma once
// Where a thread has the panels of the front that it eliminates: in the factors, or where a sink takes them,
// in memory that serves one front after the other.

#include <span>
#include <vector>

#include "trisweep/numeric/front_tree.hpp"
#include "trisweep/numeric/panel_sink.hpp"

namespace trisweep::numeric {

// Memory for the panels of the largest front.
Offset largest_front_entries(const FrontTree& tree, const symbolic::Structure& structure, Kind kind);

template <Scalar T>
class FrontPanels {
 public:
  // `entries`: of the largest front. The sink may be null.
  FrontPanels(Factors<T>& factors, PanelSink<T>* sink, int thread, Offset entries);

  // The panels of supernodes `members`, undefined, become those of the front.
  void lay_out(std::span<const Index> members, Front<T>& front);

  // Of a supernode whose panels, and whose diagonal block, begin there in the factors.
  PanelParts<T> parts_at(Offset panel, Offset diagonal) {
    return {first_.diagonal + diagonal, first_.lower + panel, first_.upper ? first_.upper + panel : nullptr};
  }

  // They are final: brings them into the form that the solve phase wants, while they are in the cache, and
  // hands them to the sink.
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
