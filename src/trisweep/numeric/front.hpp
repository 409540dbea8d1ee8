#pragma once
// One front: a dense matrix. Its first columns and rows, which are eliminated in it, lie in the factors'
// final storage; the rest is the contribution block that it passes to its parent.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "trisweep/numeric/blas.hpp"
#include "trisweep/numeric/factors.hpp"

namespace trisweep::numeric {

// The part of a front that belongs to one of its supernodes. `start` is its first column within the front;
// the rows of `lower` and `upper` (empty unless has_upper(kind)) are the front's from start + width on.
template <Scalar T>
struct Panel {
  Index supernode;
  Index start;
  View<T> diagonal;
  View<T> lower;
  View<T> upper;

  Index width() const { return diagonal.cols; }
  Index end() const { return start + width(); }
  bool is_here() const { return diagonal.data != nullptr; }  // else the entries are in another process
};

template <Scalar T>
std::span<const RealOf<T>> parts_of_entries(View<T> block) {
  return {reinterpret_cast<const RealOf<T>*>(block.data),
          usize(block.rows) * usize(block.cols) * (is_complex<T> ? 2 : 1)};
}

// The addresses of a panel's three blocks, each packed.
template <Scalar T>
struct PanelParts {
  T* diagonal;
  T* lower;
  T* upper;
};
template <Scalar T>
PanelParts<T> parts_of(const Panel<T>& panel) {
  return {panel.diagonal.data, panel.lower.data, panel.upper.data};
}

// Largest modulus of a real or imaginary part in a packed block; exceeds() is true if one is above `bound` or
// not a number.
template <Scalar T>
RealOf<T> largest_part(View<T> block) {
  RealOf<T> largest = 0;
  for (const RealOf<T>& part : parts_of_entries(block)) largest = std::max(largest, std::abs(part));
  return largest;
}
template <Scalar T>
bool exceeds(View<T> block, RealOf<T> bound) {
  int above = 0;
  for (const RealOf<T>& part : parts_of_entries(block)) above |= !(std::abs(part) <= bound);
  return above != 0;
}

template <Scalar T>
struct Front {
  std::vector<Panel<T>> panels;
  View<T> contribution;              // lower triangle only unless has_upper(kind)
  bool contribution_is_set = false;  // false: uninitialized memory that stands for zeros
  Index width = 0;                   // columns of all panels
};

}  // namespace trisweep::numeric
