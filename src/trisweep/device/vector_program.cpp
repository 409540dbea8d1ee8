// The items that move b in and x out.

#include <algorithm>

#include "trisweep/device/program_builder.hpp"

namespace trisweep::device {
namespace {

// Rows whose other index is at the other end of a message.
std::vector<MovedRow> halves(const std::vector<Index>& row, Index MovedRow::*half) {
  std::vector<MovedRow> moved(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) moved[i].*half = row[i];
  return moved;
}

std::vector<MovedRow> kept(const plan::VectorPhase& phase) {
  std::vector<MovedRow> moved;
  for (std::size_t i = 0; i < phase.caller.size(); ++i)
    moved.push_back({phase.caller[i], phase.work[i].value()});
  return moved;
}

// The work rows of [0, rows) to which nothing is moved.
std::vector<RowRun> others(std::span<const MovedRow> moved, Index rows) {
  std::vector<Index> to;
  for (const MovedRow& row : moved)
    if (row.work != none) to.push_back(row.work);
  std::ranges::sort(to);
  to.push_back(rows);
  std::vector<RowRun> runs;
  Index next = 0;
  for (const Index row : to) {
    if (row > next) runs.push_back({next, row - next});
    next = row + 1;
  }
  return runs;
}

}  // namespace

// Sent, then received messages of a phase, with work rows if the host carries them.
std::vector<StagedMessage> ProgramBuilder::staged_messages_of(const plan::VectorPhase& phase) {
  std::vector<StagedMessage> messages;
  for (const auto* list : {&phase.sent, &phase.received}) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Offset rows = std::ssize((*list)[i].row);
      messages.push_back({.phase = phase_,
                          .number = static_cast<Index>(i),
                          .peer = (*list)[i].rank.value(),
                          .is_sent = list == &phase.sent,
                          .row = uses_mpi() ? new_rows(rows) : none,
                          .rows = static_cast<Index>(rows)});
    }
  }
  return messages;
}

template <class Finish>
void ProgramBuilder::add_moves(VectorMove of, const std::vector<MovedRow>& rows, Index after,
                               const Finish& finish) {
  const auto base = static_cast<Index>(program_.moved.size());
  program_.moved.insert(program_.moved.end(), rows.begin(), rows.end());
  in_parts(
      static_cast<Index>(rows.size()), moved_rows, [](Index) { return 1; },
      [&](Range part, Offset size) {
        of.moved = {base + part.begin, base + part.end};
        finish(of, static_cast<Index>(size));
        program_.item.push_back({.action = Action::vectors,
                                 .at = static_cast<Index>(program_.vector_move.size()),
                                 .after = after});
        program_.vector_move.push_back(of);
      });
}

void ProgramBuilder::add(const plan::VectorPhase& phase) {
  const Index after = items();
  const auto first = program_.moved.size();
  const bool in = phase.way == plan::VectorWay::in;
  std::vector<StagedMessage> messages = staged_messages_of(phase);
  auto staged_message = messages.begin();
  for (const plan::VectorMessage& m : phase.sent) {
    Index packed = staged_message++->row;
    const auto send = [&](VectorMove& move, Index rows) {
      if (uses_mpi()) {
        move.row = std::exchange(packed, packed + rows);
        return;
      }
      move.put = promise(m.rank.value(), rows);
      program_.scratch = std::max(program_.scratch, rows);
    };
    add_moves({.in = in}, halves(m.row, in ? &MovedRow::caller : &MovedRow::work), after, send);
  }
  add_moves({.in = in}, kept(phase), after, [](VectorMove& move, Index) { move.row = none; });
  for (const StagedMessage& m : messages)
    if (uses_mpi()) end_launch_for(m);
  for (const plan::VectorMessage& m : phase.received) {
    Index packed = staged_message++->row;
    const auto receive = [&](VectorMove& move, Index rows) {
      if (uses_mpi()) {
        move.row = std::exchange(packed, packed + rows);
        return;
      }
      move.signal = expect(m.rank.value(), rows);
      move.row = program_.inbound.back().address.row;
    };
    add_moves({.in = in}, halves(m.row, in ? &MovedRow::work : &MovedRow::caller), after, receive);
  }
  // Segments whose right-hand side enters in another layer start at zero (SC'23 Algorithm 1, line 8).
  if (in) add_cleared(others(std::span(program_.moved).subspan(first), vector_rows_), after);
}

}  // namespace trisweep::device
