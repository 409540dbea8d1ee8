#pragma once
// A dense square matrix cut into arrowheads, each of which is in one process: what several processes
// eliminate together, each with its own and the panel of the step.

#include <algorithm>
#include <span>
#include <vector>

#include "trisweep/numeric/front.hpp"

namespace trisweep::numeric {

// Ascending, each once.
std::vector<Index> distinct(std::vector<Index> numbers);

// Rows and columns in blocks that follow each other. The arrowhead of a block: its columns from the diagonal
// on down, and its rows to the right of it.
struct Arrowheads {
  std::vector<Index> begin{0};  // arrowheads + 1
  std::vector<Index> owner;     // by arrowhead, its process

  Index count() const { return static_cast<Index>(owner.size()); }
  Index rows() const { return begin.back(); }
  Index width(Index a) const { return begin[usize(a) + 1] - begin[usize(a)]; }
  // In what row or column `position` lies.
  Index of(Index position) const {
    return static_cast<Index>(std::ranges::upper_bound(begin, position) - begin.begin()) - 1;
  }
  // Those from `first` on, a matrix of their own.
  Arrowheads from(Index first) const;
  std::vector<Index> owners() const { return distinct(owner); }
};

// By arrowhead; those of other processes have a shape alone, or, where all are others', there are none.
template <Scalar T>
struct ArrowheadMatrix {
  const Arrowheads& shape;
  std::span<const Panel<T>> panel;
};

// An entry of an arrowhead.
template <Scalar T>
T& entry_of(const Panel<T>& arrowhead, Index row, Index col) {
  if (row >= arrowhead.end()) return arrowhead.lower(row - arrowhead.end(), col - arrowhead.start);
  if (col >= arrowhead.end()) return arrowhead.upper(col - arrowhead.end(), row - arrowhead.start);
  return arrowhead.diagonal(row - arrowhead.start, col - arrowhead.start);
}

// What is added to one arrowhead at once: rows [begin, end) of a column of the added matrix, or columns of a
// row of it, at consecutive addresses where it is in this process.
struct Segment {
  Index arrowhead;  // of the matrix that it is added to
  bool is_column;
  Index line;  // column or row
  Index begin, end;
};

// Adds a matrix to the rows and columns `places`, ascending, of another one. Which entries go where is known
// to all processes: visits them in one order.
class ArrowheadSum {
 public:
  // All kinds but LU: lower triangles.
  ArrowheadSum(const Arrowheads& from, const Arrowheads& to, std::span<const Index> places, Kind kind);

  // Calls visit(arrowhead, segment) for arrowheads of `source` in the added matrix that go to `target`.
  template <class Visit>
  void for_each_segment(Index source, Index target, const Visit& visit) const {
    for (Index a = 0; a < from_.count(); ++a) {
      if (from_.owner[usize(a)] != source) continue;
      const Index begin = from_.begin[usize(a)], end = from_.begin[usize(a) + 1];
      for (Index j = begin; j < end; ++j) {
        cut(Segment{0, true, j, with_upper_ ? begin : j, end}, target, a, visit);
        cut(Segment{0, true, j, end, from_.rows()}, target, a, visit);
        if (with_upper_) cut(Segment{0, false, j, end, from_.rows()}, target, a, visit);
      }
    }
  }
  // Where a segment's entries are in its arrowhead `panel`.
  template <Scalar T>
  const T* source(const Panel<T>& panel, const Segment& s) const;
  // Adds `values`, those of the segment from its place `begin` on.
  template <Scalar T>
  void add(std::span<const T> values, const Segment& s, Index begin, const Panel<T>& to) const;

 private:
  // Calls visit() for the parts of a line that go to `target`.
  template <class Visit>
  void cut(Segment line, Index target, Index a, const Visit& visit) const {
    const Index of_line = arrowhead_[usize(line.line)];
    for (Index begin = line.begin; begin < line.end;) {
      const Index there = arrowhead_[usize(begin)], end = std::min(run_end_[usize(there)], line.end);
      const Index arrowhead = std::min(of_line, there);
      if (to_.owner[usize(arrowhead)] == target)
        visit(a, Segment{arrowhead, line.is_column, line.line, begin, end});
      begin = end;
    }
  }

  const Arrowheads& from_;
  const Arrowheads& to_;
  std::span<const Index> places_;
  bool with_upper_;
  std::vector<Index> arrowhead_;  // of `to`, by row of `from`
  std::vector<Index> run_end_;    // by arrowhead of `to`: the first row of `from` beyond it
};

}  // namespace trisweep::numeric
