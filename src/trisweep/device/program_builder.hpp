#pragma once
// A program as it grows, phase by phase.

#include "trisweep/device/make_program.hpp"

namespace trisweep::device {

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
  void add(const plan::VectorPhase&) {}  // the host brings them in and out
  Index items() const { return static_cast<Index>(program_.item.size()); }
  // Where the message is kept until it is read.
  Index expect(Index from, Index rows);
  Strip strip(const plan::Strip& of, Offset positions) const;
  void add_diagonal(Range strips, Op op, Index after);
  // Items that set rows to zero.
  void add_cleared(const std::vector<RowRun>& runs, Index after);
  // Of a side of the share, or a phase's own.
  Offset positions_of(const plan::SweepPhase& phase);

  const distribution::Share& share_;
  Places places_;
  distribution::PiecePositions positions_;
  std::array<Offset, distribution::sides.size()> position_at_;  // by side, in the program; -1: not there
  Program program_;
};

}  // namespace trisweep::device
