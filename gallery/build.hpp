#pragma once
// What the gallery's recipes share: a row-by-row builder, boxes of grid points, random numbers. Internal.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::gallery::recipes {

// Builds a matrix row by row. Rows whose columns come in ascending order are stored as they come; the others
// are sorted, and repeated columns summed in the order they were added (so A(i,j) and A(j,i) round alike when
// their contributions come in the same order).
template <Scalar T>
class CsrBuilder {
 public:
  CsrBuilder(Index rows, Index cols, Offset expected_nonzeros) {
    matrix_.pattern.rows = rows;
    matrix_.pattern.cols = cols;
    matrix_.pattern.row_ptr.reserve(usize(rows) + 1);
    matrix_.pattern.col.reserve(usize(expected_nonzeros));
    matrix_.value.reserve(usize(expected_nonzeros));
  }

  void add(Index col, T value) {
    matrix_.pattern.col.push_back(col);
    matrix_.value.push_back(value);
  }

  void end_row() {
    auto& col = matrix_.pattern.col;
    const Offset begin = matrix_.pattern.row_ptr.back();
    if (std::adjacent_find(col.begin() + begin, col.end(), std::greater_equal<>{}) != col.end()) {
      sort_and_merge(begin);
    }
    matrix_.pattern.row_ptr.push_back(static_cast<Offset>(col.size()));
  }

  matrix::Csr<T> finish() && { return std::move(matrix_); }

 private:
  void sort_and_merge(Offset begin) {
    auto& col = matrix_.pattern.col;
    auto& value = matrix_.value;
    row_.clear();
    for (std::size_t k = usize(begin); k < col.size(); ++k) row_.emplace_back(col[k], value[k]);
    std::stable_sort(row_.begin(), row_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    col.resize(usize(begin));
    value.resize(usize(begin));
    for (const auto& [c, v] : row_) {
      if (static_cast<Offset>(col.size()) > begin && col.back() == c) {
        value.back() += v;
      } else {
        add(c, v);
      }
    }
  }

  matrix::Csr<T> matrix_;
  std::vector<std::pair<Index, T>> row_;
};

using Point = std::array<Index, 3>;

// The points (x, y, z) of a grid with `sides` points along the axes, numbered with x fastest.
struct Box {
  Point sides;

  Index size() const { return sides[0] * sides[1] * sides[2]; }
  Index index(const Point& p) const { return p[0] + sides[0] * (p[1] + sides[1] * p[2]); }
  bool contains(const Point& p) const {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (p[axis] < 0 || p[axis] >= sides[axis]) return false;
    return true;
  }
  // Calls visit(point) in the order of the numbers.
  template <class Visit>
  void for_each(Visit visit) const {
    for (Index z = 0; z < sides[2]; ++z) {
      for (Index y = 0; y < sides[1]; ++y) {
        for (Index x = 0; x < sides[0]; ++x) visit(Point{x, y, z});
      }
    }
  }
};
struct Cube : Box {
  explicit Cube(Index side) : Box{{side, side, side}} {}

  Index side() const { return sides[0]; }
};

// The 27 offsets of a point's neighbourhood, x fastest, so that the neighbours' numbers ascend.
template <class Visit>
void for_each_neighbour(const Point& p, Visit visit) {
  for (Index dz = -1; dz <= 1; ++dz) {
    for (Index dy = -1; dy <= 1; ++dy) {
      for (Index dx = -1; dx <= 1; ++dx) visit(Point{p[0] + dx, p[1] + dy, p[2] + dz});
    }
  }
}

// Random numbers that are the same on every machine: the distributions of <random> are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Uniform in 0 .. bound - 1 (the remainder's bias is negligible: bounds are far below 2^64).
  template <std::integral I>
  I below(I bound) {
    return static_cast<I>(engine_() % static_cast<std::uint64_t>(bound));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace trisweep::gallery::recipes
