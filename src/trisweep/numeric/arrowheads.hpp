#pragma once
// A dense square matrix partitioned into arrowheads, each stored by one process. Several processes eliminate
// it together; each needs its own arrowheads and the panel of the current step only.

#include <algorithm>
#include <span>
#include <vector>

#include "trisweep/numeric/front.hpp"

namespace trisweep::numeric {

// Returns the numbers in ascending order, without duplicates.
std::vector<Index> distinct(std::vector<Index> numbers);

// Partition of rows and columns into consecutive blocks. The arrowhead of a block consists of its columns
// from the diagonal block downwards and its rows to the right of the diagonal block.
struct Arrowheads {
  std::vector<Index> begin{0};  // arrowheads + 1
  std::vector<Index> owner;     // by arrowhead, its process

  Index count() const { return static_cast<Index>(owner.size()); }
  Index rows() const { return begin.back(); }
  Index width(Index a) const { return begin[usize(a) + 1] - begin[usize(a)]; }
  // The block that contains row or column `position`.
  Index of(Index position) const {
    return static_cast<Index>(std::ranges::upper_bound(begin, position) - begin.begin()) - 1;
  }
  // The arrowheads from `first` on, as a matrix of their own.
  Arrowheads from(Index first) const;
  std::vector<Index> owners() const { return distinct(owner); }
};

// `panel`: by arrowhead. Arrowheads of other processes have a shape but no entries; the list is empty if all
// of them are in other processes.
template <Scalar T>
struct ArrowheadMatrix {
  const Arrowheads& shape;
  std::span<const Panel<T>> panel;
};

// Entry (row, col) of the matrix, which lies in this arrowhead.
template <Scalar T>
T& entry_of(const Panel<T>& arrowhead, Index row, Index col) {
  if (row >= arrowhead.end()) return arrowhead.lower(row - arrowhead.end(), col - arrowhead.start);
  if (col >= arrowhead.end()) return arrowhead.upper(col - arrowhead.end(), row - arrowhead.start);
  return arrowhead.diagonal(row - arrowhead.start, col - arrowhead.start);
}

// A part of an added matrix that goes to a single arrowhead: rows [begin, end) of one of its columns, or
// columns [begin, end) of one of its rows. The process that stores it has it at consecutive addresses.
struct Segment {
  Index arrowhead;  // of the target matrix
  bool is_column;
  Index line;  // column or row
  Index begin, end;
};

// Adds a matrix to the rows and columns `places` (ascending) of another one. All processes know which entries
// go where, and visit the segments in the same order.
class ArrowheadSum {
 public:
  // For all kinds but LU, the matrices are lower triangles.
  ArrowheadSum(const Arrowheads& from, const Arrowheads& to, std::span<const Index> places, Kind kind);

  // Calls visit(arrowhead, segment) for all segments that go from arrowheads of process `source` in the added
  // matrix to arrowheads of process `target`.
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
  // Address of the segment's first entry in its arrowhead `panel`.
  template <Scalar T>
  const T* source(const Panel<T>& panel, const Segment& s) const;
  // Adds `values`, the segment's entries from row (or column) `begin` on, to arrowhead `to`.
  template <Scalar T>
  void add(std::span<const T> values, const Segment& s, Index begin, const Panel<T>& to) const;

 private:
  // Cuts a line by target arrowhead, and calls visit() for the parts that go to process `target`.
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
  std::vector<Index> arrowhead_;  // by row of `from`: the arrowhead of `to`
  std::vector<Index> run_end_;    // by arrowhead of `to`: the first row of `from` beyond it
};

}  // namespace trisweep::numeric
