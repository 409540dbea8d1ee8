// The items that measure answers.

#include <algorithm>

#include "trisweep/device/program_builder.hpp"
#include "trisweep/device/residual.hpp"

namespace trisweep::device {
namespace {

Index columns_of(const plan::VectorPhase& phase) {
  auto columns = static_cast<Index>(phase.caller.size());
  for (const plan::VectorMessage& m : phase.received) columns += static_cast<Index>(m.row.size());
  return columns;
}

class MeasureBuilder : public ProgramBuilder {
 public:
  MeasureBuilder(Index pe, Index pes, const plan::VectorPhase& columns, Index rows,
                 ExchangeBackend exchange_backend)
      : ProgramBuilder(pe, columns_of(columns), exchange_backend), pes_(pes), rows_(rows) {
    begin_phase();
    add(columns);
    program_.scratch = std::max(program_.scratch, first_norms * moved_rows);
    program_.verdict = new_rows(Norm::count);
    add_measures(none, program_.verdict, first_norms);
    add_measures(program_.verdict, program_.verdict + first_norms, second_norms);
    program_.item.front().opens = 0;
  }

 private:
  void begin_phase() {
    phase_ = static_cast<Index>(program_.part.size());
    program_.part.emplace_back(items(), plan::Part::vectors);
  }

  // The largest of these kinds come to the work rows from `to` on: of parts of this PE's rows, of all of
  // them, and of all PEs.
  void add_measures(Index norms, Index to, Index kinds) {
    begin_phase();
    std::vector<Index> parts;
    const Index after = items();
    in_parts(
        rows_, moved_rows, [](Index) { return 1; },
        [&](Range rows, Offset) {
          parts.push_back(new_rows(kinds));
          program_.item.push_back(
              {.action = Action::measure, .at = static_cast<Index>(program_.measure.size()), .after = after});
          program_.measure.push_back({.rows = rows, .largest = parts.back(), .norms = norms});
        });
    const Index mine = pes_ == 1 ? to : new_rows(kinds);
    ReduceForward of_pe{.row = mine, .width = kinds, .taken_from = parts.empty() ? none : parts.front()};
    ReduceForward of_all{.row = to, .width = kinds, .taken_from = mine};
    const std::vector<StagedMessage> letters =
        uses_mpi() ? letters_of(mine, kinds) : std::vector<StagedMessage>();
    const std::vector<Index> others = uses_mpi() ? rows_of(letters) : put_and_expect(of_pe, of_all);
    add_largest(of_pe, parts);
    for (const StagedMessage& staged_message : letters) stop_for(staged_message);
    if (pes_ > 1) add_largest(of_all, others);
  }

  // What this PE has found goes to all others, and what they have to the rows that are returned.
  std::vector<Index> put_and_expect(ReduceForward& of_pe, ReduceForward& of_all) {
    std::vector<Index> others;
    of_pe.put.begin = static_cast<Index>(program_.put.size());
    of_all.signal.begin = static_cast<Index>(program_.signal.size());
    for (Index pe = 0; pe < pes_; ++pe) {
      if (pe == program_.pe) continue;
      promise(pe, of_pe.width);
      program_.signal.push_back(expect(pe, of_pe.width));
      others.push_back(program_.inbound.back().address.row);
    }
    of_all.signal.end = static_cast<Index>(program_.signal.size());
    of_pe.put.end = static_cast<Index>(program_.put.size());
    return others;
  }
  // The same by the host: all that is sent, then what comes.
  std::vector<StagedMessage> letters_of(Index mine, Index kinds) {
    std::vector<StagedMessage> letters;
    for (const bool is_sent : {true, false}) {
      for (Index pe = 0, number = 0; pe < pes_; ++pe) {
        if (pe == program_.pe) continue;
        const Index row = is_sent ? mine : new_rows(kinds);
        letters.push_back({phase_, number++, pe, is_sent, row, kinds});
      }
    }
    return letters;
  }
  static std::vector<Index> rows_of(const std::vector<StagedMessage>& letters) {
    std::vector<Index> rows;
    for (const StagedMessage& staged_message : letters)
      if (!staged_message.is_sent) rows.push_back(staged_message.row);
    return rows;
  }

  void add_largest(ReduceForward reduce_forward, const std::vector<Index>& cells) {
    reduce_forward.largest = true;
    reduce_forward.cell.begin = static_cast<Index>(program_.cell.size());
    program_.cell.insert(program_.cell.end(), cells.begin(), cells.end());
    reduce_forward.cell.end = static_cast<Index>(program_.cell.size());
    program_.item.push_back({.action = Action::reduce_forward,
                             .at = static_cast<Index>(program_.reduce_forward.size()),
                             .after = items()});
    program_.reduce_forward.push_back(reduce_forward);
  }

  Index pes_;
  Index rows_;
};

}  // namespace

Program make_residual_program(Index pe, Index pes, const plan::VectorPhase& columns, Index rows,
                              ExchangeBackend exchange_backend) {
  return MeasureBuilder(pe, pes, columns, rows, exchange_backend).take();
}

}  // namespace trisweep::device
