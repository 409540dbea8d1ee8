// The items of a sweep, in the order of sweep_order.hpp.

#include <algorithm>

#include "trisweep/core/error.hpp"
#include "trisweep/device/program_builder.hpp"

namespace trisweep::device {

class SweepBuilder {
 public:
  SweepBuilder(PlanBuilder& builder, const plan::SweepPhase& phase)
      : builder_(builder),
        program_(builder.program_),
        phase_(phase),
        segment_(phase.segment.size()),
        put_(phase.outgoing.size(), none),
        read_(phase.task.size()) {}

  void build() {
    for (plan::SegmentId s; s < phase_.segment.end_key(); ++s) list_readers(s);
    for (const plan::SegmentId fed : phase_.feed) ++segment_[fed].feeds;
    std::vector<RowRun> cleared;
    for (const plan::SegmentId s : phase_.cleared) cleared.push_back({of(s).row.value(), of(s).width});
    builder_.add_cleared(cleared, builder_.items());
    take_messages();
    after_ = builder_.items();
    positions_ = builder_.positions_of(phase_);
    for (const Step& step : order_of(phase_, builder_.local_blocks_, builder_.priority_)) add(step);
    for (Index i = 0; i < static_cast<Index>(phase_.outgoing.size()); ++i) {
      const plan::Outgoing& message = phase_.outgoing[usize(i)];
      program_.outbound.push_back(
          {.to = message.to.value(), .rows = of(message.segment).width, .put = put_[usize(i)]});
    }
    add_replaced();
  }

 private:
  // State of a segment in this phase.
  struct State {
    Index contributed = none;    // counter
    Index available = none;      // counter
    Index feeds = 0;             // number of tasks that contribute
    bool at_start = false;       // available when the phase begins
    std::vector<Index> counted;  // signals of messages that are contributions
    Index final_signal = none;   // signal of the final segment, if it is awaited
  };

  const plan::Segment& of(plan::SegmentId s) const { return phase_.segment[s]; }
  Index new_counter(plan::SegmentId s) {
    program_.supernode.push_back(of(s).supernode);
    program_.completion.emplace_back();
    return program_.counters++;
  }
  Index contributed(plan::SegmentId s) {
    Index& counter = segment_[s].contributed;
    return counter != none ? counter : counter = new_counter(s);
  }
  Index available(plan::SegmentId s) {
    Index& counter = segment_[s].available;
    return counter != none ? counter : counter = new_counter(s);
  }

  void list_readers(plan::SegmentId s) {
    for (Index c = of(s).consumer_begin; c < of(s).consumer_end; ++c)
      read_[usize(phase_.consumer[usize(c)])].push_back(s);
  }

  void take_messages() {
    for (const plan::Incoming& message : phase_.incoming) {
      const plan::SegmentId s = message.segment;
      const Index signal = builder_.expect(message.from.value(), of(s).width);
      if (message.kind == plan::MessageKind::reduction) {
        if (message.cell == plan::no_row) refuse();
        segment_[s].counted.push_back(signal);
        slot_of_cell_.emplace_back(message.cell.value(), program_.inbound.back().address.row);
      } else if (of(s).counts_final) {
        segment_[s].counted.push_back(signal);
        segment_[s].final_signal = signal;
      }
      signal_.push_back(signal);
    }
    std::ranges::sort(slot_of_cell_);
  }

  [[noreturn]] static void refuse() {
    throw Error(ErrorKind::usage, "a device runs plans with ordered accumulation only",
                "make the plan with ordered accumulation");
  }

  // A partial sum that arrives is added directly from the slot of its message.
  Index cell(plan::WorkRow of) const {
    const Index work_row = of.value();
    const auto slot = std::ranges::lower_bound(slot_of_cell_, work_row, {}, &std::pair<Index, Index>::first);
    return slot != slot_of_cell_.end() && slot->first == work_row ? slot->second : work_row;
  }

  void add(const Step& step) {
    if (step.kind == StepKind::task) return add_task(step.subject);
    const plan::SegmentId s(step.subject);
    ReduceForward reduce_forward{
        .row = of(s).row.value(), .width = of(s).width, .supernode = of(s).supernode};
    if (step.kind == StepKind::arrive) {
      const Index signal = signal_[usize(step.incoming)];
      reduce_forward.taken_from = program_.inbound[usize(signal)].address.row;
      reduce_forward.signal = append(program_.signal, {signal});
    } else {
      complete(s, reduce_forward);
    }
    reduce_forward.put.begin = static_cast<Index>(program_.put.size());
    for (const Index number : step.out) {
      put_[usize(number)] = static_cast<Index>(program_.put.size());
      program_.put.push_back({phase_.outgoing[usize(number)].to.value(), 0, 0});
    }
    reduce_forward.put.end = static_cast<Index>(program_.put.size());
    const bool is_read = of(s).consumer_begin < of(s).consumer_end;
    const bool passes_sum_on = step.kind == StepKind::reduce_forward && of(s).parent >= 0;
    if (is_read && !passes_sum_on && !segment_[s].at_start) reduce_forward.available = available(s);
    if (segment_[s].at_start && step.out.empty() && reduce_forward.next == none) return;
    const auto at = static_cast<Index>(program_.reduce_forward.size());
    program_.reduce_forward.push_back(reduce_forward);
    if (is_of_products(reduce_forward)) {
      program_.completion[usize(reduce_forward.counter)] = {at, reduce_forward.contributions};
    } else {
      program_.item.push_back({.action = Action::reduce_forward, .at = at, .after = after_});
    }
  }

  // True if the segment waits for nothing but contributions of this PE's products, and of sums of such
  // contributions.
  static bool is_of_products(const ReduceForward& r) {
    return r.counter != none && r.signal.begin == r.signal.end && r.put.begin == r.put.end;
  }

  void complete(plan::SegmentId s, ReduceForward& reduce_forward) {
    State& state = segment_[s];
    const auto cells = of(s).cell_end - of(s).cell_begin;
    const auto messages = static_cast<Index>(state.counted.size());
    if (state.feeds > 1 && of(s).width > 0 && cells == 0) refuse();
    reduce_forward.contributions = of(s).pending - messages;
    if (reduce_forward.contributions > 0) reduce_forward.counter = contributed(s);
    reduce_forward.signal = append(program_.signal, state.counted);
    reduce_forward.cell.begin = static_cast<Index>(program_.cell.size());
    for (Index c = of(s).cell_begin; c < of(s).cell_end; ++c)
      program_.cell.push_back(cell(phase_.cell[usize(c)]));
    reduce_forward.cell.end = static_cast<Index>(program_.cell.size());
    if (state.final_signal != none)
      reduce_forward.taken_from = program_.inbound[usize(state.final_signal)].address.row;
    if (of(s).next != plan::no_segment) reduce_forward.next = contributed(of(s).next);
    state.at_start = of(s).pending == 0 && of(s).parent < 0;
  }

  void add_task(Index t) {
    const plan::Task& task = phase_.task[usize(t)];
    const auto begin = static_cast<Index>(program_.row_block.size());
    for (Index i = task.row_block_begin; i < task.row_block_end; ++i)
      program_.row_block.push_back(
          builder_.row_block(phase_.row_block[usize(i)], task.diagonal ? 0 : positions_));
    const Range row_blocks{begin, static_cast<Index>(program_.row_block.size())};
    if (task.diagonal) {
      builder_.add_diagonal(row_blocks, phase_.diagonal_op, after_);
    } else {
      program_.item.push_back(
          {.action = Action::product, .at = static_cast<Index>(program_.product.size()), .after = after_});
      program_.product.push_back(
          {.row_block = row_blocks,
           .side = static_cast<std::uint8_t>(phase_.side),
           .multiply = phase_.direction == plan::Direction::scatter ? Multiply::scatter : Multiply::gather,
           .conjugate = phase_.conjugate});
    }
    Product& product = program_.product.back();
    std::vector<Index> counters;
    for (const plan::SegmentId s : read_[usize(t)])
      if (!segment_[s].at_start) counters.push_back(available(s));
    product.read = append(program_.read, counters);
    counters.clear();
    for (Index f = task.feed_begin; f < task.feed_end; ++f)
      counters.push_back(contributed(phase_.feed[usize(f)]));
    product.feed = append(program_.feed, counters);
    product.cell = {task.cell_begin.value(), task.cell_end.value()};
  }

  void add_replaced() {
    const Index after = builder_.items();
    for (const plan::Replacement& r : phase_.replaced) {
      const auto at = static_cast<Index>(program_.negation.size());
      program_.negation.push_back({r.slot.value(), r.target.value(), r.rows});
      program_.item.push_back({.action = Action::negate, .at = at, .end = at + 1, .after = after});
    }
  }

  static Range append(std::vector<Index>& list, const std::vector<Index>& entries) {
    const auto begin = static_cast<Index>(list.size());
    list.insert(list.end(), entries.begin(), entries.end());
    return {begin, static_cast<Index>(list.size())};
  }

  PlanBuilder& builder_;
  Program& program_;
  const plan::SweepPhase& phase_;
  IndexedVector<plan::SegmentId, State> segment_;
  std::vector<Index> put_;                             // by outgoing message
  std::vector<std::vector<plan::SegmentId>> read_;     // by task
  std::vector<Index> signal_;                          // by incoming message
  std::vector<std::pair<Index, Index>> slot_of_cell_;  // first work rows
  Index after_ = 0;
  Offset positions_ = 0;
};

void PlanBuilder::add(const plan::SweepPhase& phase) {
  SweepBuilder(*this, phase).build();
}

}  // namespace trisweep::device
