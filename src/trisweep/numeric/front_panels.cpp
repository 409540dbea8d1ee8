#include "trisweep/numeric/front_panels.hpp"

#include <algorithm>

#include "trisweep/core/slabs.hpp"

namespace trisweep::numeric {

Offset largest_front_entries(const FrontTree& tree, const symbolic::Structure& s, Kind kind) {
  Offset largest = 0;
  for (Index f = 0; f < tree.fronts(); ++f) {
    Offset entries = 0;
    const int sides = has_upper(kind) ? 2 : 1;
    for (const Index k : tree.members(f))
      entries += Offset{s.width(k)} * (s.width(k) + sides * Offset{s.height(k)}) + (1 + sides) * line_entries;
    largest = std::max(largest, entries);
  }
  return largest;
}

template <Scalar T>
FrontPanels<T>::FrontPanels(Factors<T>& factors, PanelSink<T>* sink, int thread, Offset entries)
    : factors_(factors),
      first_{factors.diagonal.data(), factors.lower.data(), factors.upper.data()},
      sink_(sink),
      thread_(thread),
      memory_(sink == nullptr ? 0 : usize(entries), "a front of the factorization") {}

template <Scalar T>
void FrontPanels<T>::lay_out(std::span<const Index> members, Front<T>& front) {
  const symbolic::Structure& s = *factors_.structure;
  const bool has_upper = numeric::has_upper(factors_.kind);
  front.panels.resize(members.size());
  front.width = 0;
  Offset next = 0;
  // The offset within a cache line is that in the factors: with some BLAS, rounding depends on it.
  const auto place = [&](Buffer<T>& whole, Offset at, Offset entries) {
    if (sink_ == nullptr) return whole.data() + at;
    const Offset start = next + ((at - next) % line_entries + line_entries) % line_entries;
    next = start + entries;
    return memory_.data() + start;
  };
  Panel<T>* panel = front.panels.data();
  for (const Index k : members) {
    const Index w = s.width(k), m = s.height(k);
    const Offset at = factors_.panel_ptr[usize(k)], entries = Offset{m} * w;
    *panel = {.supernode = k,
              .start = front.width,
              .diagonal = {place(factors_.diagonal, factors_.diagonal_ptr[usize(k)], Offset{w} * w), w, w, w},
              .lower = {place(factors_.lower, at, entries), m, w, m},
              .upper = {}};
    if (has_upper) panel->upper = {place(factors_.upper, at, entries), m, w, m};
    front.width += w;
    ++panel;
  }
}

template <Scalar T>
void FrontPanels<T>::finish(const Front<T>& front) {
  for (const Panel<T>& panel : front.panels) {
    for (const View<T>* part : {&panel.diagonal, &panel.lower, &panel.upper})
      if (part->rows > slab_rows) cut(*part);
    if (sink_ != nullptr) sink_->take(thread_, panel);
  }
}

template <Scalar T>
void FrontPanels<T>::cut(const View<T>& part) {
  slab_scratch_.resize(std::max(slab_scratch_.size(), usize(part.rows) * usize(part.cols)));
  cut_into_slabs(part.data, part.rows, part.cols, slab_scratch_.data());
}

#define TRISWEEP_INSTANTIATE(T) template class FrontPanels<T>;
TRISWEEP_FOR_EACH_SCALAR(TRISWEEP_INSTANTIATE)
#undef TRISWEEP_INSTANTIATE

}  // namespace trisweep::numeric
