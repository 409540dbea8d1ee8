#pragma once
// Elimination of a dense front with a search for pivots: passes over all columns, panel by panel, that move
// columns without a good pivot to the end, and are repeated as long as they eliminate any.

#include <algorithm>

#include "trisweep/core/types.hpp"

namespace trisweep::numeric {

// Base of `Elimination` (CRTP), which has these functions:
// - factor_panel(last, end) eliminates columns [done_, last); those without a pivot come to lie before
// `last`.
// - update(first, begin, end) updates columns [begin, end) by the pivots [first, done_).
// - swap_columns(a, b) exchanges two columns, and their rows where rows and columns move together.
// - replace_null(end) replaces the pivots of columns and rows before `end` that have no entries left.
// - force(end, most_left, bound) takes the best remaining pivots until at most `most_left` columns are left.
// A column that was rejected may be good once others are eliminated.
template <class Elimination>
class ThresholdPasses {
 public:
  // Takes pivots from rows and columns before `end`, until none is good enough. At most `most_left` may
  // remain: beyond that, the best remaining pivots are taken, and replaced if smaller than `bound`.
  template <class Real>
  void eliminate(Index end, Index most_left, Real bound) {
    const Index first = done_;
    for (Index before = -1; before < done_ && done_ < end;) {
      before = done_;
      pass(end);
    }
    const Index searched = done_;
    self().update(first, end, columns_);
    self().replace_null(end);
    self().force(end, most_left, bound);
    self().update(searched, end, columns_);
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

  // Columns eliminated one by one before a matrix product updates the others.
  static constexpr Index panel_width = 32;

  Index columns_;
};

}  // namespace trisweep::numeric
