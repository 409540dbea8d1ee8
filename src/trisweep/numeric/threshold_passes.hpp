#pragma once
// How a dense front is eliminated whose pivots have to be searched for: panel after panel over all columns,
// those without a good pivot last, and again as long as that eliminates any.

#include <algorithm>

#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// The base of `Elimination`, whose functions are these:
// - factor_panel(last, end) eliminates columns [done_, last); those without a pivot come to lie before
// `last`.
// - update(first, begin, end) updates columns [begin, end) by the pivots [first, done_).
// - swap_columns(a, b) exchanges two columns, and their rows where these move together.
// - force(end, most_left, bound) takes the best pivots that there are until at most so many are left.
// A column that was rejected may be good once others are eliminated.
template <class Elimination>
class ThresholdPasses {
 public:
  // Takes pivots from rows and columns before `end`, until none is good enough. At most `most_left` may
  // remain: so many have to be taken whatever they are, and are replaced when they are smaller than `bound`.
  template <class Real>
  void eliminate(Index end, Index most_left, Real bound) {
    const Index first = done_;
    for (Index before = -1; before < done_ && done_ < end;) {
      before = done_;
      pass(end);
    }
    self().force(end, most_left, bound);
    self().update(first, end, columns_);
  }

  Index eliminated() const { return done_; }

 protected:
  explicit ThresholdPasses(Index columns) : columns_(columns) {}

  Index done_ = 0;

 private:
  Elimination& self() { return static_cast<Elimination&>(*this); }

  // Tries every column before `end` once.
  void pass(Index end) {
    for (Index untried = end; done_ < untried;) {
      const Index first = done_, last = std::min(untried, first + panel_width);
      self().factor_panel(last, end);
      self().update(first, last, end);
      const Index rejected = last - done_, others = untried - last;
      for (Index i = 0; i < std::min(rejected, others); ++i) self().swap_columns(done_ + i, untried - 1 - i);
      untried -= rejected;
    }
  }

  // Columns eliminated one by one, before products update the others.
  static constexpr Index panel_width = 32;

  Index columns_;
};

}  // namespace trisweep::numeric
