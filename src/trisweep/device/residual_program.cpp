// The items that measure residuals.

#include <algorithm>
#include <bit>

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

  // Stores the maxima of these kinds in the work rows from `to` on: first over parts of this PE's rows, then
  // over all its rows, then over all PEs.
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
    const Index rounds = static_cast<Index>(std::bit_width(static_cast<unsigned>(pes_) - 1));
    ReduceForward known{.row = rounds == 0 ? to : new_rows(kinds),
                        .width = kinds,
                        .taken_from = parts.empty() ? none : parts.front()};
    for (Index round = 0; round < rounds; ++round) {
      const Index row = known.row;
      const Exchanged next = exchange(known, parts, round);
      parts = {next.row};
      known = {.row = round + 1 == rounds ? to : new_rows(kinds), .width = kinds, .taken_from = row};
      known.signal = next.signal;
    }
    add_largest(known, parts);
  }

  // The maxima that have arrived in a round, and the signal of their arrival: none if the host brings them.
  struct Exchanged {
    Index row;
    Range signal{};
  };
  // In each round the PE sends the maximum over the last 2^round PEs, ending with itself, to the PE 2^round
  // after it, and receives one from the PE 2^round before it. After ceil(log2 P) rounds all PEs know the
  // global maximum. (Dissemination: Hensgen, Finkel, Manber 1988. It does no harm that some PEs are counted
  // twice.)
  Exchanged exchange(ReduceForward& known, const std::vector<Index>& parts, Index round) {
    const Index distance = Index{1} << round;
    const Index to = static_cast<Index>((Offset{program_.pe} + distance) % pes_);
    const Index from = static_cast<Index>((Offset{program_.pe} - distance + pes_) % pes_);
    if (uses_mpi()) {
      const Index row = new_rows(known.width);
      add_largest(known, parts);
      end_launch_for({phase_, round, to, true, known.row, known.width});
      end_launch_for({phase_, round, from, false, row, known.width});
      return {row};
    }
    known.put.begin = promise(to, known.width);
    known.put.end = known.put.begin + 1;
    const auto signal = static_cast<Index>(program_.signal.size());
    program_.signal.push_back(expect(from, known.width));
    add_largest(known, parts);
    return {program_.inbound.back().address.row, {signal, signal + 1}};
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
