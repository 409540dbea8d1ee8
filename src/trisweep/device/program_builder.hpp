#pragma once
// A program as it grows, phase by phase.

#include "trisweep/device/make_program.hpp"

namespace trisweep::device {

// What one worker takes at a time of what is only moved.
inline constexpr Index moved_rows = 256;

// Consecutive entries of a list, in parts of at least `most` by their sizes: calls add(range, size).
template <class Size, class Add>
void in_parts(Index count, Offset most, const Size& size, const Add& add) {
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    Offset sum = 0;
    while (end < count && sum < most) sum += size(end++);
    add(Range{begin, end}, sum);
  }
}

class ProgramBuilder {
 public:
  ProgramBuilder(const symbolic::Structure& structure, const distribution::Share& share,
                 const plan::Plan& plan);

  void add(const plan::Phase& phase);
  Program take() &&;

 private:
  friend class SweepBuilder;

  void add(const plan::SweepPhase& phase);
  void add(const plan::ExchangePhase& phase);
  void add(const plan::DiagonalPhase& phase);
  void add(const plan::VectorPhase& phase);
  Index items() const { return static_cast<Index>(program_.item.size()); }
  // Where the message is kept until it is read.
  Index expect(Index from, Index rows);
  // The put that sends it.
  Index promise(Index to, Index rows);
  Strip strip(const plan::Strip& of, Offset positions) const;
  void add_diagonal(Range strips, Op op, Index after);
  // Items that set rows to zero.
  void add_cleared(const std::vector<RowRun>& runs, Index after);
  // Items that move rows of the caller's, each made the end of a message by finish(move, rows).
  template <class Finish>
  void add_moves(VectorMove of, const std::vector<MovedRow>& rows, Index after, const Finish& finish);
  // Of a side of the share, or a phase's own.
  Offset positions_of(const plan::SweepPhase& phase);

  const distribution::Share& share_;
  Places places_;
  distribution::PiecePositions positions_;
  std::array<Offset, distribution::sides.size()> position_at_;  // by side, in the program; -1: not there
  Program program_;
};

}  // namespace trisweep::device
