// The items that measure answers.

#include <algorithm>

#include "trisweep/device/measure.hpp"
#include "trisweep/device/program_builder.hpp"

namespace trisweep::device {
namespace {

Index columns_of(const plan::VectorPhase& phase) {
  auto columns = static_cast<Index>(phase.caller.size());
  for (const plan::VectorMessage& m : phase.received) columns += static_cast<Index>(m.row.size());
  return columns;
}

class MeasureBuilder : public ProgramBuilder {
 public:
  MeasureBuilder(Index pe, Index pes, const plan::VectorPhase& columns, Index rows, Carrier carrier)
      : ProgramBuilder(pe, columns_of(columns), carrier), pes_(pes), rows_(rows) {
    begin_phase();
    add(columns);
    program_.scratch = std::max(program_.scratch, first_kinds * moved_rows);
    program_.verdict = new_rows(first_kinds + second_kinds);
    add_measures(none, program_.verdict, first_kinds);
    add_measures(program_.verdict, program_.verdict + first_kinds, second_kinds);
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
    Settle of_pe{.row = mine, .width = kinds, .taken_from = parts.empty() ? none : parts.front()};
    Settle of_all{.row = to, .width = kinds, .taken_from = mine};
    const std::vector<Letter> letters = host_carries() ? letters_of(mine, kinds) : std::vector<Letter>();
    const std::vector<Index> others = host_carries() ? rows_of(letters) : put_and_expect(of_pe, of_all);
    add_largest(of_pe, parts);
    for (const Letter& letter : letters) stop_for(letter);
    if (pes_ > 1) add_largest(of_all, others);
  }

  // What this PE has found goes to all others, and what they have to the rows that are returned.
  std::vector<Index> put_and_expect(Settle& of_pe, Settle& of_all) {
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
  std::vector<Letter> letters_of(Index mine, Index kinds) {
    std::vector<Letter> letters;
    for (const bool is_sent : {true, false}) {
      for (Index pe = 0, number = 0; pe < pes_; ++pe) {
        if (pe == program_.pe) continue;
        const Index row = is_sent ? mine : new_rows(kinds);
        letters.push_back({phase_, number++, pe, is_sent, row, kinds});
      }
    }
    return letters;
  }
  static std::vector<Index> rows_of(const std::vector<Letter>& letters) {
    std::vector<Index> rows;
    for (const Letter& letter : letters)
      if (!letter.is_sent) rows.push_back(letter.row);
    return rows;
  }

  void add_largest(Settle settle, const std::vector<Index>& cells) {
    settle.largest = true;
    settle.cell.begin = static_cast<Index>(program_.cell.size());
    program_.cell.insert(program_.cell.end(), cells.begin(), cells.end());
    settle.cell.end = static_cast<Index>(program_.cell.size());
    program_.item.push_back(
        {.action = Action::settle, .at = static_cast<Index>(program_.settle.size()), .after = items()});
    program_.settle.push_back(settle);
  }

  Index pes_;
  Index rows_;
};

}  // namespace

Program make_measuring_program(Index pe, Index pes, const plan::VectorPhase& columns, Index rows,
                               Carrier carrier) {
  return MeasureBuilder(pe, pes, columns, rows, carrier).take();
}

}  // namespace trisweep::device
