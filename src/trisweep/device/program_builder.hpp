#pragma once
// Builds a program phase by phase.

#include "trisweep/device/make_program.hpp"

namespace trisweep::device {

// Number of rows in an item that only moves rows.
inline constexpr Index moved_rows = 256;

// Splits a list into ranges of consecutive entries whose sizes add up to at least `most` each: calls
// add(range, size).
template <class Size, class Add>
void in_parts(Index count, Offset most, const Size& size, const Add& add) {
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    Offset sum = 0;
    while (end < count && sum < most) sum += size(end++);
    add(Range{begin, end}, sum);
  }
}

// Builds the parts that every program may have.
class ProgramBuilder {
 public:
  // `rows`: number of work rows to which b is moved.
  ProgramBuilder(Index pe, Index rows, ExchangeBackend exchange_backend)
      : exchange_backend_(exchange_backend), vector_rows_(rows) {
    program_.pe = program_.rank = pe;
    program_.rows = rows;
  }
  Program take() &&;

 protected:
  void add(const plan::VectorPhase& phase);
  Index items() const { return static_cast<Index>(program_.item.size()); }
  bool uses_mpi() const { return exchange_backend_ == ExchangeBackend::mpi; }
  Index new_rows(Offset count);
  // Ends the current launch, so that the host can carry a message.
  void end_launch_for(const StagedMessage& staged_message);
  // Registers an incoming message. Returns the first of its work rows.
  Index expect(Index from, Index rows);
  // Registers an outgoing message. Returns the put that sends it.
  Index promise(Index to, Index rows);
  std::vector<StagedMessage> staged_messages_of(const plan::VectorPhase& phase);
  // Adds items that set rows to zero.
  void add_cleared(const std::vector<RowRun>& runs, Index after);
  // Adds items that move rows of the caller's vectors; finish(move, rows) makes each one the end of a
  // message.
  template <class Finish>
  void add_moves(VectorMove of, const std::vector<MovedRow>& rows, Index after, const Finish& finish);

  Program program_;
  Index phase_ = 0;  // index in the plan

 private:
  ExchangeBackend exchange_backend_;
  Index vector_rows_;
};

// Builds the phases of a plan.
class PlanBuilder : public ProgramBuilder {
 public:
  PlanBuilder(const symbolic::Structure& structure, const distribution::LocalBlocks& local_blocks,
              const plan::Plan& plan, ExchangeBackend exchange_backend);

  void add(const plan::Phase& phase);

 private:
  friend class SweepBuilder;

  using ProgramBuilder::add;
  void add(const plan::SweepPhase& phase);
  void add(const plan::ExchangePhase& phase);
  void add(const plan::ExchangeStep& step);
  void add(const plan::DiagonalPhase& phase);
  RowBlock row_block(const plan::RowBlock& of, Offset positions) const;
  void add_diagonal(Range row_blocks, Op op, Index after);
  // Offset in the program's positions of those of the phase's side, or of its own ones.
  Offset positions_of(const plan::SweepPhase& phase);

  const distribution::LocalBlocks& local_blocks_;
  CriticalPathPriority priority_;
  distribution::PiecePositions positions_;
  std::array<Offset, distribution::sides.size()> position_at_;  // by side, in the program; -1: not yet added
};

}  // namespace trisweep::device
